import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';
import { type Speaker, snaptime, speaker } from './expect-answers.js';

const place = { schema_name: 'S' };
const D = '/schema/S/table/D';
const fkey = `${D}/foreignkey/c_id/reference/S:Cat/id`;

/** Tables of spec/catalog-access.md 13: D refers to Cat. */
const model = [
  place,
  { schema_name: 'M' },
  {
    ...place,
    table_name: 'Cat',
    column_definitions: [
      { name: 'id', type: 'int4', nullok: false },
      { name: 'ACL', type: 'text[]' },
    ],
    keys: [{ unique_columns: ['id'] }],
  },
  {
    ...place,
    table_name: 'D',
    column_definitions: [
      { name: 'id', type: 'int4', nullok: false },
      { name: 'name', type: 'text' },
      { name: 'member', type: 'text' },
      { name: 'c_id', type: 'int4' },
      { name: 'val', type: 'int4' },
      { name: 'doc', type: 'json' },
    ],
    keys: [{ unique_columns: ['id'] }],
    foreign_keys: [
      {
        names: [['S', 'd_c']],
        foreign_key_columns: [{ column_name: 'c_id' }],
        referenced_columns: [{ ...place, table_name: 'Cat', column_name: 'id' }],
      },
    ],
  },
];

const outbound = { outbound: ['S', 'd_c'] };
const travelling = { types: ['select'], projection: [outbound, 'ACL'] };

