import { identifier, join, type Sql, sql } from '@holdfast/pg-kit';
import type { Change } from '../history/change.js';
import type { UpdatePlan } from '../plan/update-plan.js';
import type { PlacedRows } from './reference-sql.js';
import { rowChecksSql, rowRuleSql } from './row-rule-sql.js';
import { rowForm } from './row-sql.js';
import { ordinal, type Staging } from './stage-sql.js';
import { tableName } from './table-source.js';
import { equalKeys, touched } from './upsert-sql.js';

const row = identifier('s');

/** The first input row whose keys no stored row has. */
export function unmatchedSql(plan: UpdatePlan, staging: Staging): Sql {
  return sql`select ${row}.${ordinal}::text as first from ${staging.source} ${row}
    where not exists (select from ${tableName(plan.table)} t where ${found(plan, staging)}) order by ${ordinal} limit 1`;
}

/** The first input row that finds a stored row which the client may not change. */
export function refusedSql(plan: UpdatePlan, staging: Staging): Sql {
  const { checks, viewpoint } = plan.stored;
  return sql`select from ${staging.source} ${row} join ${tableName(plan.table)} t on ${found(plan, staging)}
    where (${rowChecksSql(checks, identifier('t'), viewpoint)}) is not true limit 1`;
}

/** The rows that an update finds, as they will be. */
export function updatedRows(plan: UpdatePlan, staging: Staging): PlacedRows {
  const inputs = new Map(plan.targets.map(({ column, input }) => [column, input]));
  return {
    from: sql`${staging.source} ${row} join ${tableName(plan.table)} t on ${found(plan, staging)}`,
    value: (column) => {
      const input = inputs.get(column);
      return input === undefined ? sql`t.${identifier(column.name)}` : staging.value(input, row);
    },
  };
}

/** Stored rows with the keys of the input, as far as the client sees them. */
function found({ keys, stored }: UpdatePlan, staging: Staging): Sql {
  return sql`${equalKeys(keys, stored, staging)} and ${rowRuleSql(stored.visible, identifier('t'), stored.viewpoint)}`;
}

/**
 * Updates the rows with the keys of the input; answers a line for each, in input order: keys as sent, targets as stored
 * (spec/catalog-data.md 7.5).
 */
export function updateByKeySql(plan: UpdatePlan, staging: Staging, change: Change): Sql {
  const columns = [...plan.keys, ...plan.targets];
  const name = (index: number): Sql => identifier(`c${index}`);
  const sets = plan.targets.map(({ column, input }) => sql`${identifier(column.name)} = ${staging.value(input, row)}`);
  const returned = columns.map(({ column, input }, index) => {
    const value = index < plan.keys.length ? staging.value(input, row) : sql`t.${identifier(column.name)}`;
    return sql`${value} as ${name(index)}`;
  });
  const form = rowForm(
    columns.map(({ input }, index) => ({ name: input.name, type: input.type, value: sql`u.${name(index)}` })),
    plan.formats.answer,
    false,
  );
  return sql`with u as (
      update ${tableName(plan.table)} t set ${join([...sets, ...touched(change)])} from ${staging.source} ${row}
      where ${found(plan, staging)} returning ${row}.${ordinal}, ${join(returned)}
    ) ${form.wrap(sql`select ${form.list} from u order by u.${ordinal}`)}`;
}
