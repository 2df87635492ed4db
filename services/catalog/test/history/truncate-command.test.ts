import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { testPostgresUrl } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CatalogFixture, developmentTokens, startCatalog } from '../support/catalog-fixture.js';
import { type PastReader, pastReader } from './past-reader.js';

/** The maintenance command, as a CronJob runs it. */
describe('truncation of all catalogs by age', () => {
  let fixture: CatalogFixture;
  let catalogs: readonly PastReader[];
  let kept: string;
  let horizon: string;

  beforeAll(async () => {
    fixture = await startCatalog();
    catalogs = [await pastReader(fixture), await pastReader(fixture)];
    for (const past of catalogs) {
      await past.done('POST', '/schema/S/table', {
        table_name: 't',
        column_definitions: [{ name: 'v', type: 'int4' }],
      });
      await past.done('POST', '/schema/S/table', {
        table_name: 'gone',
        column_definitions: [{ name: 'v', type: 'int4' }],
      });
      await past.done('POST', '/entity/S:t', [{ v: 0 }, { v: 1 }]);
      await past.done('POST', '/entity/S:gone', [{ v: 7 }]);
      await past.done('DELETE', '/schema/S/table/gone');
      await past.done('DELETE', '/entity/S:t/v=1');
    }
    kept = (await catalogs[1]?.now()) ?? '';
    // milliseconds are enough to lie between two snapshots
    await new Promise((resolve) => setTimeout(resolve, 20));
    horizon = new Date(Date.now() - 5).toISOString();
    await catalogs[1]?.done('DELETE', '/entity/S:t/v=0');
  });
  afterAll(() => fixture.close());

  const run = (...args: readonly string[]) =>
    new Promise<{
      readonly status: unknown;
      readonly lines: readonly Record<string, unknown>[];
      readonly complaint: string;
    }>((resolve) => {
      const program = fileURLToPath(new URL('../../src/truncate-history.js', import.meta.url));
      const env = {
        PATH: process.env.PATH,
        REGISTRY_DATABASE_URL: fixture.registryUrl,
        CATALOG_SERVERS: JSON.stringify([{ name: 'test', url: testPostgresUrl() }]),
        AUTH_MODE: 'dev',
        DEV_TOKENS: JSON.stringify(developmentTokens),
      };
      execFile(process.execPath, [program, ...args], { env }, (error, stdout, stderr) => {
        const lines = stdout
          .trim()
          .split('\n')
          .filter((line) => line !== '');
        resolve({
          status: error === null ? 0 : error.code,
          lines: lines.map((line) => JSON.parse(line)),
          complaint: stderr,
        });
      });
    });
  const ranges = () => Promise.all(catalogs.map(async (past) => (await past.send('GET', '/history/,')).json));

  it('says what it is to be told', async () => {
    for (const args of [[], ['--older-than', 'soon'], ['--older-than', '0'], ['--all'], ['--before', 'x']]) {
      const { status, complaint } = await run(...args);
      expect([status, complaint]).toEqual([2, expect.stringContaining('truncate-history:')]);
    }
  });

  it('counts in days, as the CronJob of the chart does', async () => {
    const { status, lines, complaint } = await run('--older-than', '365', '--apply');
    expect({ status, complaint }).toEqual({ status: 0, complaint: '' });
    expect(lines.at(-1)).toMatchObject({ kind: 'sums', applied: true, failed: 0, snapshots: 0 });
  });

  it('removes nothing before it is told to, and says what it would', async () => {
    const before = await ranges();
    const { status, lines } = await run('--before', horizon);
    expect(status).toBe(0);
    expect(lines.map(({ kind, id }) => [kind, id])).toEqual([
      ['catalog', '0'],
      ['catalog', '1'],
      ['catalog', '2'],
      ['sums', undefined],
    ]);
    // the row that was deleted, and the one that was dropped with its table
    expect(lines[1]).toMatchObject({ rowVersions: 2, snapshots: expect.any(Number), bytes: expect.any(Number) });
    expect(lines[3]).toMatchObject({ applied: false, catalogs: 3, failed: 0 });
    expect(await ranges()).toEqual(before);
  });

  it('removes what had died by then, and keeps what was there', async () => {
    const [planned, done] = [await run('--before', horizon), await run('--before', horizon, '--apply')];
    expect(done.status).toBe(0);
    expect(done.lines[2]).toEqual(planned.lines[2]);
    expect(done.lines.at(-1)).toMatchObject({ applied: true, failed: 0 });
    const [first, second] = catalogs;
    expect((await second?.send('GET', '/history/,'))?.json).toMatchObject({ snaprange: [kept, await second?.now()] });
    expect(await second?.rows(kept, 'attribute/S:t/v')).toEqual([{ v: 0 }]);
    expect(await first?.done('GET', '/attribute/S:t/v')).toEqual([{ v: 0 }]);
    const histories = await first?.sql(
      `select count(*)::int as n from pg_class c where relnamespace = '_catalog'::regnamespace and relkind = 'r' and relname like 'h\\_%'`,
    );
    const captured = await first?.sql(`select count(*)::int as n from _catalog.capture`);
    expect(histories).toEqual(captured);
    const again = await run('--before', horizon, '--apply');
    expect(again.lines[1]).toMatchObject({ snapshots: 0, rowVersions: 0 });
  });

  it('goes on with the other catalogs when one fails', async () => {
    const [first] = catalogs;
    await first?.sql('alter table _catalog.capture rename to capture_away');
    const { status, lines } = await run('--before', horizon);
    await first?.sql('alter table _catalog.capture_away rename to capture');
    expect(status).toBe(1);
    expect(lines.map(({ kind }) => kind)).toEqual(['catalog', 'failure', 'catalog', 'sums']);
  });
});
