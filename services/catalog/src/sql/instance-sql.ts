import { identifier, join, nothing, type Sql, sql, trusted } from '@holdfast/pg-kit';
import type { AuthorizedRead } from '../authorize/authorize-read.js';
import { NO_ROWS, type ReadRule } from '../authorize/row-rule.js';
import { isLocal } from '../authorize/row-test.js';
import type { Viewpoint } from '../authorize/viewpoint.js';
import { type StorageType, scalarOf } from '../model/column-types.js';
import type { Column } from '../model/model.js';
import type { ColumnRef, Instance, Join } from '../resolve/resolved.js';
import { comparableValue } from './base-array.js';
import { columnSql, instanceName } from './column-sql.js';
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
const NOTHING: ReadRule = { rows: NO_ROWS, masks: [] };

/**
 * A table as a client sees it: without the rows, and with NULL in place of the values, that it may not see; so what the statement
 * filters, sorts and joins by is what the client sees (spec/catalog-access.md 8.4).
 */
export function instanceSource(instance: Instance, { rows, masks }: ReadRule, viewpoint: Viewpoint): Sql {
  const { table } = instance;
  const relation = tableSource(table, viewpoint.moment);
  if (rows.kind === 'all' && masks.length === 0) return sql`${relation} ${instanceName(instance)}`;
  const row = identifier('r');
  const where = rows.kind === 'all' ? nothing : sql` where ${rowRuleSql(rows, row, viewpoint)}`;
  if (masks.length === 0) return sql`(select * from ${relation} ${row}${where}) ${instanceName(instance)}`;
  const shown = masks.map(({ columns, rule }, index): ShownColumns => {
    const holds = rowRuleSql(rule, row, viewpoint);
    if (columns.length === 1 || rule.tests.every(isLocal)) return { columns, holds, shared: null };
    return { columns, holds: trusted(`m.k${index}`), shared: sql`${holds} as ${trusted(`k${index}`)}` };
  });
  const list = join(table.columns.map((column) => shownColumn(column, shown, row)));
  return sql`(select ${list} from ${relation} ${row}${sharedRules(shown)}${where}) ${instanceName(instance)}`;
}

/** Columns behind one condition. */
interface ShownColumns {
  readonly columns: readonly Column[];
  readonly holds: Sql;
  /** The condition as a column of its own, when it is evaluated once for all of them. */
  readonly shared: Sql | null;
}

/** Rules that travel to other rows and hide several columns are evaluated once a row; OFFSET keeps the planner from undoing that. */
function sharedRules(shown: readonly ShownColumns[]): Sql {
  const shared = shown.flatMap((one) => one.shared ?? []);
  return shared.length === 0 ? nothing : sql` cross join lateral (select ${join(shared)} offset 0) m`;
}

function shownColumn(column: Column, shown: readonly ShownColumns[], row: Sql): Sql {
  const name = identifier(column.name);
  const mask = shown.find(({ columns }) => columns.includes(column));
  if (mask === undefined) return sql`${row}.${name}`;
  return sql`case when ${mask.holds} then ${row}.${name} end as ${name}`;
}

function joinWord(type: Join['type']): Sql {
  return trusted({ inner: 'join', left: 'left join', right: 'right join', full: 'full join' }[type]);
}

function joinCondition({ alternatives }: Join): Sql {
  const sides = alternatives.map((pairs) =>
    join(
      pairs.map(({ left, right }) => sql`${comparable(left, right)} = ${comparable(right, left)}`),
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

/**
 * A column as it is compared with another. PostgreSQL compares numeric with float8 as float8 and fails for values that are none, naming
 * them, perhaps before it leaves out the rows the client may not see: here they equal nothing.
 */
function comparable(ref: ColumnRef, other: ColumnRef): Sql {
  const value = comparableValue(columnSql(ref), ref.column.type);
  const isFloat = floats.has(scalarOf(other.column.type).storage);
  if (ref.column.type.kind !== 'scalar' || scalarOf(ref.column.type).storage !== 'numeric' || !isFloat) return value;
  return sql`(case when ${value} = 0 or abs(${value}) between ${LEAST_FLOAT8} and ${GREATEST_FLOAT8}
    or ${value} in ('NaN', 'Infinity', '-Infinity') then ${value}::float8 end)`;
}

const floats: ReadonlySet<StorageType> = new Set(['float4', 'float8']);

const LEAST_FLOAT8 = trusted('4.9406564584124655e-324');
const GREATEST_FLOAT8 = trusted('1.7976931348623157e308');
