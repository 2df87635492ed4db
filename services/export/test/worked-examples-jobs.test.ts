import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateBag } from '@holdfast/bagit';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { type Harness, type HarnessOptions, startHarness } from './support/harness.js';
import { onDatabase } from './support/on-database.js';
import { csvOf, csvRequest, gate, startExport, withRows } from './support/requests.js';
import { kill, startWorkerProcess } from './support/worker-process.js';

describe.each(['standard', 'deriva'] as const)(
  'worked examples of spec/export.md 15 about archives and jobs (%s)',
  (profile) => {
    const created = profile === 'standard' ? 200 : 201;
    const bagPath = profile === 'standard' ? '/bag' : '/bdbag';
    let service: Harness;
    afterEach(() => service.close());

    async function start(options: HarnessOptions = {}): Promise<void> {
      service = await startHarness({ ...options, profile });
      withRows(service.catalog);
    }

    it('25, 27: each archive format, with metadata', async () => {
      await start();
      const directory = await mkdtemp(join(tmpdir(), 'holdfast-bag-'));
      try {
        for (const archiver of ['tgz', 'bz2', 'tar', 'ZIP']) {
          const metadata = { 'Contact-Name': 'Ann', 'Payload-Oxum': '9.9' };
          const bag = { bag_name: 'b', bag_archiver: archiver, bag_metadata: metadata };
          const answer = await service.post(bagPath, { bag, ...csvRequest });
          expect(answer.status).toBe(created);
          const url = await answer.text();
          expect(url.endsWith(`/b.${archiver.toLowerCase()}`)).toBe(true);
          const result = await service.get(url);
          const path = join(directory, `b.${archiver}`);
          await writeFile(path, Buffer.from(await result.arrayBuffer()));
          const report = await validateBag(path);
          expect(report).toMatchObject({ valid: true, payload: { bytes: 18, files: 1 } });
          expect(report.info).toContainEqual({ label: 'Contact-Name', value: 'Ann' });
          expect(report.info.filter(({ label }) => label === 'Payload-Oxum')).toEqual([
            { label: 'Payload-Oxum', value: '18.1' },
          ]);
        }
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    });

    it('38: two at once, where only one may be unfinished', async () => {
      await start({ environment: { PER_USER_QUEUED: '0' } });
      const slow = gate(service.catalog, '/entity/slow');
      const first = service.post('/file', csvOf('/entity/slow'));
      await slow.reached;
      expect((await service.post('/file', csvRequest)).status).toBe(429);
      slow.open();
      expect((await first).status).toBe(created);
    });

    it('39: the worker is killed', async () => {
      await start({ worker: false });
      const slow = gate(service.catalog, '/entity/slow');
      const victim = startWorkerProcess(service.environment);
      const bag = { bag_name: 'b', bag_archiver: 'zip' };
      const answer = service.post(bagPath, { bag, ...csvOf('/entity/slow') });
      await slow.reached;
      await kill(victim);
      slow.open();
      await onDatabase(service.databaseUrl, `update ex_export set lease_until = now() where state = 'running'`);
      await service.startWorker();
      const done = await answer;
      expect(done.status).toBe(created);
      const status = await (await service.get(`/job/${done.headers.get('x-export-id')}`)).json();
      expect(status).toMatchObject({ state: 'completed', results: [{ path: 'b.zip' }] });
    });

    it('41: after the time of retention', async () => {
      await start();
      const id = (await service.post('/file', csvRequest)).headers.get('x-export-id') ?? '';
      await onDatabase(service.databaseUrl, `update ex_export set expires = now() - interval '1 s'`);
      expect((await service.get(`/file/${id}/t.csv`)).status).toBe(404);
      expect((await service.get(`/file/${id}/log`)).status).toBe(404);
      await eventually(() => ([...service.store.objects.keys()].some((path) => path.includes(id)) ? null : true));
    });

    it('42: a login in the request', async () => {
      await start();
      service.catalog.users.set('dora', 'secret');
      const post = (login: object) =>
        service.post('/file', { catalog: { ...csvRequest.catalog, ...login } }, { token: null });
      expect((await post({ username: 'dora', password: 'secret' })).status).toBe(created);
      expect((await post({ username: 'dora', password: 'wrong' })).status).toBe(401);
      expect((await post({ username: 'dora' })).status).toBe(400);
    });

    it('43: the same request again', async () => {
      await start();
      const post = (body: object) => service.post('/file', body, { headers: { 'idempotency-key': 'k' } });
      const first = await post(csvRequest);
      const again = await post(csvRequest);
      expect([again.status, again.headers.get('x-export-id')]).toEqual([created, first.headers.get('x-export-id')]);
      expect((await post(csvOf('/entity/s:t', 'other'))).status).toBe(409);
    });

    it('events and list name the URLs of the profile', async () => {
      await start();
      const id = await startExport(service, csvRequest);
      const base = profile === 'standard' ? 'https://x.org/export' : 'https://x.org/deriva/export';
      const listed = await (await service.get('/job')).json();
      expect(listed).toMatchObject([{ id, log: `${base}/file/${id}/log` }]);
      const events = await service.get(`/job/${id}`, { headers: { accept: 'text/event-stream' } });
      expect(await events.text()).toContain(`"url":"${base}/file/${id}/t.csv"`);
    });
  },
);
