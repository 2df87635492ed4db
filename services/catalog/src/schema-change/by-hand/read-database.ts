import { type Connection, join, type Sql, sql, trusted } from '@holdfast/pg-kit';
import { parseExact } from '../../model/exact-numbers.js';
import type { Json, ReferentialAction } from '../../model/model.js';
import type {
  DatabaseColumn,
  DatabaseForeignKey,
  DatabaseKey,
  DatabaseObjects,
  DatabaseRelation,
  DatabaseSchema,
} from './database-objects.js';
import { type DeclaredType, typeOfColumn } from './type-of-column.js';

/** Reads what schemas, tables, views, columns and constraints the database of a catalog has, without those of the service. */
export async function readDatabase(connection: Connection): Promise<DatabaseObjects> {
  const schemas = await connection.query<DatabaseSchema>(schemasSql);
  const relations = await connection.query<DatabaseRelation>(relationsSql);
  const columns = await connection.query<ColumnRow>(columnsSql);
  const constants = await readConstants(connection, columns);
  const constraints = await connection.query<ConstraintRow>(constraintsSql);
  return {
    schemas,
    relations,
    columns: groupBy(columns, (row) => toColumn(row, constants)),
    keys: groupBy(
      constraints.filter(({ type }) => type !== 'f'),
      toKey,
    ),
    foreignKeys: constraints.filter(({ type }) => type === 'f').map(toForeignKey),
  };
}

/** Reserved names (spec/catalog-model.md 7) and what extensions brought along are not the users'. */
const usersSchemas: Sql = sql`n.nspname !~ '^pg_'
  and n.nspname not in ('_catalog', '_ermrest', '_ermrest_history', 'information_schema')
  and not exists (select from pg_depend d where d.classid = 'pg_namespace'::regclass and d.objid = n.oid and d.deptype = 'e')`;

const schemasSql = sql`
  select n.oid, n.nspname as name, obj_description(n.oid, 'pg_namespace') as comment
    from pg_namespace n where ${usersSchemas} order by n.oid`;

/** Partitions show through the table they are parts of. */
const usersRelations: Sql = sql`
  pg_class c join pg_namespace n on n.oid = c.relnamespace and ${usersSchemas}
    and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition and c.relpersistence <> 't'
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;

const relationsSql = sql`
  select c.oid, c.relnamespace as schema, c.relname as name, obj_description(c.oid, 'pg_class') as comment,
         case when c.relkind in ('r', 'p') then 'table' else 'view' end as kind
    from ${usersRelations} order by c.oid`;

interface ColumnRow extends DeclaredType {
  readonly relation: number;
  readonly number: number;
  readonly name: string;
  readonly declared: string;
  readonly not_null: boolean;
  readonly expression: string | null;
  readonly comment: string | null;
}

const columnsSql = sql`
  select a.attrelid as relation, a.attnum as number, a.attname as name, a.attnotnull as not_null,
         format_type(a.atttypid, a.atttypmod) as declared, a.attndims as dimensions, a.attidentity <> '' as identity,
         t.typname as type, tn.nspname as type_schema, e.typname as element, en.nspname as element_schema,
         case when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end as expression,
         col_description(a.attrelid, a.attnum) as comment
    from ${usersRelations}
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid join pg_namespace tn on tn.oid = t.typnamespace
    left join pg_type e on e.oid = t.typelem and t.typcategory = 'A' left join pg_namespace en on en.oid = e.typnamespace
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   order by a.attrelid, a.attnum`;

function toColumn(row: ColumnRow, constants: ReadonlyMap<ColumnRow, Json>): DatabaseColumn {
  const { number, name, declared, not_null, comment } = row;
  return {
    number,
    name,
    declared,
    type: typeOfColumn(row),
    nullok: !not_null,
    default: constants.get(row) ?? null,
    comment,
  };
}

/** A literal with casts around it, as PostgreSQL writes it: the only form of default that a document can show. */
const constant =
  /^\(*(?:E?'(?:[^']|'')*'|-?\d+(?:\.\d+)?|true|false)\)*(?:::[\w ."[\]]+(?:\(\d+(?:,\d+)?\))?[\w ."[\]]*\)*)*$/;

/** The values of defaults that are constants, as the database reads them. */
async function readConstants(
  connection: Connection,
  columns: readonly ColumnRow[],
): Promise<ReadonlyMap<ColumnRow, Json>> {
  const defaulted = columns.filter(({ expression }) => expression !== null && constant.test(expression));
  const values = new Map<ColumnRow, Json>();
  for (let start = 0; start < defaulted.length; start += 500) {
    const part = defaulted.slice(start, start + 500);
    // the text is PostgreSQL's own, of a literal
    const items = part.map(({ expression, declared }) => trusted(`to_jsonb((${expression})::${declared})`));
    const rows = await connection.query<{ readonly value: string | null }>(
      sql`select value::text from unnest(array[${join(items)}]) with ordinality as given (value, place) order by place`,
    );
    for (const [index, column] of part.entries()) values.set(column, parseExact(rows[index]?.value ?? 'null'));
  }
  return values;
}

interface ConstraintRow {
  readonly oid: number;
  readonly relation: number;
  readonly name: string;
  readonly type: 'p' | 'u' | 'f';
  readonly columns: readonly number[];
  readonly referenced: number;
  readonly referenced_columns: readonly number[] | null;
  readonly on_delete: ReferentialAction | null;
  readonly on_update: ReferentialAction | null;
}

const constraintsSql = sql`
  select k.oid, k.conrelid as relation, k.conname as name, k.contype as type, k.conkey::integer[] as columns,
         k.confrelid as referenced, k.confkey::integer[] as referenced_columns,
         ${action('k.confdeltype')} as on_delete, ${action('k.confupdtype')} as on_update
    from ${usersRelations}
    join pg_constraint k on k.conrelid = c.oid and k.contype in ('p', 'u', 'f') and k.conparentid = 0
   order by k.contype = 'p' desc, k.oid`;

function action(column: string): Sql {
  return trusted(
    `case ${column} when 'a' then 'NO ACTION' when 'r' then 'RESTRICT' when 'c' then 'CASCADE' when 'n' then 'SET NULL' when 'd' then 'SET DEFAULT' end`,
  );
}

function toKey({ oid, name, columns }: ConstraintRow): DatabaseKey {
  return { oid, name, columns };
}

function toForeignKey(row: ConstraintRow): DatabaseForeignKey {
  return {
    ...toKey(row),
    relation: row.relation,
    referencedRelation: row.referenced,
    referencedColumns: row.referenced_columns ?? [],
    onDelete: row.on_delete ?? 'NO ACTION',
    onUpdate: row.on_update ?? 'NO ACTION',
  };
}

function groupBy<Row extends { readonly relation: number }, Value>(
  rows: readonly Row[],
  read: (row: Row) => Value,
): ReadonlyMap<number, readonly Value[]> {
  const groups = new Map<number, Value[]>();
  for (const row of rows) {
    const group = groups.get(row.relation);
    if (group === undefined) groups.set(row.relation, [read(row)]);
    else group.push(read(row));
  }
  return groups;
}
