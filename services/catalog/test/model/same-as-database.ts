import { expect } from '@jest/globals';
import type { CatalogFixture } from '../support/catalog-fixture.js';

/** Expects the bookkeeping of a catalog to say of every element what the database says of its object. */
export async function expectSameAsDatabase(fixture: CatalogFixture, catalogId: string): Promise<void> {
  const ask = (text: string) => fixture.query(catalogId, text);
  expect(await ask(columnsOfModel)).toEqual(await ask(columnsOfDatabase));
  expect(await ask(constraintsOfModel)).toEqual(await ask(constraintsOfDatabase));
}

const live = `select * from _catalog.elem where hi = 'infinity'`;
const userSchemas = `select oid, nspname from pg_namespace where nspname !~ '^(pg_|_catalog$|information_schema$)'`;

/** Elements are tied by OID and attribute number: the names must be those of the objects so tied. */
const columnsOfModel = `
  with e as (${live})
  select s.doc->>'name' as schema, t.doc->>'name' as "table", c.doc->>'name' as "column",
         (s.doc->>'oid')::oid as schema_oid, (t.doc->>'oid')::oid as table_oid, (c.doc->>'attnum')::int as attnum,
         (c.doc->>'nullok')::boolean as nullok, c.doc->'default' <> 'null' as has_default,
         regexp_replace(c.doc->>'type', '^serial', 'int') as type
    from e s join e t on t.parent = s.rid and t.kind = 'table' join e c on c.parent = t.rid and c.kind = 'column'
   where s.kind = 'schema' order by table_oid, attnum`;

const columnsOfDatabase = `
  with s as (${userSchemas})
  select s.nspname::text as schema, t.relname::text as "table", c.attname::text as "column",
         s.oid as schema_oid, t.oid as table_oid, c.attnum::int as attnum, not c.attnotnull as nullok,
         pg_get_expr(d.adbin, d.adrelid) !~ '^(_catalog\\.(next_rid|now|client)|nextval)' is true and d.adbin is not null as has_default,
         case when y.typelem <> 0 and y.typcategory = 'A' then ey.typname || '[]' else regexp_replace(y.typname, '^bool$', 'boolean') end as type
    from s join pg_class t on t.relnamespace = s.oid and t.relkind = 'r'
    join pg_attribute c on c.attrelid = t.oid and c.attnum > 0 and not c.attisdropped
    left join pg_attrdef d on d.adrelid = t.oid and d.adnum = c.attnum
    join pg_type y on y.oid = c.atttypid left join pg_type ey on ey.oid = y.typelem
   order by table_oid, attnum`;

const constraintsOfModel = `
  with e as (${live})
  select k.kind, s.doc->>'name' as schema, t.doc->>'name' as "table", k.doc->>'name' as name, (k.doc->>'oid')::oid as oid,
         k.doc->>'on_delete' as on_delete, k.doc->>'on_update' as on_update,
         (select array_agg(c.doc->>'name' order by n) from jsonb_array_elements_text(k.doc->'columns') with ordinality as m (rid, n)
            join e c on c.rid = m.rid and c.kind = 'column') as columns
    from e k join e t on t.rid = k.parent and t.kind = 'table' join e s on s.rid = t.parent and s.kind = 'schema'
   where k.kind in ('key', 'foreign_key') order by oid`;

const actions = (column: string): string => `case when contype = 'f' then case ${column}
  when 'a' then 'NO ACTION' when 'r' then 'RESTRICT' when 'c' then 'CASCADE' when 'n' then 'SET NULL' else 'SET DEFAULT' end end`;

const constraintsOfDatabase = `
  with s as (${userSchemas})
  select case contype when 'f' then 'foreign_key' else 'key' end as kind, s.nspname::text as schema, t.relname::text as "table",
         k.conname::text as name, k.oid, ${actions('confdeltype')} as on_delete, ${actions('confupdtype')} as on_update,
         (select array_agg(a.attname::text order by n) from unnest(k.conkey) with ordinality as m (attnum, n)
            join pg_attribute a on a.attrelid = k.conrelid and a.attnum = m.attnum) as columns
    from s join pg_class t on t.relnamespace = s.oid join pg_constraint k on k.conrelid = t.oid and contype in ('u', 'f')
   order by oid`;
