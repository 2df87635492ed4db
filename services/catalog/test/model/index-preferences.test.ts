import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';

const preferences = 'tag:example.org,2018:indexing-preferences';
const key = encodeURIComponent(preferences);

/** `{ annotations }` of an element. */
const hints = (value: object): object => ({ annotations: { [preferences]: value } });

/** Which indexes the columns of tables get (spec/catalog-model.md 20), as the database has them. */
describe('indexing preferences', () => {
  let fixture: CatalogFixture;
  let path: string;

  beforeAll(async () => {
    fixture = await startCatalog();
  });
  afterAll(() => fixture.close());
  beforeEach(async () => {
    path = await fixture.createCatalog();
    expect((await fixture.request('alice', 'POST', `${path}/schema/S`)).status).toBe(201);
  });

  const makeTable = async (table: object, schema = 'S', expected = 200): Promise<string> => {
    const body = { table_name: 't', ...table };
    const { status, text } = await fixture.request('alice', 'POST', `${path}/schema/${schema}/table`, body);
    expect([status, text]).toEqual([expected, expect.any(String)]);
    return text;
  };
  const setHints = async (place: string, value: object): Promise<void> => {
    const { status } = await fixture.request('alice', 'PUT', `${path}${place}/annotation/${key}`, value);
    expect([201, 204]).toContain(status);
  };
  /** Indexes of a table, those on system columns alone left out. */
  const indexes = async (table = 't', schema = 'S'): Promise<readonly string[]> => {
    const rows = await fixture.query(
      path.slice('/catalog/'.length),
      `select regexp_replace(indexdef, '^CREATE (UNIQUE )?INDEX .* USING ', '\\1') as index
         from pg_indexes where schemaname = $1 and tablename = $2`,
      [schema, table],
    );
    const named = rows.map(({ index }) => String(index).replace(' _catalog.gin_trgm_ops', ' trgm'));
    return named.filter((index) => !/\("R(ID|CT|MT|CB|MB)"/.test(index)).sort();
  };

  it('of a column: no btree, no trigram index', async () => {
    await makeTable({
      column_definitions: [
        { name: 'plain', type: 'text' },
        { name: 'nob', type: 'text', ...hints({ btree: false }) },
        { name: 'noth', type: 'text', ...hints({ btree: false, trgm: false }) },
        { name: 'notrgm', type: 'text', ...hints({ trgm: false }) },
        { name: 'words', type: 'text[]' },
        { name: 'nogin', type: 'text[]', ...hints({ gin_array: false }) },
      ],
    });
    expect(await indexes()).toEqual([
      'btree (nogin)',
      'btree (notrgm)',
      'btree (plain)',
      'btree (words)',
      'gin (nob trgm)',
      'gin (plain trgm)',
      'gin (words)',
    ]);
  });

  it('a list makes one index on its columns, in its order, in place of the default', async () => {
    await makeTable({
      column_definitions: [
        { name: 'a', type: 'int4', ...hints({ btree: ['a', 'c', 'b'] }) },
        { name: 'b', type: 'int4' },
        { name: 'c', type: 'int4' },
      ],
    });
    expect(await indexes()).toEqual(['btree (a, c, b)', 'btree (b)', 'btree (c)']);
  });

  it('a list that names no column of the table is refused, and nothing is made', async () => {
    const column = (btree: unknown) => ({ column_definitions: [{ name: 'a', type: 'int4', ...hints({ btree }) }] });
    expect(await makeTable(column(['a', 'nope']), 'S', 409)).toContain('nope');
    await makeTable(column(['a', 1]), 'S', 400);
    await makeTable(column([]), 'S', 400);
    expect((await fixture.request('alice', 'GET', `${path}/schema/S/table/t`)).status).toBe(404);
  });

  it('trigram indexes on other types are made where they are asked for nearby', async () => {
    await makeTable({
      column_definitions: [
        { name: 'n', type: 'int4', ...hints({ btree: false, trgm: true }) },
        { name: 'm', type: 'int4', ...hints({ btree: false }) },
        // its text form depends on settings: said in the log
        { name: 'd', type: 'date', ...hints({ btree: false, trgm: true }) },
        { name: 'doc', type: 'jsonb', ...hints({ btree: false }) },
      ],
    });
    expect(await indexes()).toEqual(['gin (((doc)::text) trgm)', 'gin (((n)::text) trgm)']);
  });

  it('blend over the four levels, hint by hint', async () => {
    await setHints('', { btree: false, trgm: false, gin_array: false });
    const columns = [
      { name: 'w', type: 'text' },
      { name: 'x', type: 'text[]' },
      { name: 'y', type: 'text', ...hints({ trgm: true }) },
      { name: 'z', type: 'text[]', ...hints({ btree: false }) },
    ];
    await makeTable({ table_name: 'only_catalog', column_definitions: columns });
    expect(await indexes('only_catalog')).toEqual(['gin (y trgm)']);
    await setHints('/schema/S', { btree: true });
    await makeTable({ table_name: 'and_schema', column_definitions: columns });
    expect(await indexes('and_schema')).toEqual(['btree (w)', 'btree (x)', 'btree (y)', 'gin (y trgm)']);
    await makeTable({ table_name: 'and_table', column_definitions: columns, ...hints({ gin_array: true }) });
    expect(await indexes('and_table')).toEqual([
      'btree (w)',
      'btree (x)',
      'btree (y)',
      'gin (x)',
      'gin (y trgm)',
      'gin (z)',
    ]);
  });

  it('the example of the specification: catalog all, table no trigrams, column no btree', async () => {
    const column_definitions = [{ name: 'c', type: 'text[]', ...hints({ btree: false }) }];
    await makeTable({ column_definitions, ...hints({ trgm: false }) });
    expect(await indexes()).toEqual(['gin (c)']);
  });

  it('count for columns added later, and not for those that are there', async () => {
    await makeTable({ column_definitions: [{ name: 'a', type: 'text' }] });
    await setHints('/schema/S/table/t', { btree: false });
    await setHints('/schema/S/table/t/column/a', { btree: false, trgm: false });
    const added = { name: 'b', type: 'text' };
    expect((await fixture.request('alice', 'POST', `${path}/schema/S/table/t/column`, added)).status).toBe(200);
    expect(await indexes()).toEqual(['btree (a)', 'gin (a trgm)', 'gin (b trgm)']);
  });

  it('leave the indexes of keys and foreign keys alone', async () => {
    await setHints('', { btree: false, trgm: false, gin_array: false });
    const two = [
      { name: 'a', type: 'int4', nullok: false },
      { name: 'b', type: 'int4', nullok: false },
    ];
    const refer = (...columns: readonly string[]) => ({
      foreign_key_columns: columns.map((column_name) => ({ column_name })),
      referenced_columns: ['a', 'b'].map((column_name) => ({ schema_name: 'S', table_name: 'u', column_name })),
    });
    await makeTable({ table_name: 'u', column_definitions: two, keys: [{ unique_columns: ['b', 'a'] }] });
    expect(await indexes('u')).toEqual(['UNIQUE btree (b, a)']);
    await makeTable({ column_definitions: two, foreign_keys: [refer('a', 'b')] });
    // in the order of the referenced key
    expect(await indexes()).toEqual(['btree (b, a)']);
    // added to a table that is there
    await makeTable({ table_name: 'later', column_definitions: two });
    expect(await indexes('later')).toEqual([]);
    const foreignKeys = `${path}/schema/S/table/later/foreignkey`;
    expect((await fixture.request('alice', 'POST', foreignKeys, refer('a', 'b'))).status).toBe(200);
    const added = await fixture.request('alice', 'POST', `${path}/schema/S/table/later/key`, { unique_columns: ['a'] });
    expect(added.status).toBe(200);
    expect(await indexes('later')).toEqual(['UNIQUE btree (a)', 'btree (b, a)']);
  });

  it('a list on the first column of a foreign key takes the place of its index', async () => {
    await makeTable({
      table_name: 'u',
      column_definitions: [{ name: 'id', type: 'int4', nullok: false }],
      keys: [{ unique_columns: ['id'] }],
    });
    await makeTable({
      column_definitions: [
        { name: 'r', type: 'int4', ...hints({ btree: ['r', 'n'] }) },
        { name: 'n', type: 'int4', ...hints({ btree: false }) },
      ],
      foreign_keys: [
        {
          foreign_key_columns: [{ column_name: 'r' }],
          referenced_columns: [{ schema_name: 'S', table_name: 'u', column_name: 'id' }],
        },
      ],
    });
    expect(await indexes()).toEqual(['btree (r, n)']);
  });
});
