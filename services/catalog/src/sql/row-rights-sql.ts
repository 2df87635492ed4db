import { identifier, join, literal, type Sql, sql, trusted } from '@holdfast/pg-kit';
import type { RowDecision, RowRights } from '../authorize/row-rights.js';
import type { Viewpoint } from '../authorize/viewpoint.js';
import type { Instance } from '../resolve/resolved.js';
import { rowChecksSql } from './row-rule-sql.js';
import { tableSource } from './table-source.js';

/**
 * The document of `trs` and `tcrs` for the row of an instance. What depends on the row is asked of the table itself: the instance may
 * show NULL for the very values that decide.
 * @param instanceName as the statement calls it
 */
export function rowRightsSql(given: RowRights, instance: Instance, instanceName: Sql, viewpoint: Viewpoint): Sql {
  const decisions = [given.update, given.delete, ...(given.columns ?? []).map(({ update }) => update)];
  if (decisions.every((decision) => decision === 'never' || decision.length === 0))
    return sql`${literal(JSON.stringify(constantDocument(given)))}::jsonb`;
  const row = identifier('b');
  const members = [
    member('update', given.update, row, viewpoint),
    member('delete', given.delete, row, viewpoint),
    ...(given.columns === null ? [] : [columnsMember(given.columns, row, viewpoint)]),
  ];
  return sql`(select jsonb_build_object(${join(members)}) from ${tableSource(instance.table, viewpoint.moment)} ${row}
    where ${row}."RID" = ${instanceName}."RID")`;
}

function constantDocument({ update, delete: removal, columns }: RowRights): object {
  const row = { update: update !== 'never', delete: removal !== 'never' };
  if (columns === null) return row;
  return {
    ...row,
    column_update: Object.fromEntries(columns.map((column) => [column.name, column.update !== 'never'])),
  };
}

function member(name: string, decision: RowDecision, row: Sql, viewpoint: Viewpoint): Sql {
  return sql`${literal(name)}, ${decision === 'never' ? trusted('false') : sql`(${rowChecksSql(decision, row, viewpoint)}) is true`}`;
}

/** Made of pairs of name and value, because a function takes a hundred arguments at most. */
function columnsMember(columns: NonNullable<RowRights['columns']>, row: Sql, viewpoint: Viewpoint): Sql {
  const pairs = columns.map(({ name, update }) => sql`(${member(name, update, row, viewpoint)})`);
  return sql`'column_update', (select jsonb_object_agg(pair.name, pair.value) from (values ${join(pairs)}) as pair (name, value))`;
}
