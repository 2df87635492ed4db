import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { type Harness, startHarness } from './support/harness.js';
import { csvOf, csvRequest, startExport, withRows } from './support/requests.js';

const bag = { bag_name: 'b', bag_archiver: 'zip' };

describe('results in the store', () => {
  let service: Harness;
  beforeEach(async () => {
    service = await startHarness();
    withRows(service.catalog);
  });
  afterEach(() => service.close());

  const storedOf = (id: string) => [...service.store.objects].filter(([path]) => path.includes(id));

  it.each(['/file', '/bag'])(
    'are sent again when the store was away for a moment (%s)',
    async (path) => {
      let refused = 0;
      service.store.refuse = (method) => {
        if (method !== 'PUT' || refused === 2) return null;
        refused += 1;
        return refused === 1 ? 503 : 500;
      };
      const answer = await service.post(path, { bag, ...csvRequest });
      expect([answer.status, refused]).toEqual([200, 2]);
      const id = answer.headers.get('x-export-id') ?? '';
      expect(storedOf(id).map(([, versions]) => versions.length)).toEqual([1]);
      if (path === '/file') expect(await (await service.get(`/file/${id}`)).text()).toBe('RID,n\n1-A,1\n1-B,2\n');
    },
    30_000,
  );

  it.each([
    [503, 503, 'storage_unavailable'],
    [403, 500, 'internal'],
  ])(
    'that the store answers with %d, again and again, are told as %d',
    async (refusal, status, code) => {
      service.store.refuse = (method) => (method === 'PUT' ? refusal : null);
      const answer = await service.post('/file', csvRequest);
      expect([answer.status, answer.headers.has('retry-after')]).toEqual([status, status === 503]);
      expect(await answer.json()).toMatchObject({ code });
    },
    60_000,
  );

  it('are there once when the store had them, but its answer was lost', async () => {
    service.store.loseAnswers = 1;
    const answer = await service.post('/file', csvRequest);
    expect(answer.status).toBe(200);
    const id = answer.headers.get('x-export-id') ?? '';
    expect(storedOf(id).map(([, versions]) => versions.length)).toEqual([1]);
    expect(storedOf(id)[0]?.[1]).toMatchObject([{ acls: { read: ['alice'] } }]);
    expect(await (await service.get(`/file/${id}`)).text()).toBe('RID,n\n1-A,1\n1-B,2\n');
  });

  it('of an export that is cancelled and deleted while it is being stored do not stay', async () => {
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const reached = new Promise<void>((resolve) => {
      service.store.settle = async () => {
        resolve();
        await held;
      };
    });
    const id = await startExport(service, csvRequest);
    await reached;
    expect((await service.get(`/job/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await service.get(`/job/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await service.get(`/job/${id}`)).status).toBe(404);
    // the store has read all of it already, and goes on after its client has gone
    letGo();
    await eventually(() => (service.store.stored.some((path) => path.includes(id)) ? true : null));
    await eventually(() => (storedOf(id).length === 0 ? true : null));
  });
});

describe('scratch', () => {
  it('of runs that do not count is removed while the worker goes on', async () => {
    const service = await startHarness();
    try {
      const scratch = service.environment.SCRATCH_DIR ?? '';
      const left = join(scratch, '00000000-0000-4000-8000-000000000000-1');
      await mkdir(left);
      await eventually(async () => ((await readdir(scratch)).length === 0 ? true : null));
    } finally {
      await service.close();
    }
  });

  it('of a file export in progress is its own, and gone afterwards', async () => {
    const service = await startHarness();
    try {
      const scratch = service.environment.SCRATCH_DIR ?? '';
      withRows(service.catalog);
      let modes: readonly number[] = [];
      service.catalog.answers.set('/entity/look', async (_request, response) => {
        modes = await Promise.all((await readdir(scratch)).map(async (name) => (await stat(join(scratch, name))).mode));
        response.writeHead(200, { 'Content-Type': 'text/csv' }).end('RID\n');
      });
      expect((await service.post('/file', csvOf('/entity/look'))).status).toBe(200);
      expect(modes.map((mode) => mode & 0o777)).toEqual([0o700]);
      await eventually(async () => ((await readdir(scratch)).length === 0 ? true : null));
    } finally {
      await service.close();
    }
  });
});
