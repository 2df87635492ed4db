import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';

const place = { schema_name: 'S' };

/** What the model interface makes of the database itself. */
describe('database objects', () => {
  let fixture: CatalogFixture;
  let path: string;
  const query = (text: string, values?: readonly unknown[]) =>
    fixture.query(path.slice('/catalog/'.length), text, values);
  const indexes = async (table: string): Promise<readonly string[]> => {
    const rows = await query(
      `select regexp_replace(indexdef, '^.* USING ', '') as index from pg_indexes
        where schemaname = 'S' and tablename = $1 order by 1`,
      [table],
    );
    return rows.map(({ index }) => String(index));
  };

  beforeAll(async () => {
    fixture = await startCatalog();
    path = await fixture.createCatalog();
    await fixture.request('alice', 'POST', `${path}/schema`, [
      place,
      {
        ...place,
        table_name: 'site',
        column_definitions: [
          { name: 'country', type: 'text', nullok: false },
          { name: 'code', type: 'int4', nullok: false },
          { name: 'label', type: 'text', default: 'x' },
          { name: 'notes', type: 'markdown' },
          { name: 'tags', type: 'text[]', default: ['a,b', 'c"d'] },
          { name: 'extra', type: 'jsonb', default: { a: [1] } },
          { name: 'number', type: 'serial4' },
        ],
        keys: [{ unique_columns: ['country', 'code'] }],
      },
      {
        ...place,
        table_name: 'visit',
        column_definitions: [
          { name: 'site_code', type: 'int4' },
          { name: 'site_country', type: 'text' },
          { name: 'day', type: 'date' },
        ],
        foreign_keys: [
          {
            foreign_key_columns: [{ column_name: 'site_code' }, { column_name: 'site_country' }],
            referenced_columns: ['code', 'country'].map((column_name) => ({
              ...place,
              table_name: 'site',
              column_name,
            })),
          },
        ],
      },
    ]);
  });
  afterAll(() => fixture.close());

  it('have the names of the model, constraints included', async () => {
    const { json } = await fixture.request('alice', 'GET', `${path}/schema/S`);
    const { tables } = json as { tables: Record<string, { keys: Named[]; foreign_keys: Named[] }> };
    type Named = { names: [string, string][] };
    const named = Object.values(tables).flatMap(({ keys, foreign_keys }) => [...keys, ...foreign_keys]);
    const rows = await query(
      `select n.nspname as schema, conname as name from pg_constraint c join pg_namespace n on n.oid = connamespace
        where n.nspname = 'S' and contype in ('u', 'f')`,
    );
    const sorted = (pairs: readonly (readonly [string, string])[]): readonly string[] => pairs.map(String).sort();
    expect(sorted(named.flatMap(({ names }) => names))).toEqual(
      sorted(rows.map(({ schema, name }) => [String(schema), String(name)] as const)),
    );
  });

  it('are indexed by the rules', async () => {
    expect(await indexes('site')).toEqual(
      [
        'btree ("RCB")',
        'btree ("RCT")',
        'btree ("RID")',
        'btree ("RMB")',
        'btree ("RMT")',
        'btree (country, code)',
        'btree (extra)',
        'btree (code)',
        'btree (label)',
        'btree (number)',
        'btree (tags)',
        'gin (((extra)::text) _catalog.gin_trgm_ops)',
        'gin (country _catalog.gin_trgm_ops)',
        'gin (label _catalog.gin_trgm_ops)',
        'gin (notes _catalog.gin_trgm_ops)',
        'gin (tags)',
      ].sort(),
    );
    // in the order of the referenced key, and instead of an index on the first column alone
    expect(await indexes('visit')).toEqual(
      [
        'btree ("RCB")',
        'btree ("RCT")',
        'btree ("RID")',
        'btree ("RMB")',
        'btree ("RMT")',
        'btree (day)',
        'btree (site_code)',
        'btree (site_country, site_code)',
        'gin (site_country _catalog.gin_trgm_ops)',
      ].sort(),
    );
  });

  it('are tied to the elements of the model', async () => {
    const rows = await query(
      `select e.kind, e.doc->>'name' as model,
              case e.kind when 'table' then (e.doc->>'oid')::oid::regclass::text
                when 'column' then (select attname::text from pg_attribute
                  where attrelid = (p.doc->>'oid')::oid and attnum = (e.doc->>'attnum')::int)
                when 'schema' then (select nspname::text from pg_namespace where oid = (e.doc->>'oid')::oid)
                else (select conname::text from pg_constraint where oid = (e.doc->>'oid')::oid) end as database
         from _catalog.elem e left join _catalog.elem p on p.rid = e.parent and p.kind = 'table'
        where e.kind in ('schema', 'table', 'column', 'key', 'foreign_key')`,
    );
    expect(rows.length).toBeGreaterThan(50);
    const bare = (name: unknown): string => String(name).replace(/^.*\./, '').replaceAll('"', '');
    for (const { model, database } of rows) expect(bare(database)).toBe(model);
  });

  it('fill in defaults, sequences and the system columns of rows made by hand', async () => {
    await query(`insert into "S".site (country, code) values ('nz', 1), ('nz', 2)`);
    const rows = await query(
      'select "RID", label, tags, extra, number, "RCT" = "RMT" as new from "S".site order by code',
    );
    expect(rows).toMatchObject([
      { label: 'x', tags: ['a,b', 'c"d'], extra: { a: [1] }, number: 1, new: true },
      { number: 2, new: true },
    ]);
    await expect(query(`insert into "S".visit (site_code, site_country) values (9, 'nz')`)).rejects.toThrow(
      /visit_site_code_site_country_fkey/,
    );
  });

  it('get indexes on a table with rows after the answer', async () => {
    const answer = await fixture.request('alice', 'POST', `${path}/schema/S/table/site/column`, {
      name: 'late',
      type: 'text',
    });
    expect(answer.status).toBe(200);
    const wanted = ['btree (late)', 'gin (late _catalog.gin_trgm_ops)'];
    for (let wait = 0; wait < 100; wait += 1) {
      if (wanted.every((index) => have.includes(index))) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
      have = await indexes('site');
    }
    expect(have).toEqual(expect.arrayContaining(wanted));
  });
  let have: readonly string[] = [];

  it('lose with a column what contains it', async () => {
    expect((await fixture.request('alice', 'DELETE', `${path}/schema/S/table/visit/column/site_code`)).status).toBe(
      204,
    );
    const { json } = await fixture.request('alice', 'GET', `${path}/schema/S/table/visit`);
    expect(json).toMatchObject({ foreign_keys: [] });
    expect(await indexes('visit')).not.toContain('btree (site_country, site_code)');
  });

  it('keep the rows of clients and groups without making snapshots', async () => {
    const [before] = await query('select count(*)::int as snapshots from _catalog.snap');
    await fixture.request('alice', 'PUT', `${path}/acl/enumerate`, ['*']);
    await fixture.request('bob', 'GET', path);
    await fixture.request('carol', 'POST', `${path}/schema/not-hers`);
    const [after] = await query('select count(*)::int as snapshots from _catalog.snap');
    expect(Number(after?.snapshots) - Number(before?.snapshots)).toBe(1);
    // who changes something is there before, also when it is refused
    const clients = await query('select "ID", "Display_Name" from public."Catalog_Client"');
    expect(clients).toEqual(
      expect.arrayContaining([
        { ID: 'alice', Display_Name: 'Alice' },
        { ID: 'carol', Display_Name: null },
      ]),
    );
    expect(await query('select "ID", "Display_Name" from public."Catalog_Group"')).toEqual([
      { ID: 'g1', Display_Name: 'Group 1' },
    ]);
  });
});
