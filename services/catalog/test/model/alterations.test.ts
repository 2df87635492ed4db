import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';
import { expectPart } from '../support/expect-part.js';
import { type Speaker, snaptime, speaker } from './expect-answers.js';
import { expectSameAsDatabase } from './same-as-database.js';

/** PUT of schemas, tables, columns, keys and foreign keys (spec/catalog-model.md 11 to 16). */
describe.each(['standard', 'deriva'] as const)('alterations, profile %s', (profile) => {
  let fixture: CatalogFixture;
  let path: string;
  let ask: Speaker;
  const query = (text: string) => fixture.query(path.slice('/catalog/'.length), text);
  const typed = (name: string): unknown => (profile === 'standard' ? name : { typename: name });
  const putColumn = (name: string, body: unknown, status: number) =>
    ask('alice', 'PUT', `/schema/S/table/t/column/${name}`, body, status);
  const sameAsDatabase = () => expectSameAsDatabase(fixture, path.slice('/catalog/'.length));
  /** Expects the work to make no snapshot. */
  const unchanged = async (work: () => Promise<unknown>): Promise<void> => {
    const before = await snaptime(fixture, path);
    await work();
    expect(await snaptime(fixture, path)).toBe(before);
  };

  beforeAll(async () => {
    fixture = await startCatalog({ profile });
  });
  afterAll(() => fixture.close());

  /** A catalog of its own for each group of tests: a schema S with t and u, of which t refers to u. */
  async function setUp(): Promise<void> {
    path = await fixture.createCatalog();
    ask = speaker(fixture, path);
    await ask(
      'alice',
      'PUT',
      '/acl',
      { owner: ['alice'], select: ['*'], enumerate: ['*'] },
      profile === 'standard' ? 204 : 200,
    );
    const place = { schema_name: 'S' };
    await ask(
      'alice',
      'POST',
      '/schema',
      [
        place,
        { schema_name: 'D' },
        {
          ...place,
          table_name: 'u',
          column_definitions: [{ name: 'id', type: 'int4', nullok: false }],
          keys: [{ unique_columns: ['id'] }],
        },
        {
          ...place,
          table_name: 't',
          column_definitions: [
            { name: 'id', type: 'int8', nullok: false },
            { name: 'n', type: 'int4', default: 5 },
            { name: 'name', type: 'text', default: '7' },
            { name: 'tags', type: 'text[]' },
            { name: 'number', type: 'serial4' },
          ],
          keys: [{ unique_columns: ['id'] }],
          foreign_keys: [
            {
              foreign_key_columns: [{ column_name: 'n' }],
              referenced_columns: [{ ...place, table_name: 'u', column_name: 'id' }],
            },
          ],
        },
      ],
      201,
    );
    await query('insert into "S".u (id) values (5), (70000)');
    await query('insert into "S".t (id) values (1)');
  }

  describe('of a schema', () => {
    beforeAll(setUp);

    it('take a new name at once, and keep everything that is in it', async () => {
      const before = await ask('alice', 'GET', '/schema/S', undefined, 200);
      const { headers, json } = await ask(
        'alice',
        'PUT',
        '/schema/S',
        { schema_name: 'S 2', comment: 'C', annotations: { a: 1 } },
        200,
      );
      const rid = (before.json as { RID: string }).RID;
      expectPart(json, {
        RID: rid,
        schema_name: 'S 2',
        comment: 'C',
        annotations: { a: 1 },
        acls: {},
        tables: {
          t: { schema_name: 'S 2', keys: [{ names: [['S 2', 't_RID_key']] }, { names: [['S 2', 't_id_key']] }] },
        },
      });
      await ask('alice', 'GET', '/schema/S', undefined, 404);
      const after = await ask('alice', 'GET', '/schema/S%202', undefined, 200);
      expect(after.json).toEqual(json);
      expect(after.headers.get('etag')).toBe(headers.get('etag'));
      await sameAsDatabase();
      await ask('alice', 'PUT', '/schema/S%202', { schema_name: 'S' }, 200);
    });

    it('are refused by the statuses there are', async () => {
      await unchanged(async () => {
        await ask('alice', 'PUT', '/schema/nope', {}, 404);
        await ask('bob', 'PUT', '/schema/S', { comment: 'x' }, 403);
        await ask('anon', 'PUT', '/schema/S', { comment: 'x' }, 401);
        await ask('alice', 'PUT', '/schema/S', { schema_name: 'D' }, 409);
        await ask('alice', 'PUT', '/schema/S', { schema_name: 'pg_x' }, 409);
        for (const bad of [
          { schema_name: 1 },
          { schema_name: '' },
          { schema_name: 'x'.repeat(64) },
          { schema_name: null },
          [],
          'x',
        ])
          await ask('alice', 'PUT', '/schema/S', bad, 400);
        for (const bad of [
          { comment: 1 },
          { annotations: [] },
          { annotations: null },
          { acls: [] },
          { acls: { update: ['*'] } },
        ])
          await ask('alice', 'PUT', '/schema/S', bad, 400);
        await ask('alice', 'PUT', '/schema/S', { acls: { bogus: [] } }, 409);
        // one fault, and nothing of the rest happens
        await ask('alice', 'PUT', '/schema/S', { comment: 'new', schema_name: 'D' }, 409);
      });
    });

    it('that change nothing make no snapshot', async () => {
      await ask(
        'alice',
        'PUT',
        '/schema/S',
        { annotations: { zz: 1, a: { y: 1, x: 2 } }, acls: { create: ['bob'] } },
        200,
      );
      await unchanged(async () => {
        await ask('alice', 'PUT', '/schema/S', {}, 200);
        const same = {
          schema_name: 'S',
          comment: 'C',
          annotations: { a: { x: 2, y: 1 }, zz: 1 },
          acls: { create: ['bob'] },
        };
        await ask('alice', 'PUT', '/schema/S', { ...same, tables: 7 }, 200);
      });
    });

    it('leave their maker an owner', async () => {
      await ask('bob', 'POST', '/schema/B', undefined, 403);
      await ask('alice', 'PUT', '/schema/D', { acls: { owner: ['bob'] } }, 200);
      await ask('bob', 'PUT', '/schema/D', { acls: {} }, 403);
      await ask('bob', 'PUT', '/schema/D', { acls: { owner: ['g1'] } }, 200);
      await ask('alice', 'PUT', '/schema/D', { acls: {} }, 200);
    });
  });

  describe('of a table', () => {
    beforeAll(setUp);

    it('45: rename', async () => {
      const before = await ask('alice', 'GET', '/schema/S/table/t', undefined, 200);
      const { json, headers } = await ask('alice', 'PUT', '/schema/S/table/t', { table_name: 't2', comment: 'x' }, 200);
      const old = before.json as {
        readonly foreign_keys: readonly { readonly foreign_key_columns: readonly object[] }[];
      };
      expect(json).toEqual({
        ...old,
        table_name: 't2',
        comment: 'x',
        foreign_keys: old.foreign_keys.map((known) => ({
          ...known,
          foreign_key_columns: known.foreign_key_columns.map((column) => ({ ...column, table_name: 't2' })),
        })),
      });
      expect(old.foreign_keys).toHaveLength(1);
      await ask('alice', 'GET', '/schema/S/table/t', undefined, 404);
      const after = await ask('alice', 'GET', '/schema/S/table/t2', undefined, 200);
      expect(after.json).toEqual(json);
      expect(after.headers.get('etag')).toBe(headers.get('etag'));
      await sameAsDatabase();
    });

    it('move with all that belongs to them, by way of names that are taken', async () => {
      await ask('alice', 'POST', '/schema/D/table', { table_name: 't2' }, profile === 'standard' ? 200 : 201);
      await ask('alice', 'POST', '/schema/S/table', { table_name: 't' }, profile === 'standard' ? 200 : 201);
      // t2 is taken there, t is taken here
      await ask('alice', 'PUT', '/schema/S/table/t2', { schema_name: 'D' }, 409);
      await ask('alice', 'PUT', '/schema/S/table/t2', { table_name: 't' }, 409);
      const { json } = await ask(
        'alice',
        'PUT',
        '/schema/S/table/t2',
        { schema_name: 'D', table_name: 't', acls: { select: ['bob'] } },
        200,
      );
      expect(json).toMatchObject({
        schema_name: 'D',
        table_name: 't',
        acls: { select: ['bob'] },
        keys: [{ names: [['D', 't_RID_key']] }, { names: [['D', 't_id_key']] }],
        foreign_keys: [{ names: [['D', 't_n_fkey']], foreign_key_columns: [{ schema_name: 'D', table_name: 't' }] }],
      });
      await ask('alice', 'DELETE', '/schema/S/table/t', undefined, 204);
      await sameAsDatabase();
      const { json: row } = await ask('alice', 'GET', '/entity/D:t/id=1', undefined, 200);
      expect(row).toMatchObject([{ n: 5 }]);
      // references to a table that moves stay
      await ask('alice', 'PUT', '/schema/S/table/u', { schema_name: 'D' }, 200);
      const { json: moved } = await ask('alice', 'GET', '/schema/D/table/t', undefined, 200);
      expect(moved).toMatchObject({ foreign_keys: [{ referenced_columns: [{ schema_name: 'D', table_name: 'u' }] }] });
      await sameAsDatabase();
    });

    it('do not move where a constraint of theirs has no room', async () => {
      const key = {
        table_name: 'k',
        column_definitions: [{ name: 'a', type: 'text' }],
        keys: [{ names: [['', 'same']], unique_columns: ['a'] }],
      };
      await ask('alice', 'POST', '/schema/S/table', key, profile === 'standard' ? 200 : 201);
      await ask('alice', 'POST', '/schema/D/table', { ...key, table_name: 'k2' }, profile === 'standard' ? 200 : 201);
      await ask('alice', 'PUT', '/schema/S/table/k', { schema_name: 'D' }, 409);
    });

    it('are refused by the statuses there are', async () => {
      await ask('alice', 'PUT', '/schema/D', { acls: { owner: ['alice'] } }, 200);
      await ask('alice', 'PUT', '/schema/S/acl', { owner: ['bob'] }, profile === 'standard' ? 204 : 200);
      await unchanged(async () => {
        await ask('alice', 'PUT', '/schema/S/table/nope', { table_name: 'x' }, 404);
        await ask('bob', 'PUT', '/schema/D/table/t', { comment: 'x' }, 403);
        await ask('alice', 'PUT', '/schema/D/table/t', { schema_name: 'nope' }, 409);
        await ask('bob', 'PUT', '/schema/S/table/k', { schema_name: 'D' }, 403);
        for (const bad of [
          { table_name: 1 },
          { schema_name: 1 },
          { comment: [] },
          { acl_bindings: [] },
          { acl_bindings: null },
        ])
          await ask('alice', 'PUT', '/schema/D/table/t', bad, 400);
        await ask('alice', 'PUT', '/schema/D/table/t', { acls: { create: [] } }, 409);
        await ask(
          'alice',
          'PUT',
          '/schema/D/table/t',
          { schema_name: 'D', table_name: 't', kind: 'view', RID: 7 },
          200,
        );
        await ask(
          'alice',
          'PUT',
          '/schema/D/table/t',
          { annotations: { 'tag:isrd.isi.edu,2020:history-capture': 1 } },
          400,
        );
      });
      // bob owns S alone; where he may only create, he would lose the table, unless it names him
      await ask('alice', 'PUT', '/schema/D/acl/create', ['bob'], profile === 'standard' ? 204 : 200);
      const own = { acls: { owner: ['bob'] } };
      await ask('bob', 'PUT', '/schema/S/table/k', { schema_name: 'D', table_name: 'k3', ...own }, 409);
      await ask('bob', 'DELETE', '/schema/S/table/k/key/a', undefined, 204);
      await ask('bob', 'PUT', '/schema/S/table/k', { schema_name: 'D', table_name: 'k3' }, 403);
      await ask(
        'bob',
        'PUT',
        '/schema/S/table/k',
        { schema_name: 'D', table_name: 'k3', acls: { owner: ['bob'] } },
        200,
      );
      await sameAsDatabase();
    });
  });

  describe('of a column', () => {
    beforeAll(setUp);

    it('48: all of it or nothing', async () => {
      await query('update "S".t set n = 70000');
      await unchanged(() => putColumn('n', { type: { typename: 'int2' }, name: 'n2' }, 409));
      const { json } = await ask('alice', 'GET', '/schema/S/table/t/column/n', undefined, 200);
      expect(json).toMatchObject({ name: 'n', type: typed('int4') });
      await query('update "S".t set n = 5');
    });

    it('49: system columns are protected', async () => {
      await unchanged(async () => {
        await putColumn('RID', { nullok: true }, 400);
        await putColumn('RID', { type: 'rct' }, 400);
        await putColumn('RID', { type: 'text' }, 403);
        await putColumn('RID', { name: 'X' }, 403);
        await putColumn('RCB', { nullok: false }, 403);
        await putColumn('RCB', { default: 'x' }, 403);
        await ask('alice', 'DELETE', '/schema/S/table/t/column/RID', undefined, 403);
        await putColumn('RID', { name: 'RID', type: 'ermrest_rid', nullok: false, default: null }, 200);
      });
      const { json } = await putColumn(
        'RCB',
        { comment: 'who', annotations: { a: 1 }, acls: { enumerate: ['alice'] } },
        200,
      );
      expect(json).toMatchObject({ comment: 'who', annotations: { a: 1 }, acls: { enumerate: ['alice'] } });
    });

    it('name, type, default and nullok change together', async () => {
      await query(`update "S".t set name = '12'`);
      const before = await ask('alice', 'GET', '/schema/S/table/t/column/name', undefined, 200);
      const { json, headers } = await putColumn('name', { name: 'size', type: 'int4', nullok: false, default: 3 }, 200);
      expect(json).toMatchObject({
        RID: (before.json as { RID: string }).RID,
        name: 'size',
        type: typed('int4'),
        nullok: false,
        default: 3,
      });
      await ask('alice', 'GET', '/schema/S/table/t/column/name', undefined, 404);
      const after = await ask('alice', 'GET', '/schema/S/table/t/column/size', undefined, 200);
      expect([after.json, after.headers.get('etag')]).toEqual([json, headers.get('etag')]);
      await sameAsDatabase();
      await query('insert into "S".t (id) values (2)');
      expect(await query('select size from "S".t order by id')).toEqual([{ size: 12 }, { size: 3 }]);
      const { json: rows } = await ask('alice', 'GET', '/attribute/S:t/id=2/size', undefined, 200);
      expect(rows).toEqual([{ size: 3 }]);
    });

    it('the default goes with the type', async () => {
      expect((await putColumn('size', { type: 'text' }, 200)).json).toMatchObject({
        type: typed('text'),
        default: '3',
      });
      await unchanged(() => putColumn('size', { type: 'text', default: '3' }, 200));
      await putColumn('size', { default: 'three' }, 200);
      await query(`update "S".t set size = '4'`);
      await putColumn('size', { type: 'int4' }, 409);
      await putColumn('size', { type: 'int4', default: 'three' }, 400);
      await putColumn('size', { type: 'int4', default: null }, 200);
      await putColumn('size', { type: 'uuid' }, 409);
      await putColumn('size', { type: 'markdown', default: 'm' }, 200);
      await sameAsDatabase();
      expect(
        await query(
          `select pg_get_expr(adbin, adrelid) as d from pg_attrdef where adrelid = '"S".t'::regclass and pg_get_expr(adbin, adrelid) like '%m%markdown%'`,
        ),
      ).toHaveLength(1);
    });

    it('a default keeps all its digits', async () => {
      await query(`update "S".t set size = '1'`);
      await putColumn('size', { type: 'int8', default: '9007199254740993' }, 200);
      await putColumn('size', { type: 'numeric' }, 200);
      await putColumn('size', { type: 'text' }, 200);
      await query('insert into "S".t (id) values (3)');
      expect(await query('select size from "S".t where id = 3')).toEqual([{ size: '9007199254740993' }]);
      await query('delete from "S".t where id = 3');
      await putColumn('size', { type: 'markdown' }, 200);
    });

    it('nullok', async () => {
      await putColumn('size', { nullok: true }, 200);
      await query('update "S".t set size = null where id = 1');
      await putColumn('size', { nullok: false }, 409);
      await query(`update "S".t set size = 'x'`);
      await putColumn('size', { nullok: false }, 200);
      await unchanged(() => putColumn('size', { nullok: false }, 200));
      for (const bad of [{ nullok: 1 }, { nullok: null }]) await putColumn('size', bad, 400);
      await sameAsDatabase();
    });

    it('types that cannot be', async () => {
      await unchanged(async () => {
        await putColumn('size', { type: 'nosuch' }, 409);
        await putColumn('size', { type: 'serial4' }, 409);
        await putColumn('number', { type: 'int4' }, 409);
        await putColumn('number', { nullok: true }, 409);
        await putColumn('number', { default: 1 }, 409);
        await putColumn('number', { type: 'serial4', default: null, nullok: false }, 200);
        await putColumn('size', { type: 7 }, 400);
        await putColumn(
          'size',
          { type: { typename: 'text[]', is_array: true, base_type: { typename: 'text[]' } } },
          400,
        );
        await putColumn('size', { default: [1] }, 400);
        await putColumn('size', { name: 'n' }, 409);
        await putColumn('size', { name: 'xmin' }, 409);
        await putColumn('size', { name: 'RMB' }, 400);
        await putColumn('size', { name: 'x'.repeat(64) }, 400);
        await putColumn('nope', { comment: 'x' }, 404);
        await ask('bob', 'PUT', '/schema/S/table/t/column/size', { comment: 'x' }, 403);
        // json has no equality, so it cannot be in a key
        await putColumn('id', { type: 'json' }, 409);
        // the other side of the foreign key is an int4
        await putColumn('n', { type: 'text' }, 409);
      });
      await sameAsDatabase();
    });

    it('a column of a key and one of a foreign key may have another type that fits', async () => {
      await putColumn('id', { type: 'numeric' }, 200);
      await putColumn('n', { type: 'int8' }, 200);
      await sameAsDatabase();
      await ask('alice', 'PUT', '/schema/S/table/u/column/id', { type: 'int8' }, 200);
      await expect(query('insert into "S".t (id, n) values (9, 1)')).rejects.toThrow(/t_n_fkey/);
    });

    it('indexes that the new type cannot have go, the others stay', async () => {
      const indexes = async () => {
        const { json } = await ask('alice', 'GET', '/schema/S/table/t/column/tags', undefined, 200);
        const { RID: rid } = json as { RID: string };
        return (
          await query(
            `select substr(indexname, ${rid.length + 2}) as kind from pg_indexes where indexname like '${rid}\\_%' order by 1`,
          )
        ).map(({ kind }) => kind);
      };
      expect(await indexes()).toEqual(['btree', 'gin_array']);
      await putColumn('tags', { type: 'text' }, 200);
      expect(await indexes()).toEqual(['btree']);
      await putColumn('tags', { type: 'text[]' }, 200);
      await putColumn('tags', { type: 'json[]' }, 200);
      expect(await indexes()).toEqual([]);
      await sameAsDatabase();
    });

    it('indexes that are still to be built find the column and table under their new names', async () => {
      const created = profile === 'standard' ? 200 : 201;
      for (const name of ['l1', 'l2', 'l3'])
        await ask('alice', 'POST', '/schema/S/table/t/column', { name, type: 'text' }, created);
      await putColumn('l3', { name: 'late' }, 200);
      await ask('alice', 'PUT', '/schema/S/table/t', { table_name: 'moved', schema_name: 'D' }, 200);
      const wanted = ['l1', 'l2', 'late'].flatMap((name) => [`btree (${name})`, `gin (${name} _catalog.gin_trgm_ops)`]);
      let have: readonly unknown[] = [];
      for (let wait = 0; wait < 200 && !wanted.every((index) => have.includes(index)); wait += 1) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        const rows = await query(
          `select regexp_replace(indexdef, '^.* USING ', '') as index from pg_indexes where schemaname = 'D' and tablename = 'moved'`,
        );
        have = rows.map(({ index }) => index);
      }
      expect(have).toEqual(expect.arrayContaining(wanted));
      await ask('alice', 'PUT', '/schema/D/table/moved', { table_name: 't', schema_name: 'S' }, 200);
    });

    it('a view that reads the column forbids another type', async () => {
      await query('create view "S".v as select n from "S".t');
      const { text } = await putColumn('n', { type: 'int4' }, 409);
      expect(text).toContain('view');
      await query('drop view "S".v');
    });
  });

  describe('of a key', () => {
    beforeAll(setUp);

    it('change its name, comment and annotations', async () => {
      const key = '/schema/S/table/t/key/id';
      const { json } = await ask(
        'alice',
        'PUT',
        key,
        { names: [['ignored', 'the key']], comment: 'c', annotations: { a: 1 } },
        200,
      );
      expect(json).toMatchObject({
        names: [['S', 'the key']],
        unique_columns: ['id'],
        comment: 'c',
        annotations: { a: 1 },
      });
      expect((await ask('alice', 'GET', key, undefined, 200)).json).toEqual(json);
      await sameAsDatabase();
      await unchanged(async () => {
        for (const same of [
          {},
          { names: [] },
          { names: null },
          { names: [['', 'the key']], unique_columns: ['id'], comment: 'c' },
        ])
          await ask('alice', 'PUT', key, same, 200);
        await ask('alice', 'PUT', key, { unique_columns: ['n'] }, 400);
        await ask('alice', 'PUT', key, { names: [['S']] }, 400);
        await ask('alice', 'PUT', key, { names: [['S', 7]] }, 400);
        for (const taken of ['u', 't_n_fkey', 't_RID_key'])
          await ask('alice', 'PUT', key, { names: [['S', taken]] }, 409);
        await ask('alice', 'PUT', '/schema/S/table/t/key/n', { comment: 'x' }, 404);
        await ask('bob', 'PUT', key, { comment: 'x' }, 403);
      });
      await ask('alice', 'PUT', key, { comment: null }, 200);
    });
  });

  describe('of a foreign key', () => {
    beforeAll(setUp);
    const fkey = '/schema/S/table/t/foreignkey/n/reference/S:u/id';

    it('58: actions and access lists, without reading the rows', async () => {
      const before = await ask('alice', 'GET', fkey, undefined, 200);
      const old = profile === 'standard' ? before.json : (before.json as unknown[])[0];
      // a row that breaks the foreign key would be found by a check
      await query(
        `alter table "S".t disable trigger all; update "S".t set n = -1; alter table "S".t enable trigger all`,
      );
      const { json, headers } = await ask('alice', 'PUT', fkey, [{ on_update: 'SET NULL', acls: {} }], 200);
      expectPart(json, {
        ...(old as object),
        on_update: 'SET NULL',
        on_delete: 'NO ACTION',
        acls: {},
      });
      const after = await ask('alice', 'GET', fkey, undefined, 200);
      expect(after.json).toEqual(profile === 'standard' ? json : [json]);
      expect(after.headers.get('etag')).toBe(headers.get('etag'));
      await query('update "S".t set n = 5');
      await sameAsDatabase();
    });

    it('act in the database, and are validated there in time', async () => {
      await ask('alice', 'PUT', fkey, { on_delete: 'cascade', on_update: 'CASCADE', names: [['S', 'points']] }, 200);
      await sameAsDatabase();
      await query('update "S".u set id = 6 where id = 5');
      expect(await query('select n from "S".t')).toEqual([{ n: 6 }]);
      await expect(query('update "S".t set n = 7')).rejects.toThrow(/points/);
      await query('delete from "S".u where id = 6');
      expect(await query('select n from "S".t')).toEqual([]);
    });

    it('that say the same make no snapshot', async () => {
      const { json } = await ask('alice', 'GET', fkey, undefined, 200);
      await unchanged(async () => {
        for (const same of [[{}], {}, json, [{ names: [], foreign_key_columns: [{ column_name: 'n' }] }]])
          await ask('alice', 'PUT', fkey, same, 200);
      });
    });

    it('are refused by the statuses there are', async () => {
      const columns = (column_name: string, more = {}) => [{ column_name, ...more }];
      await unchanged(async () => {
        for (const bad of [[], [{}, {}], ['x'], 'x', [{ on_delete: 'EXPLODE' }], [{ acls: null }], [{ comment: 1 }]])
          await ask('alice', 'PUT', fkey, bad, 400);
        for (const other of [
          { foreign_key_columns: columns('id') },
          { foreign_key_columns: columns('n', { table_name: 'u' }) },
          { referenced_columns: columns('RID') },
          { foreign_key_columns: [] },
        ])
          await ask('alice', 'PUT', fkey, [other], 400);
        await ask('alice', 'PUT', fkey, [{ names: [['S', 'u_id_key']] }], 409);
        await ask('alice', 'PUT', fkey, [{ acls: { select: [] } }], 409);
        await ask('alice', 'PUT', '/schema/S/table/t/foreignkey/id/reference/S:u/id', [{}], 404);
        await ask('bob', 'PUT', fkey, [{ comment: 'x' }], 403);
      });
    });

    it('end validated', async () => {
      for (let wait = 0; wait < 100; wait += 1) {
        const [row] = await query(`select convalidated from pg_constraint where conname = 'points'`);
        if (row?.convalidated === true) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error('the foreign key was not validated');
    });
  });

  describe('of a view', () => {
    beforeAll(async () => {
      await setUp();
      await query(`create view "S".v as select id, n from "S".t; select _catalog.model_changed()`);
      await ask('alice', 'GET', '/schema/S/table/v', undefined, 200);
    });

    it('its name, schema and policy change, its columns do not', async () => {
      const { json } = await ask(
        'alice',
        'PUT',
        '/schema/S/table/v',
        { table_name: 'w', schema_name: 'D', comment: 'c' },
        200,
      );
      expect(json).toMatchObject({ table_name: 'w', schema_name: 'D', kind: 'view', comment: 'c' });
      expect(await query('select id from "D".w')).toEqual([{ id: '1' }]);
      const column = '/schema/D/table/w/column/n';
      for (const change of [{ name: 'm' }, { type: 'int8' }, { nullok: false }, { default: 1 }])
        await ask('alice', 'PUT', column, change, 409);
      const body = { name: 'n', comment: 'c', acl_bindings: { b: { types: ['select'], projection: 'n' } } };
      expect((await ask('alice', 'PUT', column, body, 200)).json).toMatchObject({
        comment: 'c',
        acl_bindings: { b: { types: ['select'], projection: 'n', projection_type: 'nonnull', scope_acl: ['*'] } },
      });
      await ask('alice', 'PUT', '/schema/S/table/t/column/n', { name: 'm' }, 200);
      expect(await query('select n from "D".w')).toEqual([{ n: 5 }]);
    });

    it('pseudo constraints are altered like real ones, and have names of their own', async () => {
      const created = profile === 'standard' ? 200 : 201;
      await ask('alice', 'POST', '/schema/D/table/w/key', { unique_columns: ['id'], names: [['', 'k']] }, created);
      await ask(
        'alice',
        'POST',
        '/schema/D/table/w/key',
        { unique_columns: ['id', 'n'], names: [['', 'k2']] },
        created,
      );
      const key = '/schema/D/table/w/key/id';
      expect((await ask('alice', 'PUT', key, { names: [['', 'k3']], comment: 'c' }, 200)).json).toMatchObject({
        names: [['', 'k3']],
        comment: 'c',
      });
      await ask('alice', 'PUT', key, { names: [['', 'k2']] }, 409);
      await ask('alice', 'PUT', key, { comment: null }, 200);
      const pseudo = {
        names: [['', 'f']],
        foreign_key_columns: [{ column_name: 'n' }],
        referenced_columns: [{ schema_name: 'S', table_name: 'u', column_name: 'id' }],
      };
      await ask('alice', 'POST', '/schema/D/table/w/foreignkey', pseudo, created);
      const path = '/schema/D/table/w/foreignkey/n/reference/S:u/id';
      const { json } = await ask('alice', 'PUT', path, [{ names: [['', 'g']], on_delete: 'CASCADE', acls: {} }], 200);
      expectPart(json, { names: [['', 'g']], acls: {} });
      expect(json).not.toHaveProperty('on_delete');
      const through = { types: ['select'], projection: [{ outbound: ['', 'g'] }, 'RID'] };
      await ask('alice', 'PUT', '/schema/D/table/w', { acl_bindings: { through } }, 200);
      await ask('alice', 'PUT', path, [{ names: [['', 'h']] }], 200);
      const { json: view } = await ask('alice', 'GET', '/schema/D/table/w', undefined, 200);
      expect(view).toMatchObject({ acl_bindings: { through: { projection: [{ outbound: ['', 'h'] }, 'RID'] } } });
      // moving takes no name from real constraints
      await ask('alice', 'PUT', '/schema/D/table/w', { schema_name: 'S' }, 200);
    });
  });

  it('of tables of the service work, except for what it needs', async () => {
    await setUp();
    const prefix = profile === 'standard' ? 'Catalog_' : 'ERMrest_';
    await ask('alice', 'PUT', `/schema/public/table/${prefix}Client/column/ID`, { name: 'x' }, 403);
    await ask('alice', 'PUT', `/schema/public/table/${prefix}RID_Lease`, { table_name: 'leases' }, 200);
    const json = { 'content-type': 'application/json' };
    const lease = await fixture.request('alice', 'POST', `${path}/entity/public:leases`, [{}], json);
    expect(lease.json).toMatchObject([{ RID: expect.any(String) }]);
  });
});
