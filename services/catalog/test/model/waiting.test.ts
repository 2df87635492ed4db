import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';
import { eventually } from '../support/eventually.js';

/** A change that cannot have its lock gives up instead of keeping readers waiting behind it. */
describe('waiting for locks', () => {
  let fixture: CatalogFixture;
  let path: string;
  let client: pg.Client;

  beforeAll(async () => {
    fixture = await startCatalog({ environment: { LOCK_WAIT_SECONDS: '1' } });
    path = await fixture.createCatalog();
    await fixture.request('alice', 'POST', `${path}/schema/S`);
    await fixture.request('alice', 'POST', `${path}/schema/S/table`, { table_name: 't' });
    client = new pg.Client({ connectionString: await fixture.databaseUrl(path.slice('/catalog/'.length)) });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await fixture.close();
  });

  const addColumn = () =>
    fixture.request('alice', 'POST', `${path}/schema/S/table/t/column`, { name: 'c', type: 'text' });

  it.each([
    ['a table somebody reads', 'lock table "S".t in access share mode'],
    ['a catalog somebody else changes', `select _catalog.begin_change(null, 1000)`],
  ])('ends in a 503 for %s', async (_what, statement) => {
    await client.query('begin');
    await client.query(statement);
    const answer = await addColumn();
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
    expect((await fixture.request('alice', 'GET', `${path}/schema/S/table/t`)).status).toBe(200);
    await client.query('rollback');
  });

  it('lets readers pass that come while it waits', async () => {
    await client.query('begin');
    await client.query('lock table "S".t in access share mode');
    const order: string[] = [];
    const change = addColumn().then(({ status }) => order.push(`change ${status}`));
    for (let count = 0; count < 5; count += 1) {
      const { status } = await fixture.request('alice', 'GET', `${path}/entity/S:t`);
      order.push(`read ${status}`);
    }
    await change;
    await client.query('rollback');
    expect(order).toEqual([...Array.from({ length: 5 }, () => 'read 200'), 'change 503']);
  });

  it('changes nothing, and succeeds when the lock is free', async () => {
    const before = await fixture.request('alice', 'GET', `${path}/schema/S/table/t/column/c`);
    expect(before.status).toBe(404);
    expect((await addColumn()).status).toBe(200);
  });

  it('makes autovacuum give way', async () => {
    await client.query('insert into "S".t select from generate_series(1, 20000)');
    // one that takes minutes: a page or two, then a pause
    await client.query(`alter table "S".t set (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0,
      autovacuum_vacuum_cost_limit = 1, autovacuum_vacuum_cost_delay = 100)`);
    await client.query('delete from "S".t');
    const settings = async (naptime: string): Promise<void> => {
      await client.query(`alter system set autovacuum_naptime = ${naptime}`);
      await client.query('select pg_reload_conf()');
    };
    await settings("'1s'");
    try {
      const vacuums = `select from pg_stat_progress_vacuum where relid = '"S".t'::regclass`;
      await eventually(async () => (await client.query(vacuums)).rows.length === 1);
      const drop = await fixture.request('alice', 'DELETE', `${path}/schema/S/table/t/column/c`);
      expect(drop.status).toBe(204);
    } finally {
      await settings('default');
    }
  });
});
