import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';
import { type PastReader, pastReader } from './past-reader.js';

/** SQL by hand changes tables and rows, and more rows before the service has looked (spec/catalog-access.md 12.3, 12.4). */
describe('SQL by hand that the service has not looked at', () => {
  let fixture: CatalogFixture;
  let past: PastReader;

  beforeAll(async () => {
    fixture = await startCatalog();
  });
  afterAll(() => fixture.close());
  beforeEach(async () => {
    past = await pastReader(fixture);
    await past.makeTable({ v: 'text', w: 'text' }, initial);
  });

  const initial = [
    { id: 1, v: 'one', w: 'A' },
    { id: 2, v: 'two', w: 'B' },
  ];
  const visible = (snapshot: string) => past.rows(snapshot, 'attribute/S:t/id,v,w@sort(id)');
  const keepAndRetype = `select _catalog.keep_rows('"S".t'); alter table "S".t alter w type varchar`;

  it.each([
    ['in the same transaction', `begin; ${keepAndRetype}; update "S".t set v = 'x'; delete from "S".t; commit`],
    ['in the next one', `begin; ${keepAndRetype}; commit; update "S".t set v = 'x'; delete from "S".t`],
    ['when nothing else is changed', `select _catalog.keep_rows('"S".t'); truncate "S".t`],
  ])('shows rows of the past once that were kept and then changed %s', async (_, statements) => {
    const first = await past.now();
    await past.sql(statements);
    expect(await visible(first)).toEqual(initial);
    expect(await visible(await past.now())).toEqual([]);
  });

  it('keeps rows that the service changes after they were kept for nothing', async () => {
    const first = await past.now();
    await past.sql(`select _catalog.keep_rows('"S".t')`);
    await past.done('PUT', '/attributegroup/S:t/id;v', [{ id: 1, v: 'x' }]);
    expect(await visible(first)).toEqual(initial);
  });

  it('keeps what two columns had that are dropped one after the other', async () => {
    const first = await past.now();
    const drop = (name: string) => `select _catalog.keep_rows('"S".t'); alter table "S".t drop column ${name}`;
    await past.sql(`begin; ${drop('v')}; ${drop('w')}; commit`);
    expect(await visible(first)).toEqual(initial);
  });

  it('does not take values under the names that columns had before', async () => {
    const swap = `alter table "S".t rename v to x; alter table "S".t rename w to v; alter table "S".t rename x to w;
      select _catalog.model_changed()`;
    const first = await past.now();
    await expect(past.sql(`begin; ${swap}; update "S".t set id = id + 10; commit`)).rejects.toThrow('renamed by hand');
    await expect(past.sql(`begin; ${swap}; select _catalog.keep_rows('"S".t')`)).rejects.toThrow('renamed by hand');
    await past.sql(`begin; ${swap}; insert into "S".t (id) values (3); commit`);
    await expect(past.sql(`truncate "S".t`)).rejects.toThrow('renamed by hand');
    expect(await visible(await past.now())).toHaveLength(3);
    await past.sql(`truncate "S".t`);
    expect(await visible(first)).toEqual(initial);
  });

  it('does not pass over a table that has another name by then', async () => {
    const first = await past.now();
    const rename = 'alter table "S".t rename to other';
    await expect(past.sql(`begin; ${rename}; select _catalog.keep_rows('"S".other')`)).rejects.toThrow('was renamed');
    await past.sql(`begin; select _catalog.keep_rows('"S".t'); ${rename}; alter table "S".other drop column w; commit`);
    expect(await visible(first)).toEqual(initial);
  });

  it('sets when a row was changed, whatever the statement says', async () => {
    const operator = new pg.Client({ connectionString: await fixture.databaseUrl(past.id) });
    await operator.connect();
    try {
      await operator.query('begin');
      await past.done('POST', '/entity/S:t', [{ id: 3 }]);
      const second = await past.now();
      // the beginning of the transaction, when the third row was not there yet
      await operator.query(`update "S".t set v = 'x', "RMT" = now() where id < 3`);
      await operator.query(`update "S".t set "RMT" = '2100-01-01' where id = 1`);
      await operator.query('commit');
      expect(await visible(second)).toEqual([...initial, { id: 3, v: null, w: null }]);
      expect(await past.rows(await past.now(), 'attribute/S:t/id,v@sort(id)')).toEqual([
        { id: 1, v: 'x' },
        { id: 2, v: 'x' },
        { id: 3, v: null },
      ]);
    } finally {
      await operator.end();
    }
  });
});
