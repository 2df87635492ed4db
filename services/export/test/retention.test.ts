import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { type Harness, startHarness } from './support/harness.js';
import { onDatabase } from './support/on-database.js';
import { csvOf, csvRequest, withRows } from './support/requests.js';

describe('results past their time', () => {
  let service: Harness;
  beforeEach(async () => {
    service = await startHarness({ worker: false });
    withRows(service.catalog);
  });
  afterEach(() => service.close());

  const pathsWith = (text: string) =>
    [...service.store.objects.keys(), ...service.store.namespaces].filter((path) => path.includes(text));

  it('41: answer 404, and then their bytes, names, rows and logs are gone', async () => {
    await service.startWorker();
    const id = (await service.post('/file', csvRequest)).headers.get('x-export-id') ?? '';
    const other = (await service.post('/file', csvRequest)).headers.get('x-export-id') ?? '';
    // a version that a run left which died
    const [path = ''] = pathsWith(id).filter((name) => name.endsWith('.csv'));
    service.store.add(path, 'left');
    await onDatabase(service.databaseUrl, `update ex_export set expires = now() - interval '1 s' where id = $1`, [id]);
    for (const resource of [`/file/${id}/t.csv`, `/file/${id}/log`, `/job/${id}`]) {
      expect((await service.get(resource)).status).toBe(404);
    }
    await eventually(async () => {
      const rows = await onDatabase(service.databaseUrl, 'select 1 from ex_export where id = $1', [id]);
      return rows.length === 0 ? true : null;
    });
    expect(pathsWith(id)).toEqual([]);
    expect(await onDatabase(service.databaseUrl, 'select 1 from ex_log where export_id = $1', [id])).toEqual([]);
    expect(await (await service.get(`/file/${other}`)).text()).toContain('1-A');
  });

  it('keep their rows while the object store is away', async () => {
    await service.startWorker();
    const id = (await service.post('/file', csvRequest)).headers.get('x-export-id') ?? '';
    service.store.refuse = (method) => (method === 'DELETE' ? 503 : null);
    await onDatabase(service.databaseUrl, `update ex_export set expires = now() - interval '1 s' where id = $1`, [id]);
    await eventually(() => service.store.asked.find((line) => line.startsWith('DELETE')) ?? null);
    expect(await onDatabase(service.databaseUrl, 'select 1 from ex_export')).toHaveLength(1);
    service.store.refuse = null;
    await eventually(async () => (pathsWith(id).length === 0 ? true : null));
  });

  it('what a failed export had stored goes soon', async () => {
    await service.startWorker();
    const failing = {
      catalog: {
        host: 'x.org',
        queries: ['/entity/s:t', '/entity/nope'].map((path, index) => ({
          processor: 'csv',
          query_path: path,
          output_path: `t${index}`,
        })),
      },
    };
    const answer = await service.post('/file', failing);
    expect(answer.status).toBe(400);
    const id = answer.headers.get('x-export-id') ?? '';
    expect(pathsWith(`${id}/t0.csv`)).toHaveLength(1);
    await eventually(() => (pathsWith(id).length === 0 ? true : null));
    expect((await service.get(`/file/${id}/log`)).status).toBe(200);
  });

  it('versions that an earlier run stored go, the published one stays', async () => {
    const posted = await service.post('/file', csvRequest, { headers: { prefer: 'respond-async' } });
    const { id } = (await posted.json()) as { readonly id: string };
    await onDatabase(service.databaseUrl, 'update ex_export set attempt = 1');
    const day = new Date().toISOString().slice(0, 10);
    const directory = `/os/export-results/${day}/${id}`;
    service.store.add(`${directory}/t.csv`, 'old');
    service.store.add(`${directory}/sub/other.csv`, 'old');
    await service.startWorker();
    await eventually(() =>
      service.store.objects.get(`${directory}/t.csv`)?.length === 1 &&
      !service.store.objects.has(`${directory}/sub/other.csv`) &&
      !service.store.namespaces.has(`${directory}/sub`)
        ? true
        : null,
    );
    expect(await (await service.get(`/file/${id}`)).text()).toContain('1-A');
  });

  it('namespaces of days go when they are empty, two days old, and nobody needs them', async () => {
    const old = '/os/export-results/2020-01-01';
    const needed = '/os/export-results/2020-01-02';
    const full = '/os/export-results/2020-01-03';
    const today = `/os/export-results/${new Date().toISOString().slice(0, 10)}`;
    await service.post('/file', csvOf('/entity/never'), { headers: { prefer: 'respond-async' } });
    await onDatabase(service.databaseUrl, `update ex_export set created = '2020-01-02T12:00:00Z'`);
    service.store.add(`${full}/x`, 'x');
    for (const path of ['/os/export-results', old, needed, today]) service.store.namespaces.add(path);
    await service.startWorker({ QUEUE_WAIT_SECONDS: '3600' });
    await eventually(() => (service.store.namespaces.has(old) ? null : true));
    expect([needed, full, today].filter((path) => !service.store.namespaces.has(path))).toEqual([]);
  });
});
