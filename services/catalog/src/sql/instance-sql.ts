import { identifier, join, type Sql, sql, trusted } from '@holdfast/pg-kit';
import type { AuthorizedRead } from '../authorize/authorize-read.js';
import type { RowRule, RowTest } from '../authorize/row-rule.js';
import { scalarOf } from '../model/column-types.js';
import type { ColumnRef, Instance, Join } from '../resolve/resolved.js';

/** `t0 JOIN t1 ON … JOIN t2 …`: the instances of a path, each with the rows the client may see. */
export function fromClause(authorized: AuthorizedRead): Sql {
  const { path } = authorized.read;
  const roles = [...authorized.rights.roles];
  const source = (instance: Instance): Sql =>
    instanceSource(instance, authorized.rowRules[instance.index] ?? { kind: 'some', tests: [] }, roles);
  return sql`${source(path.root)}${join(
    path.joins.map((one) => sql` ${joinWord(one.type)} ${source(one.instance)} on ${joinCondition(one)}`),
    '',
  )}`;
}

/** Name of an instance in the statement: no text of the client's gets into it. */
export function instanceName(instance: Instance): Sql {
  return trusted(`t${instance.index}`);
}

export function columnSql(ref: ColumnRef): Sql {
  return sql`${instanceName(ref.instance)}.${identifier(ref.column.name)}`;
}

export function instanceSource(instance: Instance, rule: RowRule, roles: readonly string[]): Sql {
  const { table } = instance;
  const relation = identifier(table.parent.name, table.name);
  if (rule.kind === 'all') return sql`${relation} ${instanceName(instance)}`;
  const visible =
    rule.tests.length === 0
      ? sql`false`
      : join(
          rule.tests.map((test) => rowTest(test, roles)),
          ' or ',
        );
  return sql`(select * from ${relation} r where ${visible}) ${instanceName(instance)}`;
}

function rowTest({ column, test }: RowTest, roles: readonly string[]): Sql {
  const value = sql`r.${identifier(column.name)}`;
  if (test === 'not-null') return sql`${value} is not null`;
  if (scalarOf(column.type).storage !== 'text') return sql`false`;
  return column.type.kind === 'array'
    ? sql`${value}::text[] && ${roles}::text[]`
    : sql`${value} = any(${roles}::text[])`;
}

function joinWord(type: Join['type']): Sql {
  return trusted({ inner: 'join', left: 'left join', right: 'right join', full: 'full join' }[type]);
}

function joinCondition({ alternatives }: Join): Sql {
  const sides = alternatives.map((pairs) =>
    join(
      pairs.map(({ left, right }) => sql`${columnSql(left)} = ${columnSql(right)}`),
      ' and ',
    ),
  );
  return sides.length === 1
    ? sql`(${join(sides)})`
    : sql`(${join(
        sides.map((side) => sql`(${side})`),
        ' or ',
      )})`;
}
