import { identifier, join, type Sql, sql, trusted } from '@holdfast/pg-kit';
import type { AuthorizedRead } from '../authorize/authorize-read.js';
import type { ColumnMask, ReadRule } from '../authorize/row-rule.js';
import type { Viewpoint } from '../authorize/viewpoint.js';
import type { Column } from '../model/model.js';
import type { ColumnRef, Instance, Join } from '../resolve/resolved.js';
import { comparableValue } from './base-array.js';
import { rowRuleSql } from './row-rule-sql.js';
import { tableSource } from './table-source.js';

/** `t0 JOIN t1 ON … JOIN t2 …`: the instances of a path, each with the rows the client may see. */
export function fromClause(authorized: AuthorizedRead): Sql {
  const { path } = authorized.read;
  const source = (instance: Instance): Sql =>
    instanceSource(instance, authorized.rules[instance.index] ?? NOTHING, authorized.viewpoint);
  return sql`${source(path.root)}${join(
    path.joins.map((one) => sql` ${joinWord(one.type)} ${source(one.instance)} on ${joinCondition(one)}`),
    '',
  )}`;
}

/** Every instance has a rule; should one be missing, it shows no row. */
const NOTHING: ReadRule = { rows: { kind: 'some', tests: [] }, masks: [] };

/** Name of an instance in the statement: no text of the client's gets into it. */
export function instanceName(instance: Instance): Sql {
  return trusted(`t${instance.index}`);
}

export function columnSql(ref: ColumnRef): Sql {
  return sql`${instanceName(ref.instance)}.${identifier(ref.column.name)}`;
}

/**
 * A table as a client sees it: without the rows, and with NULL in place of the values, that it may not see; so what the statement
 * filters, sorts and joins by is what the client sees (spec/catalog-access.md 8.4).
 */
export function instanceSource(instance: Instance, { rows, masks }: ReadRule, viewpoint: Viewpoint): Sql {
  const { table } = instance;
  const relation = tableSource(table, viewpoint.moment);
  if (rows.kind === 'all' && masks.length === 0) return sql`${relation} ${instanceName(instance)}`;
  const row = identifier('r');
  const columns =
    masks.length === 0 ? sql`*` : join(table.columns.map((column) => maskedColumn(column, masks, viewpoint)));
  return sql`(select ${columns} from ${relation} ${row} where ${rowRuleSql(rows, row, viewpoint)}) ${instanceName(instance)}`;
}

function maskedColumn(column: Column, masks: readonly ColumnMask[], viewpoint: Viewpoint): Sql {
  const row = identifier('r');
  const name = identifier(column.name);
  const mask = masks.find((candidate) => candidate.column === column);
  if (mask === undefined) return sql`${row}.${name}`;
  return sql`case when ${rowRuleSql(mask.rule, row, viewpoint)} then ${row}.${name} end as ${name}`;
}

function joinWord(type: Join['type']): Sql {
  return trusted({ inner: 'join', left: 'left join', right: 'right join', full: 'full join' }[type]);
}

function joinCondition({ alternatives }: Join): Sql {
  const sides = alternatives.map((pairs) =>
    join(
      pairs.map(({ left, right }) => sql`${comparable(left)} = ${comparable(right)}`),
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

function comparable(ref: ColumnRef): Sql {
  return comparableValue(columnSql(ref), ref.column.type);
}
