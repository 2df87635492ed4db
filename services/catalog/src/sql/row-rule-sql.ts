import { identifier, join, type Sql, sql, trusted } from '@holdfast/pg-kit';
import type { RowRule } from '../authorize/row-rule.js';
import type { PartnerGroup, RowCondition, RowTest } from '../authorize/row-test.js';
import type { Viewpoint } from '../authorize/viewpoint.js';
import type { ColumnRef } from '../resolve/resolved.js';
import { comparableValue } from './base-array.js';
import type { Naming } from './column-sql.js';
import { conditionSql } from './condition-sql.js';
import { tableSource } from './table-source.js';

/**
 * Whether a row fulfils a rule; NULL counts as no.
 * @param row name of the row in the statement
 */
export function rowRuleSql(rule: RowRule, row: Sql, viewpoint: Viewpoint): Sql {
  if (rule.kind === 'all') return sql`true`;
  if (rule.tests.length === 0) return sql`false`;
  return sql`(${join(
    rule.tests.map((test) => rowTestSql(test, row, viewpoint)),
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

/** A single test of a rule stands alone in WHERE, where the planner makes a semi-join of each EXISTS. */
function rowTestSql({ own, partners }: RowTest, row: Sql, viewpoint: Viewpoint): Sql {
  const named = namingFrom(row);
  return sql`(${join(
    [
      ...own.map((condition) => rowConditionSql(condition, named, viewpoint)),
      ...partners.map((group) => partnersSql(group, named, viewpoint)),
    ],
    ' and ',
  )})`;
}

/** The row is named already; partners are `p1`, `p2`, … inside the EXISTS that looks for them. */
function namingFrom(row: Sql): Naming {
  return ({ instance, column }: ColumnRef) =>
    sql`${instance.index === 0 ? row : partnerName(instance.index)}.${identifier(column.name)}`;
}

function partnerName(index: number): Sql {
  return trusted(`p${index}`);
}

function partnersSql({ instances, links, conditions }: PartnerGroup, named: Naming, viewpoint: Viewpoint): Sql {
  const comparable = (ref: ColumnRef): Sql => comparableValue(named(ref), ref.column.type);
  const sources = instances.map(
    ({ table, index }) => sql`${tableSource(table, viewpoint.moment)} ${partnerName(index)}`,
  );
  const where = [
    ...links.map(({ left, right }) => sql`${comparable(left)} = ${comparable(right)}`),
    ...conditions.map((condition) => rowConditionSql(condition, named, viewpoint)),
  ];
  return sql`exists (select from ${join(sources)} where ${join(where, ' and ')})`;
}

function rowConditionSql(condition: RowCondition, named: Naming, { roles }: Viewpoint): Sql {
  if (condition.kind !== 'holds-role') return conditionSql(condition, named);
  const value = named(condition.column);
  return condition.column.column.type.kind === 'array'
    ? sql`${comparableValue(value, condition.column.column.type)} && ${roles}::text[]`
    : sql`${value} = any(${roles}::text[])`;
}
