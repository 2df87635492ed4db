import { join, nothing, type Sql, sql, trusted } from '@holdfast/pg-kit';
import type { OrderKey, Page } from '../plan/read-plan.js';
import type { PageValue } from '../resolve/resolved.js';
import { literalSql } from './condition-sql.js';

/** A sort key of the statement: the output column and whether it can be NULL. */
export interface SortColumn {
  readonly value: Sql;
  readonly nullable: boolean;
}

/**
 * Wraps a query in order, page and limit (spec/catalog-data.md 3.9).
 * @param source a query whose columns the sort columns name through `s`
 * @param columns list of what to select from it
 */
export function pagedSql(source: Sql, columns: Sql, page: Page, sortColumn: (output: number) => SortColumn): Sql {
  const keys = page.order.map((key) => ({ ...key, ...sortColumn(key.output) }));
  const bounds = [
    ...(page.after === null ? [] : [beyond(keys, page.after, 'after')]),
    ...(page.before === null ? [] : [beyond(keys, page.before, 'before')]),
  ];
  const where = bounds.length === 0 ? nothing : sql` where ${join(bounds, ' and ')}`;
  const limit = page.limit === null ? nothing : sql` limit ${page.limit.toString()}::int8`;
  if (!page.fromEnd) return sql`select ${columns} from (${source}) s${where}${orderBy(keys, false)}${limit}`;
  return sql`select ${columns} from (select * from (${source}) s${where}${orderBy(keys, true)}${limit}) s${orderBy(keys, false)}`;
}

interface Key extends OrderKey, SortColumn {}

/** PostgreSQL's own placement of NULL (last ascending, first descending) is the one asked for; its mirror image needs no words either. */
function orderBy(keys: readonly Key[], mirrored: boolean): Sql {
  if (keys.length === 0) return nothing;
  return sql` order by ${join(keys.map(({ value, descending }) => sql`${value}${trusted(descending !== mirrored ? ' desc' : '')}`))}`;
}

/**
 * Rows beyond a page key in the order of the keys: later in the first key, or equal in it and later in the second, and so on. The
 * first conjunct says the same of the first key alone, weaker, in a form an index can start at.
 */
function beyond(keys: readonly Key[], values: readonly PageValue[], side: 'after' | 'before'): Sql {
  const steps = keys.map((key, index) => {
    const equal = keys.slice(0, index).map((earlier, position) => sameAs(earlier, values[position] ?? null));
    return sql`(${join([...equal, past(key, values[index] ?? null, side)], ' and ')})`;
  });
  const exact = sql`(${join(steps, ' or ')})`;
  const [first] = keys;
  const value = values[0] ?? null;
  if (first === undefined || value === null || first.nullable || keys.length === 1) return exact;
  const word = trusted((side === 'after') !== first.descending ? '>=' : '<=');
  return sql`(${first.value} ${word} ${literalSql(value)} and ${exact})`;
}

function sameAs(key: Key, value: PageValue): Sql {
  return value === null ? sql`${key.value} is null` : sql`${key.value} = ${literalSql(value)}`;
}

/** Ascending, NULL is greater than every value; descending it comes before every value. */
function past(key: Key, value: PageValue, side: 'after' | 'before'): Sql {
  const upwards = (side === 'after') !== key.descending;
  if (value === null) return upwards ? sql`false` : sql`${key.value} is not null`;
  if (!upwards) return sql`${key.value} < ${literalSql(value)}`;
  return key.nullable
    ? sql`(${key.value} > ${literalSql(value)} or ${key.value} is null)`
    : sql`${key.value} > ${literalSql(value)}`;
}
