import { identifier, join, type Sql, sql } from '@holdfast/pg-kit';
import type { RowRule, RowTest } from '../authorize/row-rule.js';
import type { Viewpoint } from '../authorize/viewpoint.js';
import { scalarOf } from '../model/column-types.js';

/**
 * Whether a row fulfils a rule; NULL counts as no.
 * @param row name of the row in the statement
 */
export function rowRuleSql(rule: RowRule, row: Sql, viewpoint: Viewpoint): Sql {
  if (rule.kind === 'all') return sql`true`;
  if (rule.tests.length === 0) return sql`false`;
  return sql`(${join(
    rule.tests.map((test) => rowTest(test, row, viewpoint)),
    ' or ',
  )})`;
}

/** Whether a row fulfils all of several rules. */
export function rowChecksSql(rules: readonly RowRule[], row: Sql, viewpoint: Viewpoint): Sql {
  if (rules.length === 0) return sql`true`;
  return sql`(${join(
    rules.map((rule) => rowRuleSql(rule, row, viewpoint)),
    ' and ',
  )})`;
}

function rowTest({ column, test }: RowTest, row: Sql, { roles }: Viewpoint): Sql {
  const value = sql`${row}.${identifier(column.name)}`;
  if (test === 'not-null') return sql`${value} is not null`;
  if (scalarOf(column.type).storage !== 'text') return sql`false`;
  return column.type.kind === 'array'
    ? sql`${value}::text[] && ${roles}::text[]`
    : sql`${value} = any(${roles}::text[])`;
}
