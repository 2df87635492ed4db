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
  if (asked.length === 0) return constantSql(given, () => false);
  const shown = instanceName(instance);
  const masked = rules[instance.index]?.masks.length !== 0;
  const row = masked ? identifier('b') : shown;
  const tests = asked.map((rule) => rowRuleSql(rule, row, viewpoint));
  const document = asked.length <= MOST_SPELT_OUT ? speltOut(given, asked, tests) : assembled(given, asked, tests);
  if (!masked) return sql`(case when ${shown}."RID" is not null then ${document} end)`;
  return sql`(select ${document} from ${tableSource(instance.table, viewpoint.moment)} ${row}
    where ${row}."RID" = ${shown}."RID")`;
}

/** With so many rules the documents for all ways they may turn out are still few. */
const MOST_SPELT_OUT = 3;

/** One of the documents there can be: making one for each row costs more than the rules. */
function speltOut(
  given: RowRights,
  asked: readonly SomeRows[],
  tests: readonly Sql[],
  held: readonly SomeRows[] = [],
): Sql {
  const [test, ...more] = tests;
  const rule = asked[asked.length - tests.length];
  if (test === undefined || rule === undefined)
    return constantSql(given, (one) => held.some((other) => sameRule(one, other)));
  const yes = speltOut(given, asked, more, [...held, rule]);
  return sql`case when ${test} then ${yes} else ${speltOut(given, asked, more, held)} end`;
}

/** Each rule once, whatever it decides: OFFSET keeps the planner from writing it out at every use. */
function assembled(given: RowRights, asked: readonly SomeRows[], tests: readonly Sql[]): Sql {
  const known = join(tests.map((test, index) => sql`${test} is true as ${ruleName(index)}`));
  return sql`(select ${documentSql(given, asked)} from (select ${known} offset 0) k)`;
}

function distinct(rules: readonly SomeRows[]): readonly SomeRows[] {
  return rules.filter((rule, index) => rules.findIndex((other) => sameRule(rule, other)) === index);
}

function ruleName(index: number): Sql {
  return trusted(`k${index}`);
}

/** The document where these of the rules hold. */
function constantSql({ update, delete: removal, columns }: RowRights, holds: (rule: SomeRows) => boolean): Sql {
  const value = (decision: RowDecision): boolean => decision !== 'never' && decision.every((rule) => holds(rule));
  const row = { update: value(update), delete: value(removal) };
  const document =
    columns === null
      ? row
      : { ...row, column_update: Object.fromEntries(columns.map((column) => [column.name, value(column.update)])) };
  return sql`${literal(JSON.stringify(document))}::jsonb`;
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