/** Documents and lives of ACL bindings (spec/catalog-access.md 7, spec/catalog-model.md 19.5); what they do to rows is tested elsewhere. */
describe.each(['standard', 'deriva'] as const)('ACL bindings, profile %s', (profile) => {
  let fixture: CatalogFixture;
  let path: string;
  let ask: Speaker;
  const put = profile === 'standard' ? 204 : 200;
  const made = profile === 'standard' ? 200 : 201;
  const bindingsOf = async (subject: string): Promise<unknown> =>
    (await ask('alice', 'GET', `${subject}/acl_binding`, undefined, 200)).json;
  const ids = async (as: 'alice' | 'bob' | 'anon'): Promise<unknown> => {
    const { json } = await ask(as, 'GET', '/attribute/S:D/id@sort(id)', undefined, 200);
    return (json as { id: number }[]).map(({ id }) => id);
  };

  const ridOf = async (column: string): Promise<unknown> =>
    ((await ask('alice', 'GET', `${D}/column/${column}`, undefined, 200)).json as { RID: string }).RID;

  async function setUp(): Promise<void> {
    path = await fixture.createCatalog();
    ask = speaker(fixture, path);
    await ask('alice', 'PUT', '/acl', { owner: ['alice'], select: ['*'], enumerate: ['*'] }, put);
    await ask('alice', 'POST', '/schema', model, 201);
    await fixture.query(
      path.slice('/catalog/'.length),
      `insert into "S"."D" (id, member) values (11, '*'), (12, 'bob'), (13, 'carol'), (14, null)`,
    );
  }

  beforeAll(async () => {
    fixture = await startCatalog({ profile });
  });
  afterAll(() => fixture.close());

  describe('as documents', () => {
    beforeAll(setUp);
    const single = (body: unknown, status: number) => ask('alice', 'PUT', `${D}/acl_binding/b`, body, status);
    const select = (projection: unknown, more = {}): unknown => ({ types: ['select'], projection, ...more });

    it('4 to 10: set, shown with their defaults, at work on rows, for owners only', async () => {
      await ask('alice', 'PUT', `${D}/acl`, { select: [] }, put);
      const answer = await ask('alice', 'PUT', `${D}/acl_binding/own`, { types: ['owner'], projection: 'member' }, put);
      const full = { types: ['owner'], projection: 'member', projection_type: 'acl', scope_acl: ['*'] };
      if (profile === 'deriva') expect(answer.json).toEqual(full);
      else expect(answer.text).toBe('');
      const { json, headers } = await ask('alice', 'GET', `${D}/acl_binding/own`, undefined, 200);
      expect(json).toEqual(full);
      expect(headers.get('etag')).toBe(answer.headers.get('etag'));
      expect(await bindingsOf(D)).toEqual({ own: full });
      expect((await ask('alice', 'GET', `${D}/acl_binding/`, undefined, 200)).json).toEqual({ own: full });
      expect([await ids('bob'), await ids('anon')]).toEqual([[11, 12], [11]]);
      const { json: table } = await ask('bob', 'GET', D, undefined, 200);
      expect(table).toMatchObject({
        rights: { select: null, update: null, delete: null, insert: false, owner: false },
      });
      expect(table).not.toHaveProperty('acl_bindings');
      await ask('bob', 'GET', `${D}/acl_binding`, undefined, 403);
      await ask('bob', 'PUT', `${D}/acl_binding/own`, false, 403);
      await ask('bob', 'DELETE', `${D}/acl_binding`, undefined, 403);
      await ask('anon', 'GET', `${D}/acl_binding`, undefined, 401);
      expect((await ask('alice', 'GET', D, undefined, 200)).json).toMatchObject({ acl_bindings: { own: full } });
    });

    it('23, 24: forms that are none', async () => {
      const before = await snaptime(fixture, path);
      await single({ types: ['insert'], projection: 'member' }, 400);
      for (const bad of [
        { types: [], projection: 'member' },
        { types: ['select'] },
        { types: ['select'], projection: 'member', x: 1 },
        { projection: 'member' },
        { types: 'select', projection: 'member' },
        { types: ['select', 'bogus'], projection: 'member' },
        select(null),
        select([]),
        select(7),
        select({}),
        select([7]),
        select([outbound]),
        select(['member', 'member']),
        select('member', { projection_type: 'x' }),
        select('member', { projection_type: null }),
        select('member', { scope_acl: [] }),
        select('member', { scope_acl: 'bob' }),
        select('member', { scope_acl: [7] }),
        select('member', { scope_acl: null }),
        select('member', { comment: 7 }),
        true,
        'x',
        7,
        [],
      ])
        await single(bad, 400);
      expect(await snaptime(fixture, path)).toBe(before);
    });

    it('25 to 27: names and types of projections', async () => {
      await single(select('nope'), 409);
      await single(select('val', { projection_type: 'acl' }), 409);
      await single(select('val'), put);
      const defaults = { projection_type: 'nonnull', scope_acl: ['*'] };
      expect((await ask('alice', 'GET', `${D}/acl_binding/b`, undefined, 200)).json).toEqual(select('val', defaults));
      await single(select(['RID']), put);
      expect(await bindingsOf(D)).toMatchObject({ b: { projection: ['RID'], projection_type: 'acl' } });
      await single(select('RCT', { comment: 'c', scope_acl: ['staff', '*'] }), put);
      expect(await bindingsOf(D)).toMatchObject({
        b: { projection_type: 'nonnull', comment: 'c', scope_acl: ['staff', '*'] },
      });
    });

    it('28 to 30: links', async () => {
      await single(travelling, put);
      expect(await bindingsOf(D)).toMatchObject({ b: { projection: [outbound, 'ACL'], projection_type: 'acl' } });
      await single(select([{ inbound: ['S', 'd_c'] }, 'ACL']), 409);
      await single(select([{ outbound: ['S', 'nope'] }, 'ACL']), 409);
      await single(select([{ outbound: ['M', 'd_c'] }, 'ACL']), 409);
      await single(select([outbound, 'member']), 409);
      for (const bad of [
        { outbound: 'd_c' },
        { outbound: ['d_c'] },
        { outbound: ['S', 'd_c', 'x'] },
        { outbound: ['S', 7] },
        { outbound: null },
        { ...outbound, inbound: ['S', 'd_c'] },
        { ...outbound, context: 'unbound' },
        { ...outbound, context: 7 },
        { ...outbound, alias: 7 },
        { ...outbound, alias: 'base' },
        { ...outbound, bogus: 1 },
        {},
        [],
        null,
      ])
        await single(select([bad, 'ACL']), 400);
      await single(select([{ ...outbound, alias: 'a' }, { ...outbound, context: 'base', alias: 'a' }, 'ACL']), 400);
      const there = [
        { ...outbound, alias: 'cat' },
        { inbound: ['S', 'd_c'], alias: 'others' },
        { filter: ['cat', 'id'], operator: 'gt', operand: 1 },
        { filter: [null, 'val'], operand: 2 },
        { filter: ['base', 'val'], operator: '::null::', negate: true },
        { ...outbound, context: 'base' },
        { filter: ['id'], operator: '::leq::', operand: '7' },
        {
          or: [
            { filter: 'id', operand: 7 },
            { and: [{ filter: ['others', 'name'], operator: 'ciregexp', operand: '^x' }] },
          ],
        },
        'ACL',
      ];
      await single(select(there), put);
      expect(await bindingsOf(D)).toMatchObject({ b: { projection: there } });
    });

    it('31, 32: filters', async () => {
      const filter = (step: unknown, status: number) => single(select([step, 'RID']), status);
      await filter({ filter: 'val', operand: 'abc' }, 400);
      await filter(
        {
          and: [
            { filter: 'val', operand: 1 },
            { filter: 'name', operator: 'null', negate: true },
          ],
        },
        put,
      );
      for (const bad of [
        { filter: 'val' },
        { filter: 'val', operand: 1.5 },
        { filter: 'val', operand: null },
        { filter: 'val', operand: [1] },
        { filter: 'val', operand: 1, operator: 'like' },
        { filter: 'val', operand: 1, operator: 7 },
        { filter: 'val', operand: 1, operator: 'null' },
        { filter: 'val', operand: 1, negate: 'yes' },
        { filter: 'val', operand: 1, bogus: 1 },
        { filter: ['x', 'val'], operand: 1 },
        { filter: [1, 'val'], operand: 1 },
        { filter: ['base', 'val', 'val'], operand: 1 },
        { filter: [], operand: 1 },
        { filter: 7, operand: 1 },
        { filter: 'RCT', operand: 'never' },
        { filter: 'RCT', operand: '2020-13-01' },
        { filter: 'name', operator: 'regexp', operand: '(' },
        { and: [] },
        { and: {} },
        { or: [outbound] },
        { and: [{ filter: 'val', operand: 1 }], or: [{ filter: 'val', operand: 1 }] },
      ])
        await filter(bad, 400);
      await filter({ filter: 'nope', operand: 1 }, 409);
      await filter({ filter: 'doc', operand: 1 }, 409);
      await filter({ filter: 'name' }, put);
      await filter({ filter: 'val', operand: 10 ** 12 }, put);
      await filter({ filter: 'RCT', operator: 'geq', operand: '2020-01-01' }, put);
      await filter({ filter: 'doc', operator: 'null' }, put);
      await filter({ filter: 'name', operand: true, negate: true }, put);
    });

    it('are set all at once, switched off and removed', async () => {
      const text = '{"a": {"types": ["update"], "projection": "member"}, "off": false, "__proto__": false}';
      const answer = await ask('alice', 'PUT', `${D}/acl_binding`, text, put);
      if (profile === 'deriva') expect(answer.json).toMatchObject({ off: false, a: { scope_acl: ['*'] } });
      const now = await ask('alice', 'GET', `${D}/acl_binding`, undefined, 200);
      expect(Object.keys(now.json as object).sort()).toEqual(Object.keys(JSON.parse(text) as object).sort());
      expect((await ask('alice', 'GET', `${D}/acl_binding/off`, undefined, 200)).json).toBe(false);
      expect((await ask('alice', 'GET', `${D}/acl_binding/__proto__`, undefined, 200)).json).toBe(false);
      await ask('alice', 'GET', `${D}/acl_binding/toString`, undefined, 404);
      for (const bad of [[], 'x', { a: null }, { a: [] }, { a: true }])
        await ask('alice', 'PUT', `${D}/acl_binding`, bad, 400);
      await ask('alice', 'DELETE', `${D}/acl_binding/off`, undefined, 204);
      await ask('alice', 'DELETE', `${D}/acl_binding/off`, undefined, 404);
      await ask('alice', 'PUT', `${D}/acl_binding/a`, 'null', put);
      await ask('alice', 'GET', `${D}/acl_binding/a`, undefined, 404);
      const before = await snaptime(fixture, path);
      await ask('alice', 'PUT', `${D}/acl_binding/a`, 'null', put);
      await ask('alice', 'PUT', `${D}/acl_binding/__proto__`, 'false', put);
      expect(await snaptime(fixture, path)).toBe(before);
      await ask('alice', 'DELETE', `${D}/acl_binding`, undefined, 204);
      expect(await bindingsOf(D)).toEqual({});
    });

    it('34: on columns', async () => {
      const column = `${D}/column/val`;
      await ask(
        'alice',
        'PUT',
        `${column}/acl_binding`,
        { own: false, mine: { types: ['select'], projection: 'member' } },
        put,
      );
      expect(await bindingsOf(column)).toMatchObject({
        own: false,
        mine: { projection: 'member', projection_type: 'acl' },
      });
      expect((await ask('alice', 'GET', column, undefined, 200)).json).toMatchObject({ acl_bindings: { own: false } });
      await ask('alice', 'PUT', `${column}/acl_binding/x`, { types: ['insert'], projection: 'member' }, 400);
    });

    it('38: on foreign keys, from the table that is referred to', async () => {
      await ask('alice', 'PUT', `${D}/acl`, {}, put);
      await ask('alice', 'PUT', `${fkey}/acl_binding/b`, { types: ['insert'], projection: 'ACL' }, put);
      expect(await bindingsOf(fkey)).toMatchObject({ b: { projection: 'ACL', projection_type: 'acl' } });
      await ask('alice', 'PUT', `${fkey}/acl_binding/c`, { types: ['insert'], projection: 'member' }, 409);
      await ask('alice', 'PUT', `${fkey}/acl_binding/c`, { types: ['select'], projection: 'ACL' }, 400);
      await ask(
        'alice',
        'PUT',
        `${fkey}/acl_binding/c`,
        { types: ['owner', 'update'], projection: [{ inbound: ['S', 'd_c'] }, 'member'] },
        put,
      );
      await ask('bob', 'GET', `${fkey}/acl_binding`, undefined, 403);
    });

    it('other elements have none', async () => {
      for (const subject of ['', '/schema/S', `${D}/key/id`]) {
        await ask('alice', 'GET', `${subject}/acl_binding`, undefined, 404);
        await ask('alice', 'PUT', `${subject}/acl_binding/b`, false, 404);
      }
      await ask('alice', 'GET', `${D}/acl_binding/b/`, undefined, 404);
      await ask('alice', 'POST', `${D}/acl_binding`, {}, 405);
    });

    it('use nothing that their writer cannot see', async () => {
      await ask('alice', 'PUT', `${D}/acl`, { owner: ['bob'] }, put);
      await ask('bob', 'PUT', `${D}/acl_binding/b`, travelling, put);
      await ask('alice', 'PUT', '/schema/S/table/Cat/column/ACL/acl', { enumerate: [] }, put);
      await ask('bob', 'PUT', `${D}/acl_binding/c`, travelling, 409);
      await ask('alice', 'PUT', `${D}/acl_binding/c`, travelling, put);
      await ask('alice', 'PUT', '/schema/S/table/Cat/acl', { enumerate: [], select: [] }, put);
      await ask(
        'bob',
        'PUT',
        `${D}/acl_binding/d`,
        { types: ['select'], projection: [outbound, { inbound: ['S', 'd_c'] }, 'member'] },
        409,
      );
      // and what is there works on, for readers who cannot see it
      expect(await bindingsOf(D)).toMatchObject({ b: { projection: [outbound, 'ACL'] } });
    });
  });

  describe('inside documents', () => {
    beforeAll(setUp);

    it('may travel foreign keys that the same request makes', async () => {
      const wide = {
        ...place,
        table_name: 'wide',
        column_definitions: [
          {
            name: 'to',
            type: 'int4',
            acl_bindings: { c: { types: ['select'], projection: [{ outbound: ['S', 'w'] }, 'ACL'] } },
          },
        ],
        acl_bindings: {
          t: { types: ['owner'], projection: [{ outbound: ['S', 'w'] }, { inbound: ['S', 'w2'] }, 'who'] },
        },
      };
      const later = {
        ...place,
        table_name: 'later',
        column_definitions: [
          { name: 'from', type: 'int4' },
          { name: 'who', type: 'text' },
        ],
        foreign_keys: [
          {
            names: [['S', 'w2']],
            foreign_key_columns: [{ column_name: 'from' }],
            referenced_columns: [{ ...place, table_name: 'Cat', column_name: 'id' }],
            acl_bindings: { f: { types: ['insert'], projection: [{ inbound: ['S', 'w'] }, 'to'] } },
          },
        ],
      };
      const link = {
        names: [['S', 'w']],
        foreign_key_columns: [{ ...place, table_name: 'wide', column_name: 'to' }],
        referenced_columns: [{ ...place, table_name: 'Cat', column_name: 'id' }],
      };
      const { json } = await ask('alice', 'POST', '/schema', [wide, later, link], 201);
      expect(json).toMatchObject([
        { acl_bindings: { t: { projection_type: 'acl', scope_acl: ['*'] } } },
        { foreign_keys: [{ acl_bindings: { f: { projection_type: 'nonnull' } } }] },
      ]);
      expect((json as { column_definitions: object[] }[])[0]?.column_definitions).toEqual(
        expect.arrayContaining([expect.objectContaining({ name: 'to', acl_bindings: { c: expect.anything() } })]),
      );
    });

    it('a fault in one of them undoes the whole request', async () => {
      const bad = { table_name: 'bad', acl_bindings: { b: { types: ['select'], projection: 'nope' } } };
      await ask('alice', 'POST', '/schema', [{ schema_name: 'X' }, { schema_name: 'X', ...bad }], 409);
      await ask('alice', 'GET', '/schema/X', undefined, 404);
      await ask('alice', 'POST', '/schema/S/table', bad, 409);
      await ask('alice', 'POST', '/schema/S/table', { ...bad, acl_bindings: [] }, 400);
      await ask('alice', 'POST', '/schema/S/table', { ...bad, acl_bindings: { b: null } }, 400);
      await ask('alice', 'GET', '/schema/S/table/bad', undefined, 404);
    });

    it('of new columns and foreign keys', async () => {
      const column = { name: 'who', type: 'text', acl_bindings: { b: { types: ['select'], projection: 'who' } } };
      const { json } = await ask('alice', 'POST', `${D}/column`, column, made);
      expect(json).toMatchObject({ acl_bindings: { b: { projection: 'who', projection_type: 'acl' } } });
      await ask('alice', 'DELETE', fkey, undefined, 204);
      const foreignKey = {
        names: [['S', 'd_c']],
        foreign_key_columns: [{ column_name: 'c_id' }],
        referenced_columns: [{ ...place, table_name: 'Cat', column_name: 'id' }],
        acl_bindings: { b: { types: ['insert'], projection: 'ACL' } },
      };
      await ask('alice', 'POST', `${D}/foreignkey`, { ...foreignKey, acl_bindings: { b: travelling } }, 400);
      const answer = await ask('alice', 'POST', `${D}/foreignkey`, foreignKey, made);
      const document = profile === 'standard' ? answer.json : (answer.json as unknown[])[0];
      expect(document).toMatchObject({ acl_bindings: { b: { projection: 'ACL' } } });
    });

    it('of alterations, which replace them all and mean the names before', async () => {
      const { json } = await ask(
        'alice',
        'PUT',
        D,
        { acl_bindings: { a: travelling, b: false }, table_name: 'D2' },
        200,
      );
      expect(json).toMatchObject({
        table_name: 'D2',
        acl_bindings: { a: { projection: [outbound, 'ACL'] }, b: false },
      });
      const before = await snaptime(fixture, path);
      const own = { types: ['select'], projection: 'member' };
      await ask('alice', 'PUT', '/schema/S/table/D2', { acl_bindings: { a: travelling, b: false } }, 200);
      await ask('alice', 'PUT', '/schema/S/table/D2', { acl_bindings: { a: own }, table_name: 'Cat' }, 409);
      expect(await snaptime(fixture, path)).toBe(before);
      const altered = await ask(
        'alice',
        'PUT',
        '/schema/S/table/D2/column/member',
        { name: 'owner_id', acl_bindings: { o: own } },
        200,
      );
      expect(altered.json).toMatchObject({ name: 'owner_id', acl_bindings: { o: { projection: 'owner_id' } } });
      const path2 = '/schema/S/table/D2/foreignkey/c_id/reference/S:Cat/id';
      const f = await ask(
        'alice',
        'PUT',
        path2,
        [{ acl_bindings: { f: { types: ['update'], projection: 'id' } }, on_delete: 'CASCADE' }],
        200,
      );
      expect(f.json).toMatchObject({ acl_bindings: { f: { projection_type: 'nonnull' } }, on_delete: 'CASCADE' });
      await ask('alice', 'PUT', path2, [{ acl_bindings: {} }], 200);
      expect(await bindingsOf(path2)).toEqual({});
    });
  });

  describe('over time', () => {
    beforeAll(setUp);
    const everything = {
      types: ['select'],
      projection: [{ ...outbound, alias: 'c' }, { filter: ['base', 'member'], operand: 'x' }, 'ACL'],
    };

    it('46: follow what they use under its new names', async () => {
      await ask('alice', 'PUT', `${D}/acl`, { select: [] }, put);
      await ask(
        'alice',
        'PUT',
        `${D}/acl_binding`,
        { own: { types: ['owner'], projection: 'member' }, far: everything },
        put,
      );
      await ask('alice', 'PUT', `${D}/column/member`, { name: 'owner_id' }, 200);
      expect(await bindingsOf(D)).toMatchObject({
        own: { projection: 'owner_id' },
        far: { projection: [{ ...outbound, alias: 'c' }, { filter: ['base', 'owner_id'], operand: 'x' }, 'ACL'] },
      });
      expect(await ids('bob')).toEqual([11, 12]);
      await ask('alice', 'PUT', fkey, [{ names: [['', 'link']] }], 200);
      await ask('alice', 'PUT', '/schema/S/table/Cat/column/ACL', { name: 'roles' }, 200);
      await ask('alice', 'PUT', D, { table_name: 'D2', schema_name: 'M' }, 200);
      await ask('alice', 'PUT', '/schema/M', { schema_name: 'M2' }, 200);
      await ask('alice', 'PUT', '/schema/S/table/Cat', { table_name: 'Cat2' }, 200);
      expect(await bindingsOf('/schema/M2/table/D2')).toMatchObject({
        far: { projection: [{ outbound: ['M2', 'link'] }, { filter: ['base', 'owner_id'] }, 'roles'] },
      });
      const answer = await ask('bob', 'GET', '/attribute/M2:D2/id@sort(id)', undefined, 200);
      expect(answer.json).toEqual([{ id: 11 }, { id: 12 }]);
    });

    it('keep a column from a type they cannot work with', async () => {
      const member = '/schema/M2/table/D2/column/owner_id';
      await fixture.query(path.slice('/catalog/'.length), `update "M2"."D2" set owner_id = null`);
      await ask('alice', 'PUT', member, { type: 'int4' }, 409);
      await ask('alice', 'PUT', member, { type: 'markdown' }, 200);
      await ask('alice', 'DELETE', '/schema/M2/table/D2/acl_binding/own', undefined, 204);
      // x is no number
      const { text } = await ask('alice', 'PUT', member, { type: 'int4' }, 409);
      expect(text).toContain('far');
      expect((await ask('alice', 'GET', member, undefined, 200)).json).toMatchObject({ name: 'owner_id' });
    });

    it('are without effect on a column that was given such a type by hand', async () => {
      await setUp();
      await ask('alice', 'PUT', `${D}/acl`, { select: [] }, put);
      await ask('alice', 'PUT', `${D}/acl_binding/own`, { types: ['owner'], projection: 'member' }, put);
      await fixture.query(
        path.slice('/catalog/'.length),
        `update "S"."D" set member = null;
         drop index "S"."${String(await ridOf('member'))}_trgm";
         alter table "S"."D" alter member type int4 using null;
         select _catalog.model_changed()`,
      );
      expect(await ids('bob')).toEqual([]);
      expect(await bindingsOf(D)).toMatchObject({ own: { projection: 'member', projection_type: 'acl' } });
    });

    it('go when an operand is no value of a column whose type was changed by hand', async () => {
      await setUp();
      await ask('alice', 'PUT', `${D}/acl`, { select: [] }, put);
      const filtered = { types: ['select'], projection: [{ filter: 'name', operand: 'no date' }, 'id'] };
      const open = { types: ['select'], projection: [{ filter: 'id', operator: 'gt', operand: 1 }, 'id'] };
      await ask('alice', 'PUT', `${D}/acl_binding`, { filtered, open }, put);
      await fixture.query(
        path.slice('/catalog/'.length),
        `update "S"."D" set name = null;
         drop index "S"."${String(await ridOf('name'))}_trgm";
         alter table "S"."D" alter name type date using null;
         select _catalog.model_changed()`,
      );
      expect(await ids('bob')).not.toEqual([]);
      expect(Object.keys((await bindingsOf(D)) as object)).toEqual(['open']);
    });

    it('47: go with what they use, and only they', async () => {
      await setUp();
      await ask(
        'alice',
        'PUT',
        `${D}/acl_binding`,
        { far: travelling, near: { types: ['select'], projection: 'member' } },
        put,
      );
      await ask('alice', 'PUT', `${D}/column/val/acl_binding`, { far: travelling, near: false }, put);
      await ask(
        'alice',
        'PUT',
        `/schema/S/table/Cat/acl_binding/back`,
        { types: ['select'], projection: [{ inbound: ['S', 'd_c'] }, 'member'] },
        put,
      );
      await ask('alice', 'DELETE', fkey, undefined, 204);
      expect(await bindingsOf(D)).toEqual({ near: expect.anything() });
      expect(await bindingsOf(`${D}/column/val`)).toEqual({ near: false });
      expect(await bindingsOf('/schema/S/table/Cat')).toEqual({});
      await ask('alice', 'DELETE', `${D}/column/member`, undefined, 204);
      expect(await bindingsOf(D)).toEqual({});
    });

    it('of other tables go with a table they lead to', async () => {
      await setUp();
      const link = {
        names: [['S', 'x_d']],
        foreign_key_columns: [{ column_name: 'd' }],
        referenced_columns: [{ ...place, table_name: 'D', column_name: 'id' }],
      };
      const through = { types: ['select'], projection: [{ outbound: ['S', 'x_d'] }, outbound, 'ACL'] };
      const near = { types: ['select'], projection: [{ outbound: ['S', 'x_d'] }, 'member'] };
      const document = {
        table_name: 'X',
        column_definitions: [{ name: 'd', type: 'int4' }],
        foreign_keys: [link],
        acl_bindings: { through, near },
      };
      await ask('alice', 'POST', '/schema/S/table', document, made);
      await ask(
        'alice',
        'PUT',
        '/schema/S/table/Cat/acl_binding/back',
        { types: ['select'], projection: [{ inbound: ['S', 'd_c'] }, 'member'] },
        put,
      );
      await ask('alice', 'DELETE', `${D}/column/c_id`, undefined, 204);
      expect(await bindingsOf('/schema/S/table/X')).toEqual({ near: expect.anything() });
      expect(await bindingsOf('/schema/S/table/Cat')).toEqual({});
      await ask('alice', 'DELETE', '/schema/S/table/X/foreignkey/d', undefined, 204);
      await ask('alice', 'DELETE', D, undefined, 204);
      expect(await bindingsOf('/schema/S/table/X')).toEqual({});
    });

    it('are shown at a snapshot with the names and bindings of that time', async () => {
      await setUp();
      await ask('alice', 'PUT', `${D}/acl_binding/own`, { types: ['select'], projection: 'member' }, put);
      const then = String(await snaptime(fixture, path));
      await ask('alice', 'PUT', `${D}/column/member`, { name: 'owner_id' }, 200);
      await ask('alice', 'DELETE', `${D}/column/owner_id`, undefined, 204);
      expect(await bindingsOf(D)).toEqual({});
      const { json } = await fixture.request('alice', 'GET', `${path}@${then}${D}/acl_binding`);
      expect(json).toMatchObject({ own: { projection: 'member' } });
      await ask('alice', 'PUT', `${D}@${then}/acl_binding/own`, false, 400);
      expect((await fixture.request('alice', 'PUT', `${path}@${then}${D}/acl_binding/own`, false)).status).toBe(403);
    });
  });

  it('of the built-in tables are shown by name', async () => {
    await setUp();
    const lease = `/schema/public/table/${profile === 'standard' ? 'Catalog_' : 'ERMrest_'}RID_Lease`;
    expect(await bindingsOf(lease)).toEqual({
      lessee_access: {
        types: ['select', 'update', 'delete'],
        projection: ['RCB'],
        projection_type: 'acl',
        scope_acl: ['*'],
      },
    });
  });
});
