import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { testPostgresUrl } from '@holdfast/testkit';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type CatalogFixture, onServer, startCatalog } from '../support/catalog-fixture.js';

/** Key of the lock of the sweep, as it stands in delete-catalog.ts. */
const PURGE_LOCK = '7161132921768994160';

/** The command `sweep`, as a CronJob runs it. */
describe('the command sweep', () => {
  let fixture: CatalogFixture;
  let kept: string;
  let gone: string;
  beforeEach(async () => {
    fixture = await startCatalog();
    [kept, gone] = [await databaseOf(await fixture.createCatalog()), await databaseOf(await fixture.createCatalog())];
    // as a deletion leaves it whose database could not be dropped
    await onServer(
      fixture.registryUrl,
      `update registry.registry set deleted_on = now() where descriptor->>'database' = $1`,
      [gone],
    );
  });
  afterEach(() => fixture.close());

  const databaseOf = async (path: string): Promise<string> =>
    new URL(await fixture.databaseUrl(path.split('/').at(-1) ?? '')).pathname.slice(1);
  const databases = async () =>
    (await onServer(testPostgresUrl(), 'select datname from pg_database where datname = any($1)', [[kept, gone]]))
      .map(({ datname }) => datname)
      .sort();
  const sweepCommand = (more: Readonly<Record<string, string>> = {}) =>
    new Promise<{ readonly code: number; readonly last: unknown; readonly complaint: string }>((resolve) => {
      const program = fileURLToPath(new URL('../../src/sweep.js', import.meta.url));
      const env = {
        PATH: process.env.PATH,
        REGISTRY_DATABASE_URL: fixture.registryUrl,
        CATALOG_SERVERS: JSON.stringify([{ name: 'test', url: testPostgresUrl() }]),
        ...more,
      };
      const child = execFile(process.execPath, [program], { env }, (_error, stdout, complaint) => {
        const last = stdout.trim().split('\n').at(-1) ?? '';
        resolve({ code: child.exitCode ?? -1, last: last === '' ? null : JSON.parse(last), complaint });
      });
    });

  it('drops the databases of deleted catalogs and no others, which a service does not that leaves it to others', async () => {
    const other = await startCatalog({ registryUrl: fixture.registryUrl, environment: { SWEEPERS: 'none' } });
    await other.createCatalog();
    expect(await databases()).toEqual([kept, gone].sort());
    await other.close();
    expect(await sweepCommand()).toEqual({
      code: 0,
      last: { kind: 'swept', leader: true, removed: { databases: 1 }, failed: 0 },
      complaint: '',
    });
    expect(await databases()).toEqual([kept]);
    expect((await sweepCommand()).last).toMatchObject({ leader: true, removed: { databases: 0 } });
  });

  it('leaves everything to the process that is sweeping already', async () => {
    const client = new pg.Client({ connectionString: fixture.registryUrl });
    await client.connect();
    await client.query(`select pg_advisory_lock(${PURGE_LOCK})`);
    expect(await sweepCommand()).toMatchObject({ code: 0, last: { leader: false, removed: { databases: 0 } } });
    await client.end();
    expect(await databases()).toEqual([kept, gone].sort());
  });

  it('ends with 1 when something could not be dropped, with 2 and the reason when it could not run', async () => {
    await onServer(testPostgresUrl(), `alter database "${gone}" is_template true`);
    expect(await sweepCommand()).toMatchObject({ code: 1, last: { removed: { databases: 0 }, failed: 1 } });
    await onServer(testPostgresUrl(), `alter database "${gone}" is_template false`);
    expect(await sweepCommand({ CATALOG_SERVERS: '[]' })).toMatchObject({
      code: 2,
      complaint: expect.stringMatching(/^catalog: the sweep failed: .*CATALOG_SERVERS/s),
    });
  });
});
