import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';
import { type PastReader, pastReader } from './past-reader.js';

/** spec/catalog-access.md 10.3, 10.4: what is amended and erased, and what is not. */
describe('amendment and redaction', () => {
  let fixture: CatalogFixture;
  let past: PastReader;

  beforeAll(async () => {
    fixture = await startCatalog();
  });
  afterAll(() => fixture.close());
  beforeEach(async () => {
    past = await pastReader(fixture);
    await past.makeTable({ v: 'text', n: 'int4', tags: 'text[]', doc: 'json', docs: 'json[]' });
  });

  const insert = (rows: readonly object[]) => past.done('POST', '/entity/S:t', rows);
  const set = (id: number, values: object) =>
    past.done('PUT', `/attributegroup/S:t/id;${Object.keys(values).join(',')}`, [{ id, ...values }]);
  const column = (name: string) => past.rid(`schema/S/table/t/column/${name}`);
  const status = async (method: string, rest: string, body?: unknown) => (await past.send(method, rest, body)).status;
  const amendver = async () => ((await past.done('GET', '/history/,')) as { readonly amendver: unknown }).amendver;

  describe('bindings', () => {
    const mine = { types: ['select'], projection: 'v' };
    const seen = async (at: string) => (await past.send('GET', `@${at}/attribute/S:t/id`, undefined, 'bob')).json;

    it('of the past are judged by the names of each snapshot', async () => {
      await insert([
        { id: 1, v: 'bob' },
        { id: 2, v: 'carol' },
      ]);
      const first = await past.now();
      await past.done('PUT', '/schema/S/table/t/column/v', { name: 'w' });
      const renamed = await past.now();
      await set(1, { n: 1 });
      const table = await past.rid('schema/S/table/t');
      const range = `${first},${await past.now()}`;
      await past.done('PUT', `/history/${range}/acl/${table}`, { select: [] });
      await past.done('PUT', `/history/${range}/acl_binding/${table}`, { mine, off: false });
      expect(await seen(first)).toEqual([{ id: 1 }]);
      // there is no column v any more: the binding matches nothing
      expect(await seen(renamed)).toEqual([]);
      expect(await past.done('GET', `@${first}/schema/S/table/t/acl_binding`)).toEqual({
        mine: { ...mine, projection_type: 'acl', scope_acl: ['*'] },
        off: false,
      });
      expect(await past.done('GET', '/schema/S/table/t/acl_binding')).toEqual({});
    });

    it('must be objects that can be read, or false', async () => {
      await set1();
      const target = `/history/,/acl_binding/${await past.rid('schema/S/table/t')}`;
      for (const body of [{ mine: 1 }, { mine: [] }, { mine: { types: ['select'] } }, []])
        expect(await status('PUT', target, body)).toBe(400);
      expect(await amendver()).toBeNull();
    });
  });

  const set1 = async () => {
    await insert([{ id: 1, v: 'a' }]);
    await set(1, { v: 'b' });
  };

  it('without a snapshot that ends inside there is nothing to do', async () => {
    const now = await past.now();
    const table = await past.rid('schema/S/table/t');
    for (const range of [`${now},`, `${now},${now}`])
      expect(await status('PUT', `/history/${range}/acl/${table}`, { select: [] })).toBe(204);
    expect(await amendver()).toBeNull();
  });

  it('of a table that is gone, within the time it was there', async () => {
    const rid = await past.rid('schema/S/table/t');
    const there = await past.now();
    await past.done('DELETE', '/schema/S/table/t');
    await past.done('POST', '/schema/later');
    expect(await status('PUT', `/history/,/annotation/${rid}`, { k: 1 })).toBe(204);
    expect(await past.done('GET', `@${there}/schema/S/table/t/annotation`)).toEqual({ k: 1 });
    const rows = await past.sql(`select count(*)::int as n from _catalog.elem where rid = $1 and hi = 'infinity'`, [
      rid,
    ]);
    expect(rows).toEqual([{ n: 0 }]);
  });

  it('keeps what hides a table from its snapshots', async () => {
    await insert([{ id: 1 }]);
    const before = await past.now();
    const mark = 'tag:example.org,2020:history-capture';
    await past.done('PUT', `/schema/S/table/t/annotation/${encodeURIComponent(mark)}`, false);
    const off = await past.now();
    await past.done('PUT', `/schema/S/table/t/annotation/${encodeURIComponent(mark)}`, true);
    await past.done('PUT', '/schema/S/table/t/annotation/x', 1);
    const rid = await past.rid('schema/S/table/t');
    await past.done('PUT', `/history/,/annotation/${rid}`, { k: 1 });
    expect(await status('GET', `@${off}/entity/S:t`)).toBe(409);
    expect(await past.done('GET', `@${before}/schema/S/table/t/annotation`)).toEqual({ k: 1 });
  });

  it('of the catalog sets lists that are left out to nobody', async () => {
    const before = await past.now();
    await past.done('POST', '/schema/X');
    expect(await status('PUT', `/history/${before},/acl`, { enumerate: ['*'] })).toBe(204);
    expect(await status('GET', `@${before}/acl`)).toBe(403);
    expect(await status('GET', `@${before}/entity/S:t`)).toBe(403);
    expect(await status('GET', '/acl')).toBe(200);
    // the live owner may make it good again
    expect(await status('PUT', `/history/${before},/acl`, { enumerate: ['*'], owner: ['alice'] })).toBe(204);
    expect(await status('GET', `@${before}/acl`)).toBe(200);
  });

  it('makes another tag of what it touched, and leaves the tags of the rest', async () => {
    await insert([{ id: 1 }]);
    const touched = await past.now();
    await insert([{ id: 2 }]);
    const rest = await past.now();
    const tags = async () =>
      Promise.all(
        [`@${touched}/entity/S:t`, `@${touched}/schema`, `@${rest}/entity/S:t`, '/entity/S:t', '/schema'].map(
          async (target) => (await past.send('GET', target)).headers.get('etag'),
        ),
      );
    const before = await tags();
    await past.done('PUT', `/history/${touched},${rest}/annotation`, { k: 1 });
    const after = await tags();
    expect(after.map((tag, index) => tag === before[index])).toEqual([false, false, true, true, true]);
    const answer = await past.send('GET', `@${rest}/entity/S:t`);
    expect(answer.headers.get('cache-control')).toBe('private, no-cache');
    const model = await past.send('GET', `@${rest}/schema`);
    expect(model.headers.get('cache-control')).toBe('private, no-cache');
    const again = await fixture.request('alice', 'GET', `${past.path}@${rest}/entity/S:t`, undefined, {
      'if-none-match': after[2] ?? '',
    });
    expect(again.status).toBe(304);
  });

  describe('erasing', () => {
    let first: string;
    const numbers = ['1E2', '100', '5.0'];
    const others = numbers.map((v, index) => ({ id: 4 + index, v }));
    beforeEach(async () => {
      await insert([
        { id: 1, v: 'foo', n: 5, tags: ['a', 'b'], doc: { k: 1 }, docs: [{ k: 1 }] },
        { id: 2, v: 'null', n: null, tags: [], doc: null },
        { id: 3, v: '5', n: 7, tags: null, doc: [1, 2] },
        ...numbers.map((v, index) => ({ id: 4 + index, v, n: 8, doc: 'text' })),
      ]);
      first = await past.now();
      await past.sql('update "S".t set n = 100 + id');
    });
    const erased = async () => {
      const rows = await past.rows(first, 'attribute/S:t/id,v@sort(id)');
      return rows.filter(({ v }) => v === null).map(({ id }) => id);
    };

    it.each([
      ['v', 'foo', [1]],
      ['v', '"foo"', [1]],
      ['v', '5', [3]],
      ['v', '"5"', [3]],
      ['v', '"null"', [2]],
      ['v', 'null', []],
      ['v', '1E2', [4]],
      ['v', '100', [5]],
      ['v', '5.0', [6]],
      ['v', '"5.0"', [6]],
      ['n', '5', [1]],
      ['n', 'null', [2]],
      ['n', '"7"', [3]],
      ['tags', '["a","b"]', [1]],
      ['tags', '{a,b}', [1]],
      ['tags', 'null', [3, 4, 5, 6]],
      ['doc', '{"k": 1}', [1]],
      ['doc', '[1,2]', [3]],
      ['doc', 'null', [2]],
      ['docs', '[{"k": 1}]', [1]],
    ])('where %s is %s', async (name, value, expected) => {
      const target = `/history/,/attribute/${await column('v')}/${await column(name)}=${encodeURIComponent(value)}`;
      expect(await status('DELETE', target)).toBe(204);
      expect(await erased()).toEqual(expected);
      expect(await amendver()).toEqual(expected.length === 0 ? null : expect.any(String));
      expect(await past.rows(await past.now(), 'attribute/S:t/id,v@sort(id)')).toEqual([
        { id: 1, v: 'foo' },
        { id: 2, v: 'null' },
        { id: 3, v: '5' },
        ...others,
      ]);
    });

    it('of one entity, and of who made a row', async () => {
      const [row] = await past.rows(first, 'attribute/S:t/id=2/RID');
      const rid = await column('RID');
      await past.done('DELETE', `/history/,/attribute/${await column('v')}/${rid}=${String(row?.RID)}`);
      expect(await erased()).toEqual([2]);
      await past.done('DELETE', `/history/,/attribute/${await column('RCB')}`);
      expect(await past.rows(first, 'attribute/S:t/id=1/RCB')).toEqual([{ RCB: null }]);
      for (const name of ['RID', 'RCT', 'RMT', 'RMB'])
        expect(await status('DELETE', `/history/,/attribute/${await column(name)}`)).toBe(409);
    });

    it('refuses a value that is none of the type, columns elsewhere and what was never captured', async () => {
      const v = await column('v');
      expect(await status('DELETE', `/history/,/attribute/${v}/${await column('n')}=abc`)).toBe(400);
      expect(await status('DELETE', `/history/,/attribute/${v}/NOPE=1`)).toBe(404);
      expect(await status('DELETE', '/history/,/attribute/NOPE')).toBe(404);
      await past.done('POST', '/schema/S/table', {
        table_name: 'off',
        column_definitions: [{ name: 'a', type: 'text' }],
        annotations: { 'tag:example.org,2020:history-capture': false },
      });
      const other = await past.rid('schema/S/table/off/column/a');
      expect(await status('DELETE', `/history/,/attribute/${v}/${other}=1`)).toBe(409);
      expect(await status('DELETE', `/history/,/attribute/${other}`)).toBe(409);
    });

    it('goes by the values and types of the time, of a column that is gone, too', async () => {
      const [v, n] = [await column('v'), await column('n')];
      await past.done('PUT', '/schema/S/table/t/column/n', { type: 'text' });
      const text = await past.now();
      await set(1, { n: 'many' });
      await past.done('DELETE', '/schema/S/table/t/column/v');
      await past.done('DELETE', `/history/,/attribute/${v}/${n}=101`);
      expect(await past.rows(text, 'attribute/S:t/id,v@sort(id)')).toEqual([
        { id: 1, v: null },
        { id: 2, v: 'null' },
        { id: 3, v: '5' },
        ...others,
      ]);
      expect(await past.rows(first, 'attribute/S:t/id=1/v')).toEqual([{ v: 'foo' }]);
      await past.done('DELETE', `/history/,/attribute/${v}/${n}=5`);
      expect(await past.rows(first, 'attribute/S:t/id=1/v')).toEqual([{ v: null }]);
    });
  });
});
