import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';
import { eventually } from '../support/eventually.js';
import { type PastReader, pastReader } from './past-reader.js';

/** What is captured of changes that do not come through the service, and when nothing is (spec/catalog-access.md 12.4, 10.6). */
describe('capture of the history of rows', () => {
  let fixture: CatalogFixture;
  let past: PastReader;

  beforeAll(async () => {
    fixture = await startCatalog();
  });
  afterAll(() => fixture.close());
  beforeEach(async () => {
    past = await pastReader(fixture);
    await past.makeTable({ v: 'text' }, [
      { id: 1, v: 'one' },
      { id: 2, v: 'two' },
    ]);
  });

  const visible = (snapshot: string, columns = 'id,v') => past.rows(snapshot, `attribute/S:t/${columns}@sort(id)`);
  const initial = [
    { id: 1, v: 'one' },
    { id: 2, v: 'two' },
  ];
  const versions = async () => {
    const [row] = await past.sql(`select count(*)::int as n from _catalog."h_${await past.rid('schema/S/table/t')}"`);
    return row?.n;
  };

  describe('of SQL by hand', () => {
    it('makes a snapshot of its own for each transaction, which names the tables', async () => {
      const first = await past.now();
      await past.sql(`begin; update "S".t set v = 'x' where id = 1; delete from "S".t where id = 2; commit`);
      const second = await past.now();
      await past.sql(`insert into "S".t (id, v) values (3, 'three')`);
      expect(await visible(first)).toEqual(initial);
      expect(await visible(second)).toEqual([{ id: 1, v: 'x' }]);
      expect(await visible(await past.now())).toEqual([
        { id: 1, v: 'x' },
        { id: 3, v: 'three' },
      ]);
      const made = await past.sql(`select tables from _catalog.snap order by ts desc limit 2`);
      const table = await past.rid('schema/S/table/t');
      expect(made).toEqual([{ tables: [table] }, { tables: [table] }]);
    });

    it('keeps what TRUNCATE removes', async () => {
      const first = await past.now();
      await past.sql(`truncate "S".t`);
      expect(await visible(first)).toEqual(initial);
      expect(await visible(await past.now())).toEqual([]);
    });

    it('goes on under a new name, with a new column and with a dropped one', async () => {
      const first = await past.now();
      await past.sql(`do $$ begin alter table "S".t rename column v to w; perform _catalog.model_changed(); end $$`);
      const renamed = await past.now();
      await past.sql(`update "S".t set w = 'x' where id = 1`);
      const second = await past.now();
      await past.sql(`do $$ begin
        perform _catalog.keep_rows('"S".t');
        alter table "S".t drop column w, add column z int4 default 5;
      end $$`);
      const third = await past.now();
      await past.sql(`update "S".t set z = 6 where id = 2`);
      expect(await visible(first)).toEqual(initial);
      expect(await visible(renamed, 'id,w')).toEqual([
        { id: 1, w: 'one' },
        { id: 2, w: 'two' },
      ]);
      expect(await visible(second, 'id,w')).toEqual([
        { id: 1, w: 'x' },
        { id: 2, w: 'two' },
      ]);
      expect(await visible(third, 'id,z')).toEqual([
        { id: 1, z: 5 },
        { id: 2, z: 5 },
      ]);
      expect(await visible(await past.now(), 'id,z')).toContainEqual({ id: 2, z: 6 });
    });

    it('loses only values that only live rows had when a column is dropped without a word before', async () => {
      await past.done('PUT', '/attributegroup/S:t/id;v', [{ id: 1, v: 'new' }]);
      const [first] = [await past.now()];
      await past.done('PUT', '/attributegroup/S:t/id;v', [{ id: 1, v: 'newer' }]);
      await past.sql(`do $$ begin alter table "S".t drop column v; perform _catalog.model_changed(); end $$`);
      await past.now();
      expect(await visible(first)).toEqual([
        { id: 1, v: 'new' },
        { id: 2, v: null },
      ]);
    });

    it('converts values back where a type was changed without a word before', async () => {
      const first = await past.now();
      await past.sql(`do $$ begin
        alter table "S".t alter column id type text; perform _catalog.model_changed();
      end $$`);
      const second = await past.now();
      expect(await visible(first)).toEqual(initial);
      expect(await visible(second)).toEqual([
        { id: '1', v: 'one' },
        { id: '2', v: 'two' },
      ]);
    });

    it('begins with a table made by hand', async () => {
      await past.sql(`do $$ begin
        create table "S".hand ("RID" _catalog.rid not null unique default _catalog.next_rid(),
          "RCT" _catalog.rct not null default _catalog.now(), "RMT" _catalog.rmt not null default _catalog.now(),
          "RCB" _catalog.rcb default _catalog.client(), "RMB" _catalog.rmb default _catalog.client(), a int4);
        perform _catalog.model_changed();
      end $$`);
      await past.now();
      await past.done('POST', '/entity/S:hand', [{ a: 1 }]);
      const first = await past.now();
      await past.done('DELETE', '/entity/S:hand');
      expect(await past.rows(first, 'attribute/S:hand/a')).toEqual([{ a: 1 }]);
    });
  });

  it('gives way by hand to a change of the model that waits for the table', async () => {
    const operator = new pg.Client({ connectionString: await fixture.databaseUrl(past.id) });
    await operator.connect();
    try {
      await operator.query('begin');
      await operator.query('select from "S".t');
      const change = past.send('POST', '/schema/S/table/t/column', { name: 'late', type: 'text' });
      await eventually(async () => {
        const { length } = await past.sql(`select from pg_locks where not granted and relation = '"S".t'::regclass`);
        return length > 0;
      });
      await expect(operator.query(`update "S".t set v = 'x'`)).rejects.toMatchObject({ code: '40P01' });
      await operator.query('rollback');
      expect((await change).status).toBe(200);
    } finally {
      await operator.end();
    }
  });

  it('writes nothing for a row that one change writes twice', async () => {
    const before = await versions();
    await past.sql(`begin; insert into "S".t (id) values (7); update "S".t set v = 'a' where id = 7;
      update "S".t set v = 'b' where id = 7; delete from "S".t where id = 7; commit`);
    expect(await versions()).toBe(before);
  });

  it('writes the old row once when one change writes it twice', async () => {
    const before = await past.now();
    await past.sql(`begin; update "S".t set v = 'a' where id = 1; update "S".t set v = 'b' where id = 1; commit`);
    expect(await versions()).toBe(1);
    expect(await visible(before)).toEqual(initial);
    expect(await visible(await past.now())).toContainEqual({ id: 1, v: 'b' });
  });

  it('copies no row when a table is renamed, moved or gets a column', async () => {
    await past.done('PUT', '/schema/S/table/t', { table_name: 'u' });
    await past.done('POST', '/schema/S/table/u/column', { name: 'd', type: 'text', default: 'x' });
    await past.done('PUT', '/schema/S/table/u/column/d', { name: 'e', nullok: false });
    await past.done('PUT', '/schema/S/table/u', { table_name: 't' });
    expect(await versions()).toBe(0);
  });

  describe('switched off', () => {
    const mark = encodeURIComponent('tag:example.org,2020:history-capture');
    const capture = (value: boolean) => past.done('PUT', `/schema/S/table/t/annotation/${mark}`, value);

    it('hides the table from the snapshots in between, and only from these', async () => {
      const before = await past.now();
      await capture(false);
      const off = await past.now();
      await past.done('PUT', '/attributegroup/S:t/id;v', [{ id: 1, v: 'hidden' }]);
      const stillOff = await past.now();
      await past.done('DELETE', '/entity/S:t/id=2');
      await capture(true);
      const on = await past.now();
      await past.done('PUT', '/attributegroup/S:t/id;v', [{ id: 1, v: 'shown' }]);
      expect(await visible(before)).toEqual(initial);
      for (const at of [off, stillOff]) {
        expect((await past.send('GET', `@${at}/entity/S:t`)).status).toBe(409);
        expect((await past.send('GET', `@${at}/schema/S/table/t`)).status).toBe(404);
        expect((await past.send('GET', `@${at}/schema/S/table/t/column/v`)).status).toBe(404);
        expect(await past.done('GET', `@${at}/schema/S/table`)).toEqual([]);
      }
      expect(await visible(on)).toEqual([{ id: 1, v: 'hidden' }]);
      expect(await visible(await past.now())).toEqual([{ id: 1, v: 'shown' }]);
      expect((await past.send('GET', '/entity/S:t')).status).toBe(200);
    });

    it('captures nothing and leaves the table as it was for the live catalog', async () => {
      await capture(false);
      const before = await versions();
      await past.done('PUT', '/attributegroup/S:t/id;v', [{ id: 1, v: 'a' }]);
      await past.done('DELETE', '/entity/S:t/id=2');
      expect(await versions()).toBe(before);
      expect(await past.done('GET', '/attribute/S:t/id,v')).toEqual([{ id: 1, v: 'a' }]);
    });

    it('costs nothing when said again, and survives other annotations', async () => {
      await capture(false);
      const copies = await versions();
      await past.done('PUT', '/schema/S/table/t/annotation/other', 1);
      const off = await past.now();
      await capture(false);
      expect(await past.now()).toBe(off);
      expect(await versions()).toBe(copies);
      expect((await past.send('GET', `@${off}/entity/S:t`)).status).toBe(409);
    });

    it('hides the foreign keys from and to the table', async () => {
      const reference = (column: string, table: string) => ({
        foreign_key_columns: [{ column_name: column }],
        referenced_columns: [{ schema_name: 'S', table_name: table, column_name: 'RID' }],
      });
      await past.done('POST', '/schema/S/table', {
        table_name: 'u',
        column_definitions: [{ name: 't_rid', type: 'text' }],
        foreign_keys: [reference('t_rid', 't')],
      });
      await capture(false);
      const document = await past.done('GET', `@${await past.now()}/schema/S/table/u`);
      expect(document).toMatchObject({ foreign_keys: [] });
      expect(await past.done('GET', '/schema/S/table/u')).toMatchObject({ foreign_keys: [expect.anything()] });
    });

    it('from the beginning, makes no history until it is switched on', async () => {
      await past.done('POST', '/schema/S/table', {
        table_name: 'never',
        column_definitions: [{ name: 'a', type: 'int4' }],
        annotations: { 'tag:example.org,2020:history-capture': false },
      });
      await past.done('POST', '/entity/S:never', [{ a: 1 }]);
      const off = await past.now();
      const rid = await past.rid('schema/S/table/never');
      expect(await past.sql('select to_regclass($1) as relation', [`_catalog."h_${rid}"`])).toEqual([
        { relation: null },
      ]);
      await past.done('DELETE', `/schema/S/table/never/annotation/${mark}`);
      const on = await past.now();
      await past.done('PUT', '/attributegroup/S:never/RID;a', await withRid());
      expect((await past.send('GET', `@${off}/entity/S:never`)).status).toBe(409);
      expect(await past.rows(on, 'attribute/S:never/a')).toEqual([{ a: 1 }]);
      expect(await past.rows(await past.now(), 'attribute/S:never/a')).toEqual([{ a: 2 }]);
    });

    const withRid = async () => {
      const [row] = (await past.done('GET', '/attribute/S:never/RID')) as readonly { readonly RID: string }[];
      return [{ RID: row?.RID, a: 2 }];
    };
  });

  it('leaves out views and tables whose rows the service cannot follow', async () => {
    await past.sql(`do $$ begin
      create view "S".seen as select * from "S".t; create table "S".plain (a int4); perform _catalog.model_changed();
    end $$`);
    expect((await past.send('GET', '/schema/S/table/seen')).status).toBe(200);
    const at = await past.now();
    for (const name of ['seen', 'plain']) {
      expect((await past.send('GET', `@${at}/schema/S/table/${name}`)).status).toBe(404);
      expect((await past.send('GET', `@${at}/entity/S:${name}`)).status).toBe(409);
    }
  });

  it('makes no snapshot of a mere visit, and keeps the visitor', async () => {
    const before = await past.now();
    expect((await past.send('GET', '/entity/S:t', undefined, 'bob')).status).toBe(200);
    expect(await past.now()).toBe(before);
    await past.done('POST', '/entity/S:t', [{ id: 9 }]);
    await eventually(async () => {
      const visitors = await past.sql(`select "ID" from public."Catalog_Client" order by 1`);
      return JSON.stringify(visitors) === JSON.stringify([{ ID: 'alice' }, { ID: 'bob' }]);
    });
  });
});
