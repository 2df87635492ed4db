import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { type Harness, startHarness } from './support/harness.js';
import { onDatabase } from './support/on-database.js';
import { csvOf, csvRequest, gate, startExport, stateOf, withRows } from './support/requests.js';

describe('turns of users', () => {
  let service: Harness;
  afterEach(() => service.close());

  it('38: more than the allowed number of unfinished exports is refused', async () => {
    service = await startHarness({ environment: { PER_USER_QUEUED: '0' } });
    const slow = gate(service.catalog, '/entity/slow');
    const first = service.post('/file', csvOf('/entity/slow'));
    await slow.reached;
    const second = await service.post('/file', csvRequest);
    expect(second.status).toBe(429);
    expect(second.headers.get('retry-after')).toBe('30');
    withRows(service.catalog);
    // another user is not meant
    expect((await service.post('/file', csvRequest, { token: 'bob-token' })).status).toBe(200);
    slow.open();
    expect((await first).status).toBe(200);
    expect((await service.post('/file', csvRequest)).status).toBe(200);
  });

  it("one user's many exports do not keep another's one waiting", async () => {
    service = await startHarness({ environment: { WORKER_CONCURRENCY: '2' } });
    withRows(service.catalog);
    const slow = gate(service.catalog, '/entity/slow');
    const many = await Promise.all(Array.from({ length: 10 }, () => startExport(service, csvOf('/entity/slow'))));
    await slow.reached;
    expect((await service.post('/file', csvRequest, { token: 'bob-token' })).status).toBe(200);
    const states = await Promise.all(many.map((id) => stateOf(service, id)));
    expect(states.filter((state) => state === 'running')).toHaveLength(1);
    expect(states.filter((state) => state === 'queued')).toHaveLength(9);
    slow.open();
    await eventually(async () => {
      const now = await Promise.all(many.map((id) => stateOf(service, id)));
      return now.every((state) => state === 'completed') ? true : null;
    });
  });

  it('waiting for earlier exports of the same user is not waiting for a worker', async () => {
    service = await startHarness({ environment: { QUEUE_WAIT_SECONDS: '1' } });
    withRows(service.catalog);
    const slow = gate(service.catalog, '/entity/slow');
    await startExport(service, csvOf('/entity/slow'));
    await slow.reached;
    const waiting = await startExport(service, csvRequest);
    // what an hour of waiting and a round of the sweeper do
    await onDatabase(service.databaseUrl, `update ex_export set queued = now() - interval '1 hour' where id = $1`, [
      waiting,
    ]);
    await new Promise((resolve) => {
      setTimeout(resolve, 3_000);
    });
    expect(await stateOf(service, waiting)).toBe('queued');
    slow.open();
    await eventually(async () => ((await stateOf(service, waiting)) === 'completed' ? true : null));
  });

  it('a cancelled export lets the next one begin', async () => {
    service = await startHarness();
    withRows(service.catalog);
    const slow = gate(service.catalog, '/entity/slow');
    const first = await startExport(service, csvOf('/entity/slow'));
    await slow.reached;
    const second = service.post('/file', csvRequest);
    expect((await service.get(`/job/${first}`, { method: 'DELETE' })).status).toBe(204);
    expect((await second).status).toBe(200);
    slow.open();
  });

  it('the oldest results go when a user may keep only some', async () => {
    service = await startHarness({ environment: { MAX_RESULTS_PER_USER: '1' } });
    withRows(service.catalog);
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      ids.push((await service.post('/file', csvRequest)).headers.get('x-export-id') ?? '');
    }
    const statuses = await Promise.all(ids.map(async (id) => (await service.get(`/file/${id}`)).status));
    expect(statuses).toEqual([404, 200, 200]);
  });
});

describe('the list of jobs', () => {
  it("has the caller's own exports, newest first, page by page", async () => {
    const service = await startHarness();
    try {
      withRows(service.catalog);
      const ids: string[] = [];
      for (let count = 0; count < 3; count += 1) {
        ids.push((await service.post('/file', csvRequest)).headers.get('x-export-id') ?? '');
      }
      await service.post('/file', csvRequest, { token: 'bob-token' });
      const page = await service.get('/job?limit=2');
      expect(page.headers.get('link')).toBe(`<https://x.org/export/job?limit=2&after=${ids[1]}>; rel="next"`);
      expect(await page.json()).toMatchObject([
        { id: ids[2], state: 'completed' },
        { id: ids[1], state: 'completed' },
      ]);
      const rest = await service.get(`/job?limit=2&after=${ids[1]}`);
      expect(rest.headers.has('link')).toBe(false);
      expect(await rest.json()).toMatchObject([{ id: ids[0] }]);
      expect((await service.get('/job/', { token: null })).status).toBe(401);
      expect((await service.get('/job?limit=0')).status).toBe(400);
      expect((await service.get(`/job?after=${ids[0]}`, { token: 'bob-token' })).status).toBe(400);
    } finally {
      await service.close();
    }
  });
});
