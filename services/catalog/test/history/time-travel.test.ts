import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';
import { type PastReader, pastReader } from './past-reader.js';

/** spec/catalog-access.md 11: what older snapshots show after a change, and what later ones do. */
describe('time travel and the evolution of the model', () => {
  let fixture: CatalogFixture;
  let past: PastReader;

  beforeAll(async () => {
    fixture = await startCatalog();
  });
  afterAll(() => fixture.close());
  beforeEach(async () => {
    past = await pastReader(fixture);
    await past.makeTable({ v: 'text', n: 'float8' }, [
      { id: 1, v: 'one', n: 1.5 },
      { id: 2, v: 'two', n: 2.5 },
    ]);
  });

  const set = (id: number, values: object) =>
    past.done('PUT', `/attributegroup/S:t/id;${Object.keys(values).join(',')}`, [{ id, ...values }]);
  const visible = async (snapshot: string, columns = 'id,v') =>
    past.rows(snapshot, `attribute/S:t/${columns}@sort(id)`);

  it('shows rows as they were before they were changed, deleted and made', async () => {
    const first = await past.now();
    await set(1, { v: 'ONE' });
    const second = await past.now();
    await past.done('DELETE', '/entity/S:t/id=2');
    const third = await past.now();
    await past.done('POST', '/entity/S:t', [{ id: 3, v: 'three' }]);
    expect(await visible(first)).toEqual([
      { id: 1, v: 'one' },
      { id: 2, v: 'two' },
    ]);
    expect(await visible(second)).toEqual([
      { id: 1, v: 'ONE' },
      { id: 2, v: 'two' },
    ]);
    expect(await visible(third)).toEqual([{ id: 1, v: 'ONE' }]);
    expect(await visible(await past.now())).toEqual([
      { id: 1, v: 'ONE' },
      { id: 3, v: 'three' },
    ]);
  });

  it('shows the system columns as they were', async () => {
    const first = await past.now();
    const before = await past.rows(first, 'entity/S:t/id=1');
    await set(1, { v: 'x' });
    await past.done('DELETE', '/entity/S:t/id=1');
    expect(await past.rows(first, 'entity/S:t/id=1')).toEqual(before);
  });

  it('knows tables, columns and schemas by the names they had, and rows stay what they were', async () => {
    const before = await past.now();
    await past.done('PUT', '/schema/S/table/t/column/v', { name: 'w' });
    const renamed = await past.now();
    await past.done('POST', '/schema/U');
    await past.done('PUT', '/schema/S/table/t', { table_name: 'moved', schema_name: 'U' });
    const moved = await past.now();
    await past.done('PUT', '/attributegroup/U:moved/id;w', [{ id: 1, w: 'new' }]);
    await past.done('PUT', '/schema/U', { schema_name: 'V' });
    expect(await visible(before)).toContainEqual({ id: 1, v: 'one' });
    expect((await past.send('GET', `@${before}/attribute/S:t/w`)).status).toBe(409);
    expect(await visible(renamed, 'id,w')).toContainEqual({ id: 1, w: 'one' });
    expect((await past.send('GET', `@${renamed}/attribute/S:t/v`)).status).toBe(409);
    expect(await past.rows(moved, 'attribute/U:moved/id,w@sort(id)')).toContainEqual({ id: 1, w: 'one' });
    expect(await past.rows(await past.now(), 'attribute/V:moved/id,w@sort(id)')).toContainEqual({ id: 1, w: 'new' });
    expect((await past.send('GET', `@${moved}/entity/V:moved`)).status).toBe(409);
    expect((await past.send('GET', `@${before}/schema/U`)).status).toBe(404);
  });

  it('shows a default to every row from the column on, and no column before', async () => {
    const before = await past.now();
    await past.done('POST', '/schema/S/table/t/column', { name: 'd', type: 'int4', default: 7 });
    const added = await past.now();
    await set(1, { d: 8 });
    await past.done('DELETE', '/entity/S:t/id=2');
    expect((await past.send('GET', `@${before}/attribute/S:t/d`)).status).toBe(409);
    expect(await visible(before)).toHaveLength(2);
    expect(await visible(added, 'id,d')).toEqual([
      { id: 1, d: 7 },
      { id: 2, d: 7 },
    ]);
    expect(await visible(await past.now(), 'id,d')).toEqual([{ id: 1, d: 8 }]);
  });

  it('keeps the values of a column that was dropped, and does not hand them to another of its name', async () => {
    const first = await past.now();
    await set(2, { v: 'changed' });
    const second = await past.now();
    await past.done('DELETE', '/schema/S/table/t/column/v');
    const dropped = await past.now();
    await past.done('POST', '/schema/S/table/t/column', { name: 'v', type: 'text' });
    const again = await past.now();
    await set(1, { v: 'other' });
    expect(await visible(first)).toEqual([
      { id: 1, v: 'one' },
      { id: 2, v: 'two' },
    ]);
    expect(await visible(second)).toEqual([
      { id: 1, v: 'one' },
      { id: 2, v: 'changed' },
    ]);
    expect((await past.send('GET', `@${dropped}/attribute/S:t/v`)).status).toBe(409);
    expect(await visible(dropped, 'id,n')).toEqual([
      { id: 1, n: 1.5 },
      { id: 2, n: 2.5 },
    ]);
    expect(await visible(again)).toEqual([
      { id: 1, v: null },
      { id: 2, v: null },
    ]);
    expect(await visible(await past.now())).toContainEqual({ id: 1, v: 'other' });
  });

  it('keeps both generations of a table that was dropped and made again', async () => {
    await set(1, { v: 'x' });
    const first = await past.now();
    await past.done('DELETE', '/schema/S/table/t');
    const gone = await past.now();
    await past.done('POST', '/schema/S/table', { table_name: 't', column_definitions: [{ name: 'id', type: 'text' }] });
    await past.done('POST', '/entity/S:t', [{ id: 'a' }]);
    const again = await past.now();
    await past.done('DELETE', '/entity/S:t');
    expect(await visible(first)).toEqual([
      { id: 1, v: 'x' },
      { id: 2, v: 'two' },
    ]);
    expect((await past.send('GET', `@${gone}/entity/S:t`)).status).toBe(409);
    expect((await past.send('GET', `@${gone}/schema/S/table/t`)).status).toBe(404);
    expect(await visible(again, 'id')).toEqual([{ id: 'a' }]);
  });

  it('keeps old values and types when a type changes, and shows the converted ones from then on', async () => {
    const first = await past.now();
    await set(1, { n: 9.75 });
    const second = await past.now();
    await past.done('PUT', '/schema/S/table/t/column/n', { type: 'int4' });
    const converted = await past.now();
    await past.done('PUT', '/schema/S/table/t/column/n', { type: 'text' });
    const text = await past.now();
    await set(1, { n: 'many' });
    expect(await visible(first, 'id,n')).toEqual([
      { id: 1, n: 1.5 },
      { id: 2, n: 2.5 },
    ]);
    expect(await visible(second, 'id,n')).toContainEqual({ id: 1, n: 9.75 });
    expect(await past.rows(second, 'aggregate/S:t/total:=sum(n)')).toEqual([{ total: 12.25 }]);
    expect(await visible(converted, 'id,n')).toEqual([
      { id: 1, n: 10 },
      { id: 2, n: 2 },
    ]);
    expect(await visible(text, 'id,n')).toContainEqual({ id: 1, n: '10' });
    expect(await visible(await past.now(), 'id,n')).toContainEqual({ id: 1, n: 'many' });
    const type = async (at: string) => past.done('GET', `@${at}/schema/S/table/t/column/n`);
    expect(await type(second)).toMatchObject({ type: 'float8' });
    expect(await type(converted)).toMatchObject({ type: 'int4' });
  });

  it('joins tables as of one instant, with the keys there were', async () => {
    await past.done('POST', '/schema/S/table', {
      table_name: 'u',
      column_definitions: [
        { name: 'name', type: 'text' },
        { name: 't_id', type: 'int8' },
      ],
      foreign_keys: [
        {
          foreign_key_columns: [{ column_name: 't_id' }],
          referenced_columns: [{ schema_name: 'S', table_name: 't', column_name: 'id' }],
          names: [['S', 'u_t']],
          on_delete: 'CASCADE',
          on_update: 'CASCADE',
        },
      ],
    });
    await past.done('POST', '/entity/S:u', [
      { name: 'a', t_id: 1 },
      { name: 'b', t_id: 2 },
    ]);
    const joined = 'attribute/A:=S:t/B:=S:u/A:v,B:name@sort(name)';
    const first = await past.now();
    await past.sql(`update "S".t set id = 10 where id = 1`);
    const second = await past.now();
    await past.done('DELETE', '/entity/S:t/id=10');
    const third = await past.now();
    await past.done('DELETE', '/schema/S/table/u/foreignkey/t_id');
    expect(await past.rows(first, joined)).toEqual([
      { v: 'one', name: 'a' },
      { v: 'two', name: 'b' },
    ]);
    expect(await past.rows(second, joined)).toEqual(await past.rows(first, joined));
    expect(await past.rows(first, 'attribute/S:u/name,t_id@sort(name)')).toEqual([
      { name: 'a', t_id: 1 },
      { name: 'b', t_id: 2 },
    ]);
    expect(await past.rows(second, 'attribute/S:u/name,t_id@sort(name)')).toEqual([
      { name: 'a', t_id: 10 },
      { name: 'b', t_id: 2 },
    ]);
    expect(await past.rows(third, joined)).toEqual([{ v: 'two', name: 'b' }]);
    expect((await past.send('GET', `@${await past.now()}/${joined}`)).status).toBe(409);
  });

  it('sets and keeps the system columns of rows that a cascade changes', async () => {
    await past.done('POST', '/schema/S/table', {
      table_name: 'u',
      column_definitions: [{ name: 't_id', type: 'int8' }],
      foreign_keys: [
        {
          foreign_key_columns: [{ column_name: 't_id' }],
          referenced_columns: [{ schema_name: 'S', table_name: 't', column_name: 'id' }],
          on_delete: 'SET NULL',
        },
      ],
    });
    await past.done('POST', '/entity/S:u', [{ t_id: 1 }]);
    const before = await past.now();
    await past.done('DELETE', '/entity/S:t/id=1');
    const [now] = await past.sql(
      `select "RMT" = (select max(ts) from _catalog.snap) as touched, "RMB" as client from "S".u`,
    );
    expect(now).toEqual({ touched: true, client: 'alice' });
    expect(await past.rows(before, 'attribute/S:u/t_id')).toEqual([{ t_id: 1 }]);
    expect(await past.rows(await past.now(), 'attribute/S:u/t_id')).toEqual([{ t_id: null }]);
  });

  it('answers whatever a live read answers: groups, filters, sorting, paging, formats, HEAD', async () => {
    const before = await past.now();
    const resources = [
      'attributegroup/S:t/v;n:=max(n)@sort(v)?limit=1',
      'aggregate/S:t/c:=cnt(*),m:=avg(n)',
      'attribute/S:t/!v::null::&n::gt::1.5/id,n@sort(id::desc::)@after(3)',
      'entity/S:t/*::ciregexp::TWO',
      'attribute/S:t/id,v@sort(id)?accept=csv',
      'attributegroup/S:t/id;x:=array_d(*)@sort(id)',
    ];
    const live = await Promise.all(resources.map(async (rest) => (await past.send('GET', `/${rest}`)).text));
    await past.done('DELETE', '/entity/S:t');
    for (const [index, rest] of resources.entries()) {
      expect((await past.send('GET', `@${before}/${rest}`)).text).toBe(live[index]);
    }
    const rights = await past.rows(before, 'attributegroup/S:t/id;r:=trs(RID),c:=tcrs(RID)@sort(id)?limit=1');
    expect(rights).toEqual([
      {
        id: 1,
        r: { update: false, delete: false },
        c: expect.objectContaining({ update: false, column_update: expect.objectContaining({ v: false }) }),
      },
    ]);
    const head = await past.send('HEAD', `@${before}/entity/S:t`);
    expect([head.status, head.text, Number(head.headers.get('content-length'))]).toEqual([200, '', expect.any(Number)]);
  });

  it('judges access by the lists of the snapshot and by the roles of now', async () => {
    const open = await past.now();
    await past.done('PUT', '/schema/S/table/t/acl', { select: ['carol'] });
    const closed = await past.now();
    await past.done('PUT', '/schema/S/table/t/acl', {});
    const ask = async (at: string) => (await past.send('GET', `@${at}/entity/S:t`, undefined, 'bob')).status;
    expect([await ask(open), await ask(closed), await ask(await past.now())]).toEqual([200, 403, 200]);
  });

  it('evaluates bindings on the rows of the snapshot', async () => {
    await past.done('PUT', '/schema/S/table/t/acl', { select: [] });
    await past.done('PUT', '/schema/S/table/t/acl_binding/mine', { types: ['select'], projection: 'v' });
    await set(1, { v: 'bob' });
    const mine = await past.now();
    await set(1, { v: 'carol' });
    const seen = async (at: string) => (await past.send('GET', `@${at}/attribute/S:t/id`, undefined, 'bob')).json;
    expect(await seen(mine)).toEqual([{ id: 1 }]);
    expect(await seen(await past.now())).toEqual([]);
  });
});
