import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateBag } from '@holdfast/bagit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Harness, type HarnessOptions, startHarness } from './support/harness.js';
import { onDatabase } from './support/on-database.js';
import { readZip } from './support/read-zip.js';
import { csvOf, csvRequest, withRows } from './support/requests.js';

const bag = { bag_name: 'b', bag_archiver: 'zip' };

describe.each(['standard', 'deriva'] as const)(
  'worked examples of spec/export.md 15 about what is refused (%s)',
  (profile) => {
    const created = profile === 'standard' ? 200 : 201;
    const bagPath = profile === 'standard' ? '/bag' : '/bdbag';
    let service: Harness;
    beforeAll(async () => {
      service = await startHarness({ profile });
    });
    afterAll(() => service.close());
    beforeEach(() => {
      service.catalog.answers.clear();
      service.catalog.asked.length = 0;
      service.store.asked.length = 0;
      withRows(service.catalog);
    });

    const withOther = async (options: HarnessOptions, work: (other: Harness) => Promise<void>): Promise<void> => {
      const other = await startHarness({ ...options, profile });
      try {
        withRows(other.catalog);
        await work(other);
      } finally {
        await other.close();
      }
    };

    const asJson = { headers: { accept: 'application/json' } };

    function assets(
      processor: 'fetch' | 'download',
      row: Readonly<Record<string, unknown>>,
    ): { readonly catalog: object } {
      service.catalog.answers.set('/attribute/a', [row]);
      const query = { processor, processor_params: { query_path: '/attribute/a', output_path: 'f/{RID}' } };
      return { catalog: { host: 'x.org', queries: [query] } };
    }

    const storedOf = (answer: Response) =>
      [...service.store.objects.keys()].filter((path) => path.includes(answer.headers.get('x-export-id') ?? '-'));

    it('13: another host: no connection is made to it or to anybody', async () => {
      const { catalog } = csvRequest;
      const answer = await service.post('/file', { catalog: { ...catalog, host: 'evil.example' } }, asJson);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ code: 'host_not_allowed' });
      // refused before there is an export that could make one
      expect(answer.headers.has('x-export-id')).toBe(false);
      expect([service.catalog.asked, service.store.asked]).toEqual([[], []]);
    });

    it.each(['../t', '/etc/t', 'a\\b'])('14: the output path %s', async (path) => {
      const answer = await service.post('/file', csvOf('/entity/s:t', path), asJson);
      expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'bad_path' }]);
      expect(service.catalog.asked).toEqual([]);
    });

    it('15: a row that wants out of the export: the log shows it, and nothing is published', async () => {
      const url = service.store.add('/os/a/x', 'hello');
      const answer = await service.post('/file', assets('download', { RID: '1-A', url, filename: '../../x' }), asJson);
      expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'bad_path' }]);
      const id = answer.headers.get('x-export-id');
      expect(await (await service.get(`/file/${id}/log`)).text()).toContain('"../../x"');
      expect(await (await service.get(`/job/${id}`)).json()).toMatchObject({ state: 'failed', results: [] });
      expect(storedOf(answer)).toEqual([]);
      expect(await onDatabase(service.databaseUrl, 'select 1 from ex_output where export_id = $1', [id])).toEqual([]);
    });

    it.each(['/schema/s', 'entity/s:t'])('16: the query path %s', async (path) => {
      expect((await service.post('/file', csvOf(path))).status).toBe(400);
      expect(service.catalog.asked).toEqual([]);
    });

    it('17: a catalog that is down', async () => {
      const CATALOGS = JSON.stringify([{ publicHost: 'x.org', baseUrl: 'http://127.0.0.1:1' }]);
      await withOther({ environment: { CATALOGS } }, async (other) => {
        const answer = await other.post('/file', csvRequest, asJson);
        expect([answer.status, await answer.json()]).toMatchObject([502, { code: 'upstream_failed' }]);
      });
    });

    it('26: a bag without the name of its format; metadata that are no strings', async () => {
      const post = (settings: object) => service.post(bagPath, { bag: settings, ...csvRequest });
      const unnamed = await post({ bag_name: 'b' });
      expect(unnamed.status).toBe(profile === 'standard' ? 400 : created);
      if (profile === 'deriva') expect(await unnamed.text()).toMatch(/\/b\.zip$/);
      for (const wrong of [{ bag_archiver: 'rar' }, { bag_name: 'a/b' }, { bag_metadata: { n: 1 } }]) {
        expect((await post({ ...bag, ...wrong })).status).toBe(400);
      }
      expect((await post({ bag_archiver: 'zip' })).status).toBe(profile === 'standard' ? 400 : created);
    });

    it('31: a reference that only the store knows, in a bag', async () => {
      const version = service.store.add('/os/a/known', 'hello', {
        'content-disposition': "filename*=UTF-8''k%20n.txt",
      });
      const answer = await service.post(bagPath, { bag, ...assets('fetch', { RID: '1-A', url: '/os/a/known' }) });
      expect(answer.status).toBe(created);
      expect(service.store.asked.filter((line) => line.includes('known'))).toEqual(['HEAD /os/a/known']);
      const files = await readZip(Buffer.from(await (await service.get(await answer.text())).arrayBuffer()));
      expect(files.get('b/fetch.txt')).toBe(`https://x.org${version}\t5\tdata/f/1-A/k n.txt\n`);
      expect(files.get('b/manifest-md5.txt')).toBe('5d41402abc4b2a76b9719d911017c592  data/f/1-A/k n.txt\n');
      expect(files.get('b/manifest-sha256.txt')).toBe(
        '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824  data/f/1-A/k n.txt\n',
      );
    });

    it('32: a reference elsewhere without a hash, where no such servers are asked', async () => {
      const row = { RID: '1-A', url: 'https://elsewhere.example/o', length: 5 };
      for (const path of ['/file', bagPath]) {
        const answer = await service.post(path, { bag, ...assets('fetch', row) }, asJson);
        expect([answer.status, await answer.json()]).toMatchObject([
          400,
          { detail: expect.stringContaining('lies outside of this deployment') },
        ]);
      }
      // with both it is taken as it is
      const known = { ...row, md5: '5d41402abc4b2a76b9719d911017c592' };
      expect((await service.post('/file', assets('fetch', known))).status).toBe(created);
    });

    it.each(['deny', 'allowlist', 'public'])('35: an address of the machine itself, externalFetch %s', async (mode) => {
      const environment = { EXTERNAL_FETCH: mode, EXTERNAL_FETCH_HOSTS: '169.254.169.254,127.0.0.1' };
      await withOther({ environment }, async (other) => {
        // a server that would answer: it must not be asked
        for (const url of ['http://169.254.169.254/x', `${other.catalog.origin}/x`]) {
          other.catalog.answers.set('/attribute/a', [{ url }]);
          const query = { processor: 'download', query_path: '/attribute/a' };
          const answer = await other.post('/file', { catalog: { host: 'x.org', queries: [query] } });
          expect(answer.status).toBe(400);
        }
        expect(other.catalog.asked.map(({ path }) => path)).toEqual(Array(2).fill('@2YQ-TEST-SNAP/attribute/a'));
        expect(other.catalog.others).toEqual([]);
      });
    });

    it('42: a password is in no table, queue entry or log, whether it was right or wrong', async () => {
      service.catalog.users.set('dora', 'the-right-one');
      for (const password of ['the-right-one', 'the-wrong-one']) {
        const { catalog } = csvRequest;
        const body = { catalog: { ...catalog, username: 'dora', password } };
        const answer = await service.post('/file', body, { token: null });
        expect(answer.status).toBe(password === 'the-right-one' ? created : 401);
      }
      const dump: string[] = [...service.logged];
      const tables = await onDatabase(
        service.databaseUrl,
        `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not like 'pg_%'`,
      );
      expect(tables.length).toBeGreaterThan(4);
      for (const { name } of tables) {
        const rows = await onDatabase(service.databaseUrl, `select t::text as text from ${String(name)} as t`);
        dump.push(...rows.map(({ text }) => String(text)));
      }
      expect(dump.filter((line) => /the-(?:right|wrong)-one/.test(line))).toEqual([]);
    });

    it('44: a bag of nothing is refused by its code, or is a valid bag', async () => {
      service.catalog.answers.set('/attribute/none', []);
      const body = (more: object) => ({
        bag: { ...bag, ...more },
        catalog: { host: 'x.org', queries: [{ processor: 'fetch', query_path: '/attribute/none' }] },
      });
      const refused = await service.post(bagPath, body({}), asJson);
      expect([refused.status, await refused.json()]).toMatchObject([400, { code: 'empty_bag' }]);
      const answer = await service.post(bagPath, body({ bag_strict: false }));
      expect(answer.status).toBe(created);
      const directory = await mkdtemp(join(tmpdir(), 'holdfast-bag-'));
      try {
        const path = join(directory, 'b.zip');
        await writeFile(path, Buffer.from(await (await service.get(await answer.text())).arrayBuffer()));
        expect(await validateBag(path)).toMatchObject({ valid: true, payload: { bytes: 0, files: 0 } });
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    });
  },
);
