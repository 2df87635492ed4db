import { identifier, join, type Sql, sql } from '@holdfast/pg-kit';
import type { Change } from '../history/change.js';
import type { Column } from '../model/model.js';
import type { UpsertPlan } from '../plan/upsert-plan.js';
import type { StoredRows } from '../plan/write-plan.js';
import { insertedRows, insertedValues } from './insert-sql.js';
import type { PlacedRows } from './reference-sql.js';
import { rowChecksSql, rowRuleSql } from './row-rule-sql.js';
import { rowForm } from './row-sql.js';
import { ordinal, type Staging } from './stage-sql.js';
import { tableName } from './table-source.js';

/** Which stored row each input row stands for; of a new one, the RID it gets. */
export const matched = identifier('pg_temp', 'holdfast_matched');

const row = identifier('s');

/** Input rows with equal keys, NULLs equal: it would be arbitrary which one counts (spec/catalog-data.md 7.2). */
export function repeatedKeySql(keys: readonly Column[], staging: Staging): Sql {
  const list = join(keys.map((column) => staging.value(column, row)));
  return sql`select min(${ordinal})::text as first, max(${ordinal})::text as last
    from ${staging.source} ${row} group by ${list} having count(*) > 1 limit 1`;
}

/** Matches input and stored rows, as they were before the request. */
export function matchSql(plan: UpsertPlan, staging: Staging): Sql {
  return sql`create temporary table holdfast_matched as
    select ${row}.${ordinal} as ord, t."RID"::text as rid, false as fresh${shownColumns(plan)}
    from ${staging.source} ${row} join ${tableName(plan.table)} t on ${equalKeys(
      plan.metakey.map((column) => ({ column, input: column })),
      plan.stored,
      staging,
    )} and ${rowRuleSql(plan.stored.visible, identifier('t'), plan.stored.viewpoint)}`;
}

/** A matched row, if there is one that the client may not change. */
export function refusedMatchSql({ table, stored }: UpsertPlan): Sql {
  return sql`select from ${matched} m join ${tableName(table)} t on t."RID" = m.rid
    where not m.fresh and (${rowChecksSql(stored.checks, identifier('t'), stored.viewpoint)}) is not true limit 1`;
}

/** Gives RIDs to the input rows that match nothing. */
export function addFreshRowsSql({ source }: Staging): Sql {
  return sql`insert into ${matched} (ord, rid, fresh)
  select ${ordinal}, _catalog.next_rid(), true from
    (select ${ordinal} from ${source} i where not exists (select from ${matched} m where m.ord = i.${ordinal}) order by ${ordinal}) n`;
}

/** Matched rows as they will be. */
export function changedRows(plan: UpsertPlan, staging: Staging): PlacedRows {
  return {
    from: sql`${staging.source} ${row} join ${matched} m on m.ord = ${row}.${ordinal} and not m.fresh
      join ${tableName(plan.table)} t on t."RID" = m.rid`,
    value: (column) =>
      plan.fromInput.includes(column) ? staging.value(column, row) : sql`t.${identifier(column.name)}`,
  };
}

/** New rows as they will be. */
export function freshRows(plan: UpsertPlan, staging: Staging): PlacedRows {
  const { from, value } = insertedRows(plan, staging);
  return { from: sql`${from} join ${matched} m on m.ord = ${row}.${ordinal} and m.fresh`, value };
}

/** Sets the non-key columns of the matched rows. */
export function updateMatchedSql(plan: UpsertPlan, staging: Staging, change: Change): Sql {
  const sets = plan.updated.map((column) => sql`${identifier(column.name)} = ${staging.value(column, row)}`);
  return sql`update ${tableName(plan.table)} t set ${join([...sets, ...touched(change)])}
    from ${matched} m join ${staging.source} ${row} on ${row}.${ordinal} = m.ord where t."RID" = m.rid and not m.fresh`;
}

/** Inserts the new rows. */
export function insertFreshSql(plan: UpsertPlan, staging: Staging, change: Change): Sql {
  const inserted = insertedValues(plan, staging, row);
  const columns = inserted.map(({ column }) => identifier(column.name));
  const values = inserted.map(({ value }) => value);
  return sql`insert into ${tableName(plan.table)} ("RID", "RCT", "RMT", "RCB", "RMB", ${join(columns)})
    select ${row}.new_rid, ${change.ts}::timestamptz, ${change.ts}::timestamptz, ${change.client}::text, ${change.client}::text, ${join(values)}
    from (select i.*, m.rid as new_rid from ${matched} m join ${staging.source} i on i.${ordinal} = m.ord where m.fresh order by m.ord) ${row}`;
}

/** The rows written, in input order. */
export function writtenRowsSql(plan: UpsertPlan): Sql {
  const form = rowForm(
    plan.answered.map((column) => ({ name: column.name, type: column.type, value: answeredValue(plan, column) })),
    plan.formats.answer,
    false,
  );
  return form.wrap(
    sql`select ${form.list} from ${matched} m join ${tableName(plan.table)} t on t."RID" = m.rid order by m.ord`,
  );
}

function answeredValue({ shownUnset }: UpsertPlan, column: Column): Sql {
  const value = sql`t.${identifier(column.name)}`;
  const mask = shownUnset.findIndex(({ columns }) => columns.includes(column));
  return mask < 0 ? value : sql`(case when m.fresh or m.${shownName(mask)} then ${value} end)`;
}

/** What the client sees of the columns that are not set: by the state before the request (spec/catalog-access.md 8.4, point 7). */
function shownColumns({ shownUnset, stored }: UpsertPlan): Sql {
  const rules = shownUnset.map(
    ({ rule }, index) => sql`, ${rowRuleSql(rule, identifier('t'), stored.viewpoint)} as ${shownName(index)}`,
  );
  return join(rules, '');
}

function shownName(index: number): Sql {
  return identifier(`shown${index}`);
}

/** Every row a request touches shows it, also when nothing else changes. */
export function touched(change: Change): readonly Sql[] {
  return [sql`"RMT" = ${change.ts}::timestamptz`, sql`"RMB" = ${change.client}::text`];
}

/**
 * Equality of key columns between a stored row `t`, as the client sees it, and a staged row, NULL equal to NULL. Where the input has no NULL plain equality says the
 * same, and it can use an index or a hash, which `is not distinct from` cannot.
 */
export function equalKeys(
  keys: readonly { readonly column: Column; readonly input: Column }[],
  { maskedKeys, viewpoint }: StoredRows,
  staging: Staging,
): Sql {
  const pairs = keys.map(({ column, input }) => {
    const given = staging.value(input, row);
    const mask = maskedKeys.find(({ columns }) => columns.includes(column));
    const value = sql`t.${identifier(column.name)}`;
    const stored =
      mask === undefined
        ? value
        : sql`case when ${rowRuleSql(mask.rule, identifier('t'), viewpoint)} then ${value} end`;
    return (column.nullok || mask !== undefined) && staging.mayBeNull(input)
      ? sql`${stored} is not distinct from ${given}`
      : sql`${stored} = ${given}`;
  });
  return join(pairs, ' and ');
}
