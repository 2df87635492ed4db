import { identifier, join, literal, type Sql, sql, trusted } from '@holdfast/pg-kit';
import type { AuthorizedRead } from '../authorize/authorize-read.js';
import type { RowDecision, RowRights } from '../authorize/row-rights.js';
import { type SomeRows, sameRule } from '../authorize/row-rule.js';
import type { Instance } from '../resolve/resolved.js';
import { instanceName } from './column-sql.js';
import { rowRuleSql } from './row-rule-sql.js';
import { tableSource } from './table-source.js';

/**
 * The document of `trs` and `tcrs` for the row of an instance. Where the instance shows NULL for values that may decide, the row is looked
 * up in the table itself.
 */
export function rowRightsSql(
  given: RowRights,
  instance: Instance,
  { rules, viewpoint }: Pick<AuthorizedRead, 'rules' | 'viewpoint'>,
): Sql {
  const decisions = [given.update, given.delete, ...(given.columns ?? []).map(({ update }) => update)];
  const asked = distinct(decisions.flatMap((decision) => (decision === 'never' ? [] : decision)));
  if (asked.length === 0) return sql`${literal(JSON.stringify(constantDocument(given)))}::jsonb`;
  const shown = instanceName(instance);
  const masked = rules[instance.index]?.masks.length !== 0;
  const row = masked ? identifier('b') : shown;
  // each rule once, whatever it decides: OFFSET keeps the planner from writing it out at every use
  const known = join(
    asked.map((rule, index) => sql`${rowRuleSql(rule, row, viewpoint)} is true as ${ruleName(index)}`),
  );
  const document = documentSql(given, asked);
  if (!masked)
    return sql`(case when ${shown}."RID" is not null then (select ${document} from (select ${known} offset 0) k) end)`;
  return sql`(select ${document} from (select ${known} from ${tableSource(instance.table, viewpoint.moment)} ${row}
    where ${row}."RID" = ${shown}."RID" offset 0) k)`;
}

function distinct(rules: readonly SomeRows[]): readonly SomeRows[] {
  return rules.filter((rule, index) => rules.findIndex((other) => sameRule(rule, other)) === index);
}

function ruleName(index: number): Sql {
  return trusted(`k${index}`);
}

function constantDocument({ update, delete: removal, columns }: RowRights): object {
  const row = { update: update !== 'never', delete: removal !== 'never' };
  if (columns === null) return row;
  return {
    ...row,
    column_update: Object.fromEntries(columns.map((column) => [column.name, column.update !== 'never'])),
  };
}

function documentSql({ update, delete: removal, columns }: RowRights, asked: readonly SomeRows[]): Sql {
  const members = [
    sql`'update', ${decisionSql(update, asked)}`,
    sql`'delete', ${decisionSql(removal, asked)}`,
    ...(columns === null ? [] : [columnsMember(columns, asked)]),
  ];
  return sql`jsonb_build_object(${join(members)})`;
}

function decisionSql(decision: RowDecision, asked: readonly SomeRows[]): Sql {
  if (decision === 'never') return trusted('false');
  if (decision.length === 0) return trusted('true');
  const names = decision.map((rule) => ruleName(asked.findIndex((other) => sameRule(rule, other))));
  return sql`(${join(names, ' and ')})`;
}

/** Made of pairs of name and value, because a function takes a hundred arguments at most. */
function columnsMember(columns: NonNullable<RowRights['columns']>, asked: readonly SomeRows[]): Sql {
  const pairs = columns.map(({ name, update }) => sql`(${literal(name)}, ${decisionSql(update, asked)})`);
  return sql`'column_update', (select jsonb_object_agg(pair.name, pair.value) from (values ${join(pairs)}) as pair (name, value))`;
}
