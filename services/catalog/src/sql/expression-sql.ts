import { identifier, join, type Sql, sql, trusted } from '@holdfast/pg-kit';
import type { AuthorizedRead } from '../authorize/authorize-read.js';
import { rowRights } from '../authorize/row-rights.js';
import { type StorageType, scalarOf } from '../model/column-types.js';
import type { BinExpression, Expression, FunctionExpression, StarRef } from '../resolve/resolved.js';
import { columnSql, instanceName } from './column-sql.js';
import { literalSql } from './condition-sql.js';
import { rowRightsSql } from './row-rights-sql.js';

/** The value of an output column. */
export function expressionSql(expression: Expression, authorized: AuthorizedRead): Sql {
  switch (expression.kind) {
    case 'column':
      return columnSql(expression);
    case 'example':
      return sql`_catalog.example(${expressionSql(expression.of, authorized)})`;
    case 'bin':
      return binSql(expression);
    case 'rights':
      return rowRightsSql(
        rowRights(expression, authorized.rights, authorized.viewpoint.moment),
        expression.instance,
        authorized,
      );
    case 'function':
      return functionSql(expression);
    default:
      return expression satisfies never;
  }
}

function functionSql({ function: name, argument }: FunctionExpression): Sql {
  if (argument.kind === 'star') {
    if (name === 'cnt') return sql`count(*)`;
    return sql`jsonb_agg(${name === 'array_d' ? sql`distinct ` : sql``}${wholeRow(argument)})`;
  }
  const column = columnSql(argument);
  // json has no equality: distinct values are told apart as jsonb
  const comparable = scalarOf(argument.column.type).storage === 'json' ? sql`to_jsonb(${column})` : column;
  switch (name) {
    case 'cnt':
      return sql`count(${column})`;
    case 'cnt_d':
      return sql`count(distinct ${comparable})`;
    case 'array':
      return sql`jsonb_agg(${column})`;
    case 'array_d':
      return sql`jsonb_agg(distinct ${comparable})`;
    case 'min':
    case 'max':
    case 'avg':
    case 'sum':
      return sql`${trusted(name)}(${column})`;
    default:
      return name satisfies never;
  }
}

/** A row as a JSON object of the columns the client sees; null when an outer join found no partner. */
function wholeRow({ instance, columns }: StarRef): Sql {
  const row = instanceName(instance);
  const members = join(columns.map((column) => sql`${row}.${identifier(column.name)}`));
  return sql`case when ${row} is null then null else (select to_jsonb(w) from (select ${members}) w) end`;
}

/**
 * `[bucket, low, high]` (spec/catalog-data.md 3.7). Numbers are compared in their own type; bounds of buckets are computed as float8
 * (numeric for numeric columns), or as times for times.
 */
function binSql({ column, count, low, high }: BinExpression): Sql {
  const value = columnSql(column);
  const { storage } = scalarOf(column.column.type);
  const kind = binKind(storage);
  const [lo, hi] = [literalSql(low), literalSql(high)];
  const inner = (steps: Sql): Sql =>
    sql`(${lo}::${kind.arithmetic} + (${hi}::${kind.arithmetic} - ${lo}::${kind.arithmetic}) * ${steps}::${kind.factor} / ${count}::${kind.factor})`;
  const bucket = sql`width_bucket(${kind.position(value)}, ${kind.position(lo)}, ${kind.position(hi)}, ${count}::int4)`;
  return sql`(case when ${value} is null then '[null, null, null]'::jsonb
    when ${value} < ${lo} then jsonb_build_array(0, null, ${kind.outer(lo)})
    when ${value} >= ${hi} then jsonb_build_array(${count}::int4 + 1, ${kind.outer(hi)}, null)
    else (select jsonb_build_array(b, ${inner(sql`(b - 1)`)}, ${inner(sql`b`)}) from (select ${bucket} as b) k) end)`;
}

interface BinKind {
  /** Type in which inner bounds are computed. */
  readonly arithmetic: Sql;
  /** Type of the factors: times are multiplied by float8. */
  readonly factor: Sql;
  /** A value as what width_bucket takes. */
  position(value: Sql): Sql;
  /** A bound of the outer buckets, in the form of the column. */
  outer(bound: Sql): Sql;
}

function binKind(storage: StorageType): BinKind {
  const float8 = trusted('float8');
  const seconds = (value: Sql): Sql => sql`extract(epoch from ${value})::float8`;
  switch (storage) {
    case 'numeric':
      return {
        arithmetic: trusted('numeric'),
        factor: trusted('numeric'),
        position: (value) => sql`${value}::numeric`,
        outer: (bound) => bound,
      };
    case 'timestamptz':
      return { arithmetic: trusted('timestamptz'), factor: float8, position: seconds, outer: (bound) => bound };
    case 'timestamp':
      return { arithmetic: trusted('timestamp'), factor: float8, position: seconds, outer: (bound) => bound };
    case 'date':
      return {
        arithmetic: trusted('timestamp'),
        factor: float8,
        position: (value) => seconds(sql`${value}::timestamp`),
        outer: (bound) => bound,
      };
    default:
      return {
        arithmetic: float8,
        factor: float8,
        position: (value) => sql`${value}::float8`,
        outer: (bound) => sql`${bound}::float8`,
      };
  }
}
