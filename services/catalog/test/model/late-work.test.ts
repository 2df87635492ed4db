import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';
import { type CatalogProcess, startCatalogProcess } from '../support/catalog-process.js';
import { eventually } from '../support/eventually.js';

/** Key of the lock that says which process does late work. */
const TURN = '5210797465438516';

const place = { schema_name: 'S' };

/** Indexes on tables with rows, and validations, are done after the answer: by whom and whenever, but done. */
describe('late work', () => {
  let fixture: CatalogFixture;
  let path: string;
  let client: pg.Client;
  const processes: CatalogProcess[] = [];

  beforeAll(async () => {
    fixture = await startCatalog();
  });
  afterAll(() => fixture.close());

  beforeEach(async () => {
    path = await fixture.createCatalog();
    const column_definitions = [{ name: 'id', type: 'int4', nullok: false }];
    const made = await fixture.request('alice', 'POST', `${path}/schema`, [
      place,
      { ...place, table_name: 'u', column_definitions, keys: [{ unique_columns: ['id'] }] },
      {
        ...place,
        table_name: 't',
        column_definitions,
        foreign_keys: [
          {
            foreign_key_columns: [{ column_name: 'id' }],
            referenced_columns: [{ ...place, table_name: 'u', column_name: 'id' }],
          },
        ],
      },
    ]);
    expect(made.status).toBe(201);
    await query('insert into "S".u (id) values (1); insert into "S".t (id) values (1)');
    client = new pg.Client({ connectionString: await fixture.databaseUrl(path.slice('/catalog/'.length)) });
    await client.connect();
  });
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((process) => process.kill()));
    await client.end();
  });

  const query = (text: string, values?: readonly unknown[]) =>
    fixture.query(path.slice('/catalog/'.length), text, values);
  const startProcess = async (): Promise<CatalogProcess> => {
    const process = await startCatalogProcess(fixture.registryUrl);
    processes.push(process);
    return process;
  };
  const killProcess = (process: CatalogProcess): Promise<void> => {
    processes.splice(processes.indexOf(process), 1);
    return process.kill();
  };
  const addColumn = async (url: string, name: string): Promise<void> => {
    const column = { name, type: 'text' };
    const { status } = await fixture.request('alice', 'POST', `${url}${path}/schema/S/table/t/column`, column);
    expect(status).toBe(200);
  };
  /** The indexes of a column and whether readers use them. */
  const indexesOf = (column: string) =>
    query(
      `select am.amname as kind, i.indisvalid as valid
         from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am am on am.oid = c.relam
         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
        where i.indrelid = '"S".t'::regclass and a.attname = $1 order by 1`,
      [column],
    );
  const complete = [
    { kind: 'btree', valid: true },
    { kind: 'gin', valid: true },
  ];
  const listed = () => query('select piece, failures from _catalog.late_work');

  it('that a killed process left undone is done by the next one', async () => {
    await client.query('select pg_advisory_lock($1)', [TURN]);
    const first = await startProcess();
    await addColumn(first.url, 'late');
    const altered = await fixture.request(
      'alice',
      'PUT',
      `${first.url}${path}/schema/S/table/t/foreignkey/id/reference/S:u/id`,
      [{ on_delete: 'CASCADE' }],
    );
    expect(altered.status).toBe(200);
    await killProcess(first);
    expect([await indexesOf('late'), await validated()]).toEqual([[], false]);
    expect(await listed()).toHaveLength(3);
    await client.query('select pg_advisory_unlock($1)', [TURN]);
    const second = await startProcess();
    expect((await fixture.request('alice', 'GET', `${second.url}${path}/schema`)).status).toBe(200);
    await eventually(async () => (await listed()).length === 0);
    expect([await indexesOf('late'), await validated()]).toEqual([complete, true]);
    expect(second.log()).toBe('');
  });

  it('that was killed in the middle of a build is done anew by a process that was there before', async () => {
    const other = await startProcess();
    await addColumn(other.url, 'before');
    await eventually(async () => (await listed()).length === 0);
    // whoever builds concurrently waits for it
    await client.query('begin isolation level repeatable read; select');
    const first = await startProcess();
    await addColumn(first.url, 'late');
    await eventually(async () => (await indexesOf('late')).some(({ valid }) => valid === false));
    await killProcess(first);
    // the database would finish the statement of a process that is gone
    await query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'holdfast-catalog late work'`,
    );
    expect(await indexesOf('late')).toEqual([{ kind: 'btree', valid: false }]);
    await client.query('rollback');
    expect((await fixture.request('alice', 'GET', `${other.url}${path}/schema`)).status).toBe(200);
    await eventually(async () => (await listed()).length === 0);
    expect(await indexesOf('late')).toEqual(complete);
    expect(other.log()).toBe('');
  });

  it('whose connection was lost is taken up by the same process at the next request', async () => {
    await client.query('begin isolation level repeatable read; select');
    await addColumn(fixture.url, 'late');
    await eventually(async () => (await indexesOf('late')).some(({ valid }) => valid === false));
    await query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'holdfast-catalog late work'`,
    );
    await client.query('rollback');
    await eventually(async () => {
      expect((await fixture.request('alice', 'GET', `${path}/schema`)).status).toBe(200);
      return (await listed()).length === 0;
    });
    expect(await indexesOf('late')).toEqual(complete);
  });

  it('has its list in catalogs that are older than it, too', async () => {
    await query(`drop table _catalog.late_work; delete from _catalog.schema_migrations where name = '0004-late-work'`);
    const process = await startProcess();
    await addColumn(process.url, 'late');
    await eventually(async () => (await listed()).length === 0);
    expect(await indexesOf('late')).toEqual(complete);
  });

  it('is done once, however many processes see it', async () => {
    const all = await Promise.all([startProcess(), startProcess()]);
    await client.query('select pg_advisory_lock($1)', [TURN]);
    for (const name of ['a', 'b', 'c']) await addColumn(all[0]?.url ?? '', name);
    for (const { url } of all) expect((await fixture.request('alice', 'GET', `${url}${path}/schema`)).status).toBe(200);
    await client.query('select pg_advisory_unlock($1)', [TURN]);
    await eventually(async () => (await listed()).length === 0);
    for (const name of ['a', 'b', 'c']) expect(await indexesOf(name)).toEqual(complete);
    for (const { log } of all) expect(log()).toBe('');
  });

  it('that fails stays on the list, keeps nothing else waiting, and succeeds when its cause is gone', async () => {
    // too long for an entry of a btree, and not to be compressed
    const big = Array.from({ length: 20 }, () => randomBytes(500).toString('base64')).join('');
    await client.query('select pg_advisory_lock($1)', [TURN]);
    await addColumn(fixture.url, 'big');
    await addColumn(fixture.url, 'small');
    await query('update "S".t set big = $1', [big]);
    await client.query('select pg_advisory_unlock($1)', [TURN]);
    await eventually(async () => {
      const [only, ...others] = await listed();
      return others.length === 0 && Number(only?.failures) > 0;
    });
    expect(await listed()).toMatchObject([{ piece: { kind: 'index', plan: { kind: 'btree', columns: ['big'] } } }]);
    expect(await indexesOf('small')).toEqual(complete);
    await query(`update "S".t set big = 'x'`);
    await query('vacuum "S".t');
    await eventually(async () => (await listed()).length === 0);
    expect(await indexesOf('big')).toEqual(complete);
  });

  it('is given up for what is gone or cannot be indexed any more', async () => {
    await client.query('select pg_advisory_lock($1)', [TURN]);
    for (const name of ['gone', 'other']) await addColumn(fixture.url, name);
    const column = (name: string) => `${path}/schema/S/table/t/column/${name}`;
    expect((await fixture.request('alice', 'DELETE', column('gone'))).status).toBe(204);
    expect((await fixture.request('alice', 'PUT', column('other'), { type: 'json' })).status).toBe(200);
    await client.query('select pg_advisory_unlock($1)', [TURN]);
    await eventually(async () => (await listed()).length === 0);
    expect(await indexesOf('other')).toEqual([]);
  });

  async function validated(): Promise<boolean> {
    const [row] = await query(
      `select convalidated from pg_constraint where conrelid = '"S".t'::regclass and contype = 'f'`,
    );
    return row?.convalidated === true;
  }
});
