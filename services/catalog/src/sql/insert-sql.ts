import { identifier, join, nothing, type Sql, sql } from '@holdfast/pg-kit';
import type { Change } from '../history/change.js';
import type { Column } from '../model/model.js';
import type { InsertPlan } from '../plan/insert-plan.js';
import { defaultSql, type PlacedRows } from './reference-sql.js';
import { returnedRow } from './row-sql.js';
import { ordinal, type Staging } from './stage-sql.js';
import { tableName } from './table-source.js';

/** Inserts the staged rows in input order; its rows are the lines of the answer. */
export function insertSql(plan: InsertPlan, staging: Staging, change: Change): Sql {
  const { table } = plan;
  const row = identifier('s');
  const system = systemValues(plan, staging, change, row);
  const others = insertedValues(plan, staging, row);
  const columns = [
    ...system.map(({ name }) => identifier(name)),
    ...others.map(({ column }) => identifier(column.name)),
  ];
  const values = [...system, ...others].map(({ value }) => value);
  const answer = returnedRow(
    plan.answered.map((column) => ({ name: column.name, type: column.type, value: sql`t.${identifier(column.name)}` })),
    plan.formats.answer,
  );
  return sql`insert into ${tableName(table)} as t (${join(columns)})
    select ${join(values)} from (select *, ${ridSource(plan, staging)} as new_rid from ${staging.source} i order by ${ordinal}) ${row}
    ${plan.onConflict === 'skip' ? sql`on conflict do nothing` : nothing}
    returning ${answer}`;
}

/** Input rows that are one and the same by all key columns; tuples with a NULL are never the same (spec/catalog-data.md 7.2). */
export function duplicateInputSql(metakey: readonly Column[], staging: Staging): Sql {
  const row = identifier('s');
  const names = metakey.map((_, index) => identifier(`k${index}`));
  const list = join(metakey.map((column, index) => sql`${staging.value(column, row)} as ${names[index] ?? nothing}`));
  const complete = join(
    names.map((name) => sql`${name} is not null`),
    ' and ',
  );
  return sql`select min(${ordinal})::text as first, max(${ordinal})::text as last
    from (select ${ordinal}, ${list} from ${staging.source} ${row}) d
    where ${complete} group by ${join(names)} having count(*) > 1 limit 1`;
}

/** The rows that an insertion would make, before it does. */
export function insertedRows({ fromInput }: Pick<InsertPlan, 'fromInput'>, staging: Staging): PlacedRows {
  const row = identifier('s');
  return {
    from: sql`${staging.source} ${row}`,
    value: (column) => (fromInput.includes(column) ? staging.value(column, row) : defaultSql(column)),
  };
}

function ridSource({ fromInput }: InsertPlan, staging: Staging): Sql {
  const rid = fromInput.find((column) => column.system === 'RID');
  return rid === undefined ? sql`_catalog.next_rid()` : staging.value(rid, identifier('i'));
}

interface SystemValue {
  readonly name: string;
  readonly value: Sql;
}

/** The service sets the system columns itself: a default would be evaluated for each row (spec/catalog-access.md 12.4). */
function systemValues({ fromInput }: InsertPlan, staging: Staging, change: Change, row: Sql): readonly SystemValue[] {
  const given = (name: string): Column | undefined => fromInput.find((column) => column.system === name);
  const now = sql`${change.ts}::timestamptz`;
  const client = sql`${change.client}::text`;
  const rct = given('RCT');
  const rcb = given('RCB');
  return [
    { name: 'RID', value: sql`${row}.new_rid` },
    { name: 'RCT', value: rct === undefined ? now : staging.value(rct, row) },
    { name: 'RMT', value: now },
    { name: 'RCB', value: rcb === undefined ? client : sql`coalesce(${staging.value(rcb, row)}, ${client})` },
    { name: 'RMB', value: client },
  ];
}

const TEMPLATE_TYPES = new Set(['ermrest_uri', 'ermrest_curie']);
const TEMPLATE_NAMES = new Set(['id', 'ID', 'uri', 'URI']);

/** The columns that a new row gets a value for, system columns apart. The others PostgreSQL fills with their defaults. */
export function insertedValues(
  { table, fromInput }: Pick<InsertPlan, 'table' | 'fromInput'>,
  staging: Staging,
  row: Sql,
): readonly { readonly column: Column; readonly value: Sql }[] {
  const given = fromInput.filter((column) => column.system === null);
  // a default that is no constant, made by hand, is PostgreSQL's to evaluate
  const defaulted = table.columns.filter(
    (column) => isTemplated(column) && column.default !== null && !given.includes(column),
  );
  return [
    ...given.map((column) => ({ column, value: withRid(column, staging.value(column, row), row) })),
    ...defaulted.map((column) => ({ column, value: withRid(column, defaultSql(column), row) })),
  ];
}

/** Identifier columns may hold `{RID}`, also by their default, which stands for the RID of the row (spec/catalog-data.md 5.3). */
function withRid(column: Column, value: Sql, row: Sql): Sql {
  return isTemplated(column) ? sql`replace(${value}, '{RID}', ${row}.new_rid)` : value;
}

function isTemplated({ type, name }: Column): boolean {
  return type.kind === 'scalar' && TEMPLATE_TYPES.has(type.name) && TEMPLATE_NAMES.has(name);
}
