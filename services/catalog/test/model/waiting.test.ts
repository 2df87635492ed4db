import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { startCatalog } from '../support/catalog-fixture.js';
import { eventually } from '../support/eventually.js';

/** A catalog with a table `S:t`, and a connection to its database. */
async function openTable(environment: Readonly<Record<string, string>> = {}) {
  const fixture = await startCatalog({ environment });
  const path = await fixture.createCatalog();
  await fixture.request('alice', 'POST', `${path}/schema/S`);
  await fixture.request('alice', 'POST', `${path}/schema/S/table`, { table_name: 't' });
  const client = new pg.Client({ connectionString: await fixture.databaseUrl(path.slice('/catalog/'.length)) });
  await client.connect();
  return {
    fixture,
    path,
    client,
    addColumn: () => fixture.request('alice', 'POST', `${path}/schema/S/table/t/column`, { name: 'c', type: 'text' }),
    close: async () => {
      await client.end();
      await fixture.close();
    },
  };
}

type OpenTable = Awaited<ReturnType<typeof openTable>>;

/** A change that cannot have its lock gives up instead of keeping readers waiting behind it. */
describe('waiting for locks', () => {
  let table: OpenTable;
  beforeAll(async () => {
    table = await openTable({ LOCK_WAIT_SECONDS: '1' });
  });
  afterAll(() => table.close());

  it.each([
    ['a table somebody reads', 'lock table "S".t in access share mode'],
    ['a catalog somebody else changes', `select _catalog.begin_change(null, 1000)`],
  ])('ends in a 503 for %s', async (_what, statement) => {
    await table.client.query('begin');
    await table.client.query(statement);
    const answer = await table.addColumn();
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
    expect((await table.fixture.request('alice', 'GET', `${table.path}/schema/S/table/t`)).status).toBe(200);
    await table.client.query('rollback');
  });

  it('lets readers pass that come while it waits', async () => {
    await table.client.query('begin');
    await table.client.query('lock table "S".t in access share mode');
    const order: string[] = [];
    const change = table.addColumn().then(({ status }) => order.push(`change ${status}`));
    for (let count = 0; count < 5; count += 1) {
      const { status } = await table.fixture.request('alice', 'GET', `${table.path}/entity/S:t`);
      order.push(`read ${status}`);
    }
    await change;
    await table.client.query('rollback');
    expect(order).toEqual([...Array.from({ length: 5 }, () => 'read 200'), 'change 503']);
  });

  it('changes nothing, and succeeds when the lock is free', async () => {
    const before = await table.fixture.request('alice', 'GET', `${table.path}/schema/S/table/t/column/c`);
    expect(before.status).toBe(404);
    expect((await table.addColumn()).status).toBe(200);
  });
});

describe('waiting for autovacuum', () => {
  let table: OpenTable;
  beforeAll(async () => {
    table = await openTable();
  });
  afterAll(() => table.close());

  it('makes autovacuum give way', async () => {
    await table.client.query('insert into "S".t select from generate_series(1, 20000)');
    // one that takes minutes: a page or two, then a pause
    await table.client.query(`alter table "S".t set (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0,
      autovacuum_vacuum_cost_limit = 1, autovacuum_vacuum_cost_delay = 100)`);
    await table.client.query('delete from "S".t');
    const settings = async (naptime: string): Promise<void> => {
      await table.client.query(`alter system set autovacuum_naptime = ${naptime}`);
      await table.client.query('select pg_reload_conf()');
    };
    await settings("'1s'");
    try {
      const vacuums = `select from pg_stat_progress_vacuum where relid = '"S".t'::regclass`;
      await eventually(async () => (await table.client.query(vacuums)).rows.length === 1);
      expect((await table.addColumn()).status).toBe(200);
    } finally {
      await settings('default');
    }
  });
});
