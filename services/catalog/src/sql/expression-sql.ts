import { identifier, join, type Sql, sql, trusted } from '@holdfast/pg-kit';
import type { AuthorizedRead } from '../authorize/authorize-read.js';
import { rowRights } from '../authorize/row-rights.js';
import { type StorageType, scalarOf } from '../model/column-types.js';
import type { LiteralValue } from '../model/literal.js';
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

/**
 * A row as a JSON object of the columns the client sees; null when an outer join found no partner. Whole rows are written `t.*`: without
 * the star PostgreSQL would take a column of that name, if there is one.
 */
function wholeRow({ instance, columns }: StarRef): Sql {
  const row = instanceName(instance);
  const members = join(columns.map((column) => sql`${row}.${identifier(column.name)}`));
  return sql`case when ${row}.* is null then null else (select to_jsonb(w.*) from (select ${members}) w) end`;
}

/**
 * `[bucket, low, high]` (spec/catalog-data.md 3.7). Numbers are compared in their own type; bounds of buckets are computed as float8
 * (numeric for numeric columns), or as times for times. Whether the bounds ascend only PostgreSQL can tell, which reads all forms of times: it
 * decides while it plans, so the first branch costs no row anything, and refuses bad bounds even when there is no row.
 */
function binSql({ column, count, low, high }: BinExpression): Sql {
  const value = columnSql(column);
  const { storage } = scalarOf(column.column.type);
  const kind = binKind(storage);
  const [lo, hi] = [literalSql(low), literalSql(high)];
  const [first, last] = [kind.bound(low), kind.bound(high)];
  const inner = (steps: Sql): Sql =>
    sql`(${first}::${kind.arithmetic} + (${last}::${kind.arithmetic} - ${first}::${kind.arithmetic}) * ${steps}::${kind.factor} / ${count}::${kind.factor})`;
  const bucket = sql`width_bucket(${kind.position(value)}, ${kind.position(lo)}, ${kind.position(hi)}, ${count}::int4)`;
  return sql`(case when ${lo} >= ${hi} or ${kind.infinite(lo)} or ${kind.infinite(hi)} then ${refusal}
    when ${value} is null then '[null, null, null]'::jsonb
    when ${value} < ${lo} then jsonb_build_array(0, null, ${first})
    when ${value} >= ${hi} then jsonb_build_array(${count}::int4 + 1, ${last}, null)
    else (select jsonb_build_array(b, ${inner(sql`(b - 1)`)}, ${inner(sql`b`)}) from (select ${bucket} as b) k) end)`;
}

/** Fails with a state of its own, "invalid argument for width bucket function". */
const refusal = trusted("to_jsonb(width_bucket('0'::float8, '0', '0', 1))");

interface BinKind {
  /** Type in which inner bounds are computed. */
  readonly arithmetic: Sql;
  /** Type of the factors: times are multiplied by float8. */
  readonly factor: Sql;
  /** A value as what width_bucket takes. */
  position(value: Sql): Sql;
  /** A bound as it is shown. */
  bound(literal: LiteralValue): Sql;
  infinite(bound: Sql): Sql;
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
        bound: literalSql,
        infinite: infiniteNumber,
      };
    case 'timestamptz':
    case 'timestamp':
      return {
        arithmetic: trusted(storage),
        factor: float8,
        position: seconds,
        bound: literalSql,
        infinite: infiniteTime,
      };
    case 'date':
      return {
        arithmetic: trusted('timestamp'),
        factor: float8,
        position: (value) => seconds(sql`${value}::timestamp`),
        bound: literalSql,
        infinite: infiniteTime,
      };
    default:
      return {
        arithmetic: float8,
        factor: float8,
        position: (value) => sql`${value}::float8`,
        // the digits of a float4 as they were sent: in float8 it has others
        bound: (literal) =>
          literal.type === 'float4' ? literalSql({ ...literal, type: 'float8' }) : literalSql(literal),
        infinite: infiniteNumber,
      };
  }
}

function infiniteNumber(bound: Sql): Sql {
  return sql`(${bound}::text in ('NaN', 'Infinity', '-Infinity'))`;
}

function infiniteTime(bound: Sql): Sql {
  return sql`(not isfinite(${bound}))`;
}
