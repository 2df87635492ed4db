import { afterEach, describe, expect, it } from '@jest/globals';
import { type Harness, startHarness } from './support/harness.js';
import { csvOf, csvRequest, gate, withRows } from './support/requests.js';

describe('results by redirect', () => {
  let service: Harness;
  afterEach(() => service.close());

  it('are shown where they are, to those who may read them; HEAD is answered here', async () => {
    service = await startHarness({ environment: { RESULT_DELIVERY: 'redirect' } });
    withRows(service.catalog);
    const posted = await service.post('/file', csvRequest);
    const url = await posted.text();
    const answer = await service.get(url, { redirect: 'manual' });
    expect(answer.status).toBe(303);
    const location = answer.headers.get('location') ?? '';
    expect(location).toMatch(/^https:\/\/x\.org\/os\/export-results\/[\d-]+\/[0-9a-f-]{36}\/t\.csv:V\d+$/);
    const [path = '', version] = new URL(location).pathname.split(':');
    const stored = service.store.objects.get(path)?.find((each) => each.version === version);
    expect(stored?.content.toString()).toBe('RID,n\n1-A,1\n1-B,2\n');
    // the object store decides by these
    expect(stored?.acls).toMatchObject({ read: ['alice'] });
    const head = await service.get(url, { method: 'HEAD', redirect: 'manual' });
    expect([head.status, head.headers.get('content-length'), head.headers.get('content-disposition')]).toEqual([
      200,
      '18',
      "filename*=UTF-8''t.csv",
    ]);
    expect((await service.get(url, { token: 'bob-token', redirect: 'manual' })).status).toBe(403);
    expect((await service.get(url, { token: null, redirect: 'manual' })).status).toBe(401);
  });
});

describe('statuses of the seed alone (compat.seedStatuses)', () => {
  let service: Harness;
  afterEach(() => service.close());

  const shown = async (answer: Response) => {
    const document = (await answer.json()) as { readonly status: number; readonly code: string };
    return [answer.status, document.status, document.code];
  };

  it('stand for the ones that refine them, in answers and in the status document', async () => {
    service = await startHarness({
      environment: { COMPAT_SEED_STATUSES: 'true', PER_USER_QUEUED: '0', MAX_BODY_BYTES: '1000' },
    });
    service.catalog.answers.set('/entity/broken', (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>');
    });
    const failed = await service.post('/file', csvOf('/entity/broken'));
    expect(await shown(failed)).toEqual([500, 500, 'upstream_failed']);
    const status = await service.get(`/job/${failed.headers.get('x-export-id')}`);
    expect(await status.json()).toMatchObject({ error: { status: 500, code: 'upstream_failed' } });
    expect(await shown(await service.post('/file', 'x'.repeat(2_000)))).toEqual([400, 400, 'too_large']);
    const slow = gate(service.catalog, '/entity/slow');
    const waiting = service.post('/file', csvOf('/entity/slow'));
    await slow.reached;
    const second = await service.post('/file', csvRequest);
    expect(second.headers.get('retry-after')).toBe('30');
    expect(await shown(second)).toEqual([400, 400, 'too_many']);
    const [{ id }] = (await (await service.get('/job?limit=1')).json()) as [{ readonly id: string }];
    await service.get(`/job/${id}`, { method: 'DELETE' });
    expect(await shown(await waiting)).toEqual([400, 400, 'cancelled']);
    // those that the seed lists stay
    expect((await service.get('/file/nonsense')).status).toBe(404);
    expect((await service.post('/file', csvRequest, { token: null })).status).toBe(401);
  });

  it('are not shown when they are not asked for', async () => {
    service = await startHarness();
    service.catalog.answers.set('/entity/broken', (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>');
    });
    expect(await shown(await service.post('/file', csvOf('/entity/broken')))).toEqual([502, 502, 'upstream_failed']);
  });
});
