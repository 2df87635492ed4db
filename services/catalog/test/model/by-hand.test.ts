import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';

interface ColumnDocument {
  readonly RID: string;
  readonly name: string;
  readonly type: unknown;
  readonly nullok: boolean;
  readonly default: unknown;
}
interface TableDocument {
  readonly RID: string;
  readonly kind: string;
  readonly table_name: string;
  readonly comment: string | null;
  readonly column_definitions: readonly ColumnDocument[];
  readonly keys: readonly {
    readonly RID: string;
    readonly names: unknown;
    readonly unique_columns: readonly string[];
  }[];
  readonly foreign_keys: readonly {
    readonly RID: string;
    readonly names: unknown;
    readonly on_delete?: string;
    readonly on_update?: string;
    readonly acls?: unknown;
  }[];
}

/** Changes of the database by hand and what the service makes of them (spec/catalog-model.md 17). */
describe.each(['standard', 'deriva'] as const)('changes by hand, profile %s', (profile) => {
  let fixture: CatalogFixture;
  let path: string;
  let id: string;

  beforeAll(async () => {
    fixture = await startCatalog({ profile });
  });
  afterAll(() => fixture.close());
  beforeEach(async () => {
    path = await fixture.createCatalog();
    id = path.slice('/catalog/'.length);
    await fixture.request('alice', 'POST', `${path}/schema`, {
      schemas: {
        S: {
          tables: {
            t: {
              column_definitions: [
                { name: 'id', type: 'int4', nullok: false },
                { name: 'name', type: 'text' },
              ],
              keys: [{ unique_columns: ['id'] }],
            },
          },
        },
      },
    });
  });

  /** Runs SQL and the call in one transaction. */
  const byHand = (text: string): Promise<unknown> =>
    fixture.query(id, `do $hand$ begin ${text}; perform _catalog.model_changed(); end $hand$`);
  const get = async (rest: string) => (await fixture.request('alice', 'GET', `${path}${rest}`)).json;
  const table = async (name: string, schema = 'S') => (await get(`/schema/${schema}/table/${name}`)) as TableDocument;
  const snaptime = async () => ((await get('')) as { snaptime: string }).snaptime;

  it('show at the next request, and not before the call', async () => {
    await fixture.query(id, `create table "S".late (a text)`);
    expect((await fixture.request('alice', 'GET', `${path}/schema/S/table/late`)).status).toBe(404);
    const before = await snaptime();
    await fixture.query(id, 'select _catalog.model_changed()');
    expect(await table('late')).toMatchObject({ kind: 'table' });
    expect(await snaptime()).not.toBe(before);
    const past = await fixture.request('alice', 'GET', `${path}@${before}/schema/S/table/late`);
    expect(past.status).toBe(404);
  });

  it('change nothing but the snapshot when the model tells what is there, whatever it was made with', async () => {
    const types = ['boolean', 'int2', 'int8', 'float8', 'numeric', 'text', 'date', 'timestamptz', 'interval', 'uuid'];
    const more = [
      'json',
      'jsonb',
      'markdown',
      'color_rgb_hex',
      'ermrest_uri',
      'serial4',
      'serial8',
      'text[]',
      'jsonb[]',
    ];
    await fixture.request('alice', 'POST', `${path}/schema/S/table`, {
      table_name: 'many',
      column_definitions: [
        ...[...types, ...more].map((type, index) => ({ name: `c${index}`, type })),
        { name: 'd1', type: 'int4', default: -5 },
        { name: 'd2', type: 'text', default: 'it\'s \\ "so"' },
        { name: 'd3', type: 'markdown', default: 'x::text' },
        { name: 'd4', type: 'jsonb', default: { b: 1, a: [null] } },
        { name: 'd5', type: 'text[]', default: ['a', 'b,"'] },
        { name: 'd6', type: 'timestamptz', default: '2024-01-02T03:04:05Z' },
        { name: 'd7', type: 'boolean', default: false },
        { name: 'd8', type: 'numeric', default: 1.5 },
        { name: 'd9', type: 'color_rgb_hex', default: '#aabbcc' },
      ],
      keys: [{ unique_columns: ['c5', 'c2'] }],
      foreign_keys: [
        {
          foreign_key_columns: [{ column_name: 'd1' }],
          referenced_columns: [{ schema_name: 'S', table_name: 't', column_name: 'id' }],
          on_delete: 'SET NULL',
        },
      ],
    });
    const before = (await get('/schema')) as { snaptime: string; schemas: unknown };
    await fixture.query(id, 'select _catalog.model_changed()');
    const after = (await get('/schema')) as { snaptime: string; schemas: unknown };
    expect(after.schemas).toEqual(before.schemas);
    expect(after.snaptime).not.toBe(before.snaptime);
    const [row] = await fixture.query(id, `select count(*)::int as versions from _catalog.elem where hi <> 'infinity'`);
    expect(row?.versions).toBe(0);
  });

  it('leave RIDs alone where something is renamed or moved', async () => {
    const before = await table('t');
    await fixture.request('alice', 'PUT', `${path}/schema/S/table/t/annotation/note`, 'true');
    await byHand(`create schema "R"; alter table "S".t rename to u; alter table "S".u rename column name to label;
      alter table "S".u rename constraint t_id_key to u_key; alter table "S".u set schema "R";
      alter schema "S" rename to "S2"`);
    expect((await fixture.request('alice', 'GET', `${path}/schema/S`)).status).toBe(404);
    const after = await table('u', 'R');
    expect(after.RID).toBe(before.RID);
    expect(after.column_definitions.map(({ RID }) => RID)).toEqual(before.column_definitions.map(({ RID }) => RID));
    expect(after.column_definitions.at(-1)?.name).toBe('label');
    expect(after.keys.map(({ RID }) => RID)).toEqual(before.keys.map(({ RID }) => RID));
    expect(after.keys[1]?.names).toEqual([['R', 'u_key']]);
    expect(await get('/schema/R/table/u/annotation')).toEqual({ note: true });
    const posted = await fixture.request('alice', 'POST', `${path}/entity/R:u`, [{ id: 1, label: 'x' }], {
      'content-type': 'application/json',
    });
    expect(posted.status).toBe(200);
  });

  it('drop what has vanished; what is made again under its name is another element', async () => {
    const before = await table('t');
    await byHand('alter table "S".t drop column name; alter table "S".t add column name text');
    const after = await table('t');
    expect(after.RID).toBe(before.RID);
    expect(after.column_definitions.at(-1)?.name).toBe('name');
    expect(before.column_definitions.map(({ RID }) => RID)).not.toContain(after.column_definitions.at(-1)?.RID);
    await byHand('drop table "S".t; create table "S".t (id int)');
    expect((await table('t')).RID).not.toBe(before.RID);
    await byHand('drop table "S".t');
    expect((await fixture.request('alice', 'GET', `${path}/schema/S/table/t`)).status).toBe(404);
  });

  it('are told in full: types, defaults, not null, comments, constraints under their names', async () => {
    await byHand(`create table "S".hand (
        n serial primary key, short varchar(5) default 'abc', fixed char(3), exact numeric(10, 2), many varchar(9)[],
        made timestamptz default now(), always bigint generated always as identity, pair int references "S".t (id)
          on delete cascade on update set null, place point, deep int[][], constraint "two of them" unique (short, fixed));
      comment on table "S".hand is 'made by hand'; comment on column "S".hand.short is 'five'`);
    const { kind, comment, column_definitions: columns, keys, foreign_keys: foreignKeys } = await table('hand');
    expect([kind, comment]).toEqual(['table', 'made by hand']);
    const typeName = (type: unknown) => (typeof type === 'string' ? type : (type as { typename: string }).typename);
    expect(columns.map(({ name, type, nullok, default: value }) => [name, typeName(type), nullok, value])).toEqual([
      ['n', 'serial4', false, null],
      ['short', 'text', true, 'abc'],
      ['fixed', 'text', true, null],
      ['exact', 'numeric', true, null],
      ['many', 'text[]', true, null],
      ['made', 'timestamptz', true, null],
      ['always', 'serial8', false, null],
      ['pair', 'int4', true, null],
    ]);
    expect(keys.map(({ names, unique_columns }) => [names, unique_columns])).toEqual([
      [[['S', 'hand_pkey']], ['n']],
      [[['S', 'two of them']], ['short', 'fixed']],
    ]);
    expect(foreignKeys).toMatchObject([
      {
        names: [['S', 'hand_pair_fkey']],
        on_delete: 'CASCADE',
        on_update: 'SET NULL',
        acls: { insert: ['*'], update: ['*'] },
      },
    ]);
    await byHand(`alter table "S".hand alter column short set default 'xyz', alter column short set not null,
      alter column exact type int4 using 1, drop constraint "two of them"`);
    const altered = await table('hand');
    expect(altered.column_definitions[1]).toMatchObject({ RID: columns[1]?.RID, default: 'xyz', nullok: false });
    expect(typeName(altered.column_definitions[3]?.type)).toBe('int4');
    expect(altered.keys).toHaveLength(1);
  });

  it('a table without system columns can be read and not written, until they are added', async () => {
    await byHand(
      `create table "S".plain (id int primary key, name text); insert into "S".plain values (1, 'x'), (2, 'x')`,
    );
    expect(await get('/entity/S:plain@sort(id)')).toEqual([
      { id: 1, name: 'x' },
      { id: 2, name: 'x' },
    ]);
    const row = [{ id: 3, name: 'y' }];
    const json = { 'content-type': 'application/json' };
    const refused = await fixture.request('alice', 'POST', `${path}/entity/S:plain`, row, json);
    expect(refused.status).toBe(409);
    expect(refused.text).toMatch(/RID.*RMB/s);
    await byHand(`alter table "S".plain
      add column "RID" _catalog.rid not null default _catalog.next_rid() unique,
      add column "RCT" _catalog.rct not null default _catalog.now(),
      add column "RMT" _catalog.rmt not null default _catalog.now(),
      add column "RCB" _catalog.rcb, add column "RMB" text`);
    const half = await fixture.request('alice', 'POST', `${path}/entity/S:plain`, row, json);
    expect([half.status, half.text]).toEqual([409, expect.stringMatching(/RMB/)]);
    expect(half.text).not.toMatch(/RCB/);
    await byHand('alter table "S".plain alter column "RMB" type _catalog.rmb');
    const answer = await fixture.request('alice', 'POST', `${path}/entity/S:plain`, row, json);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject([{ id: 3, RMB: 'alice' }]);
  });

  describe('a view', () => {
    beforeEach(async () => {
      await byHand('create view "S".v as select "RID", id, name from "S".t');
      await fixture.request(
        'alice',
        'POST',
        `${path}/entity/S:t`,
        [
          { id: 1, name: 'one' },
          { id: 2, name: 'two' },
        ],
        {
          'content-type': 'application/json',
        },
      );
    });

    it('is shown and read, and refuses changes', async () => {
      expect(await table('v')).toMatchObject({ kind: 'view', keys: [] });
      expect(await get('/attribute/S:v/id=2/name')).toEqual([{ name: 'two' }]);
      const json = { 'content-type': 'application/json' };
      for (const [method, target] of [
        ['POST', 'entity/S:v'],
        ['PUT', 'entity/S:v'],
        ['PUT', 'attributegroup/S:v/id;name'],
        ['DELETE', 'entity/S:v'],
      ] as const) {
        const body = method === 'DELETE' ? undefined : [{ id: 1, name: 'x' }];
        const answer = await fixture.request('alice', method, `${path}/${target}`, body, json);
        expect([target, answer.status]).toEqual([target, 409]);
      }
      const column = { name: 'c', type: 'text' };
      expect((await fixture.request('alice', 'POST', `${path}/schema/S/table/v/column`, column)).status).toBe(409);
    });

    it('has comments, annotations and access lists like a table, and keeps them when it is made again', async () => {
      const before = await table('v');
      await fixture.request('alice', 'PUT', `${path}/schema/S/table/v/comment`, 'looks');
      await fixture.request('alice', 'PUT', `${path}/schema/S/table/v/acl/select`, ['bob']);
      await byHand('drop view "S".v; create view "S".v as select name, id, "RID" from "S".t where id > 1');
      const after = await table('v');
      expect(after).toMatchObject({ RID: before.RID, comment: 'looks', acls: { select: ['bob'] } });
      expect(new Set(after.column_definitions.map(({ RID }) => RID))).toEqual(
        new Set(before.column_definitions.map(({ RID }) => RID)),
      );
      expect(await get('/attribute/S:v/id')).toEqual([{ id: 2 }]);
    });

    it.each(['view', 'materialized view'])('is deleted (%s)', async (kind) => {
      await byHand(`create ${kind} "S".w as select id from "S".t`);
      expect(await table('w')).toMatchObject({ kind: 'view' });
      expect((await fixture.request('alice', 'DELETE', `${path}/schema/S/table/w`)).status).toBe(204);
      expect((await fixture.request('alice', 'GET', `${path}/schema/S/table/w`)).status).toBe(404);
      expect(await fixture.query(id, `select to_regclass('"S".w') as w`)).toEqual([{ w: null }]);
    });

    it('blocks what it depends on', async () => {
      const answer = await fixture.request('alice', 'DELETE', `${path}/schema/S/table/t/column/name`);
      expect(answer.status).toBe(409);
      expect((await fixture.request('alice', 'DELETE', `${path}/schema/S/table/t`)).status).toBe(409);
    });
  });

  it('survive a dump that is restored, where names decide', async () => {
    const before = await table('t');
    // what a restored dump looks like: the same rows of the bookkeeping, other OIDs
    await fixture.query(
      id,
      `do $hand$ declare rid_of_id text; begin
         update _catalog.origin set mark = 'elsewhere';
         update _catalog.elem set doc = doc || jsonb_build_object('oid', (doc->>'oid')::bigint + 1) where doc ? 'oid';
         update _catalog.elem set doc = doc || jsonb_build_object('attnum', 1 + (doc->>'attnum')::int) where doc ? 'attnum';
         create table "S".more (a text);
         perform _catalog.model_changed();
       end $hand$`,
    );
    expect(await table('t')).toEqual(before);
    expect(await table('more')).toMatchObject({ kind: 'table' });
    await byHand('alter table "S".t rename to renamed');
    expect((await table('renamed')).RID).toBe(before.RID);
  });

  it('are followed once, by whichever process sees them first', async () => {
    const other = await startCatalog({ profile, registryUrl: fixture.registryUrl });
    try {
      await other.request('alice', 'GET', `${path}/schema`);
      await byHand('create view "S".v as select id from "S".t; create table "S".more (a text)');
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          (index % 2 === 0 ? fixture : other).request('alice', 'GET', `${path}/schema/S`),
        ),
      );
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(answers[0]?.json).toMatchObject({ tables: { v: { kind: 'view' }, more: { kind: 'table' } } });
      const [row] = await fixture.query(
        id,
        'select count(*)::int as snapshots from _catalog.snap where client is null',
      );
      expect(row?.snapshots).toBe(1);
    } finally {
      await other.close();
    }
  });

  it('wait for a writer, and readers do not: the model that is known serves', async () => {
    const writer = new pg.Client({ connectionString: await fixture.databaseUrl(id) });
    await writer.connect();
    try {
      await byHand('create table "S".more (a text)');
      await writer.query(`begin; select _catalog.begin_change(null, 1000)`);
      const read = await fixture.request('alice', 'GET', `${path}/schema/S`);
      expect([read.status, Object.keys((read.json as { tables: object }).tables)]).toEqual([200, ['t']]);
      await writer.query('rollback');
    } finally {
      await writer.end();
    }
    const changed = await fixture.request('alice', 'POST', `${path}/schema/S/table`, { table_name: 'made' });
    expect([200, 201]).toContain(changed.status);
    for (let tries = 0; tries < 100; tries += 1) {
      const { json } = await fixture.request('alice', 'GET', `${path}/schema/S`);
      if ('more' in (json as { tables: object }).tables) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(await table('more')).toMatchObject({ kind: 'table' });
    expect(await table('made')).toMatchObject({ kind: 'table' });
  });

  it('come before a change that was sent earlier and gets the lock later', async () => {
    const writer = new pg.Client({ connectionString: await fixture.databaseUrl(id) });
    await writer.connect();
    try {
      await writer.query(`begin; select _catalog.begin_change('x', 1000)`);
      const add = fixture.request('alice', 'POST', `${path}/schema/S/table/t/column`, { name: 'note', type: 'text' });
      const rows = fixture.request('alice', 'POST', `${path}/entity/S:t`, [{ id: 1, name: 'n', note: null }], {
        'content-type': 'application/json',
      });
      await writer.query(`alter table "S".t add column note text; select _catalog.model_changed()`);
      await writer.query('commit');
      expect((await add).status).toBe(409);
      expect([200, 409]).toContain((await rows).status);
    } finally {
      await writer.end();
    }
    expect((await table('t')).column_definitions.at(-1)).toMatchObject({ name: 'note' });
  });

  it('of schemas and objects of extensions and of reserved names stay out', async () => {
    await byHand('create schema "Hand"; create schema _ermrest; create table _ermrest.x (a text)');
    const { schemas } = (await get('/schema')) as { schemas: object };
    expect(Object.keys(schemas)).toEqual(['public', 'S', 'Hand']);
  });
});
