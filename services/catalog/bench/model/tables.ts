import { measure, report } from '@holdfast/testkit';
import type pg from 'pg';
import { schemaDocument, type Workbench } from './workbench.js';

const TABLES = 50;
const COLUMNS = 12;

/** A schema of 50 tables in one POST, against a bare client that runs the same DDL, in one message and one transaction. */
export async function measureTables(bench: Workbench, rounds: number): Promise<boolean> {
  const document = schemaDocument('S', TABLES, COLUMNS);
  const model = await bench.createCatalog();
  await bench.call('POST', `${model}/schema`, document);
  const source = await bench.connectToLast();
  const ddl = await ddlOf(source, 'S');
  await source.end();
  let path = '';
  let client: pg.Client | null = null;
  const measured = await measure(
    [
      {
        name: `DDL of ${ddl.length} statements`,
        prepare: async () => {
          await bench.createCatalog();
          await client?.end();
          client = await bench.connectToLast();
        },
        run: async () => {
          await client?.query(`begin;\n${ddl.join(';\n')};\ncommit`);
        },
      },
      {
        name: 'POST schema',
        prepare: async () => {
          path = await bench.createCatalog();
        },
        run: async () => {
          await bench.call('POST', `${path}/schema`, document);
        },
      },
    ],
    rounds,
  );
  await (client as pg.Client | null)?.end();
  return report(`A schema of ${TABLES} tables with ${COLUMNS} columns each, median of ${rounds} rounds`, measured, 2);
}

/**
 * The statements that make what is in a schema, read back from the database: tables with constraints, foreign keys, indexes, and what
 * keeps the history of their rows.
 */
async function ddlOf(client: pg.Client, schema: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly statement: string }>(
    `with t as (select c.oid, format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
                 where n.nspname = $1 and c.relkind = 'r'),
          h as (select c.oid, format('_catalog.%I', c.relname) as name, k.rid from _catalog.capture k
                  join t on t.oid = _catalog.live_relation(k.rid) join pg_class c on c.oid = to_regclass(format('_catalog.%I', 'h_' || k.rid)))
     select statement from (
       select 1 as step, format('create schema %I', $1::text) as statement
       union all
       select 2, format('create table %s (%s)', t.name, string_agg(line, ', ' order by place)) from t, lateral (
         select a.attnum::int as place, format('%I %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
             case when a.attnotnull then ' not null' else '' end, ' default ' || pg_get_expr(d.adbin, d.adrelid)) as line
           from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
          where a.attrelid = t.oid and a.attnum > 0
         union all
         select 1000, format('constraint %I %s', k.conname, pg_get_constraintdef(k.oid))
           from pg_constraint k where k.conrelid = t.oid and k.contype = 'u') as lines group by t.name
       union all
       select 3, format('alter table %s add constraint %I %s', t.name, k.conname, pg_get_constraintdef(k.oid))
         from t join pg_constraint k on k.conrelid = t.oid and k.contype = 'f'
       union all
       select 5, format('create table %s (%s)', h.name, string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', '))
         from h join pg_attribute a on a.attrelid = h.oid and a.attnum > 0 group by h.name
       union all
       select 6, pg_get_indexdef(i.indexrelid) from h join pg_index i on i.indrelid = h.oid
       union all
       select 7, pg_get_functiondef(p.oid) from h join pg_proc p on p.proname = 'capture_' || h.rid
       union all
       select 8, pg_get_triggerdef(g.oid) from t join pg_trigger g on g.tgrelid = t.oid and not g.tgisinternal
       union all
       select 4, pg_get_indexdef(i.indexrelid) from t join pg_index i on i.indrelid = t.oid
        where not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype = 'u')
     ) as all_steps order by step`,
    [schema],
  );
  return rows.map(({ statement }) => statement);
}
