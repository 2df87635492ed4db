import { join, type Sql, sql, trusted } from '@holdfast/pg-kit';
import { type StorageType, scalarOf } from '../model/column-types.js';
import type { LiteralValue } from '../model/literal.js';
import type {
  ColumnRef,
  ComparisonOperator,
  ResolvedComparison,
  ResolvedCondition,
  ResolvedTextMatch,
} from '../resolve/resolved.js';
import { comparableValue } from './base-array.js';
import { columnSql, type Naming } from './column-sql.js';
import { textForm } from './text-form.js';

/**
 * A condition as an SQL expression, three-valued like the language's own (spec/catalog-data.md 3.2.1).
 * @param named as in the path of a request, unless it is told
 */
export function conditionSql(condition: ResolvedCondition, named: Naming = columnSql): Sql {
  switch (condition.kind) {
    case 'or':
    case 'and':
      return sql`(${join(
        condition.operands.map((operand) => conditionSql(operand, named)),
        condition.kind === 'or' ? ' or ' : ' and ',
      )})`;
    case 'not':
      return sql`(not ${conditionSql(condition.operand, named)})`;
    case 'null-test':
      return sql`(${named(condition.column)} is null)`;
    case 'comparison':
      return condition.column.column.type.kind === 'array'
        ? arrayComparison(condition, named)
        : scalarComparison(condition, named);
    case 'text-match':
      return textMatch(condition, named);
    default:
      return condition satisfies never;
  }
}

/** A literal as a typed parameter. */
export function literalSql(value: LiteralValue): Sql {
  return sql`${value.text}::${trusted(value.type)}`;
}

const operators: Readonly<Record<ComparisonOperator, Sql>> = {
  '=': trusted('='),
  lt: trusted('<'),
  leq: trusted('<='),
  gt: trusted('>'),
  geq: trusted('>='),
};

function scalarComparison({ column, operator, quantifier, values }: ResolvedComparison, named: Naming): Sql {
  const value = named(column);
  const [only, ...more] = values;
  if (only !== undefined && more.length === 0) return sql`(${value} ${operators[operator]} ${literalSql(only)})`;
  return sql`(${value} ${operators[operator]} ${trusted(quantifier)}(${listSql(values)}))`;
}

/**
 * `=` on an array asks for its elements: `@>` and `&&` have the GIN index. An integer no element can hold is left out of them, since
 * PostgreSQL could not make the array to compare with. The other operators ask whether some element satisfies them; an empty
 * array gives NULL (3.2.2).
 */
function arrayComparison({ column, operator, quantifier, values }: ResolvedComparison, named: Naming): Sql {
  const value = comparableValue(named(column), column.column.type);
  const { storage } = scalarOf(column.column.type);
  if (operator !== '=') {
    const each = values.map(
      (one) => sql`(select bool_or(e ${operators[operator]} ${literalSql(one)}) from unnest(${value}) e)`,
    );
    return sql`(${join(each, quantifier === 'any' ? ' or ' : ' and ')})`;
  }
  const holdable = values.filter((one) => fits(one, storage));
  const list = sql`${holdable.map((one) => one.text)}::${trusted(storage)}[]`;
  const never = sql`(${value} is null and null)`;
  if (quantifier === 'all') return holdable.length < values.length ? never : sql`(${value} @> ${list})`;
  return holdable.length === 0 ? never : sql`(${value} && ${list})`;
}

const integerBits: Partial<Record<StorageType, bigint>> = { int2: 15n, int4: 31n, int8: 63n };

function fits(value: LiteralValue, storage: StorageType): boolean {
  const bits = integerBits[storage];
  if (bits === undefined) return true;
  const number = BigInt(value.text);
  return number >= -(2n ** bits) && number < 2n ** bits;
}

/** A list as one array parameter; one number beyond int8 makes all of them numeric. */
function listSql(values: readonly LiteralValue[]): Sql {
  const type = values.find((value) => value.type === 'numeric')?.type ?? values[0]?.type ?? 'text';
  return sql`${values.map((value) => value.text)}::${trusted(type)}[]`;
}

function textMatch(match: ResolvedTextMatch, named: Naming): Sql {
  const { target, quantifier, values } = match;
  const glue = quantifier === 'any' ? ' or ' : ' and ';
  if (target.kind === 'column')
    return sql`(${join(
      values.map((value) => matchColumn(target, match.operator, value, named)),
      glue,
    )})`;
  // NULL never matches and does not make the whole unknown: a row in which no column matches is FALSE
  const someColumn = (value: string): Sql => {
    const tests = target.columns.map(
      (column) =>
        sql`coalesce(${matchColumn({ kind: 'column', instance: target.instance, column }, match.operator, value, named)}, false)`,
    );
    return tests.length === 0 ? sql`false` : sql`(${join(tests, ' or ')})`;
  };
  return sql`(${join(values.map(someColumn), glue)})`;
}

function matchColumn(ref: ColumnRef, operator: ResolvedTextMatch['operator'], value: string, named: Naming): Sql {
  const column = named(ref);
  const { type } = ref.column;
  if (operator === 'ts') {
    const text = type.kind === 'array' ? sql`${column}::text` : textForm(column, type.storage);
    return sql`(to_tsvector(${text}) @@ to_tsquery(${value}))`;
  }
  const word = trusted(operator === 'regexp' ? '~' : '~*');
  if (type.kind === 'scalar') return sql`(${textForm(column, type.storage)} ${word} ${value})`;
  return sql`(select bool_or(${textForm(sql`e`, type.element.storage)} ${word} ${value}) from unnest(${column}) e)`;
}
