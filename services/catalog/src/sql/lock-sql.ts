import { join, nothing, type Sql, sql } from '@holdfast/pg-kit';
import type { AuthorizedRead } from '../authorize/authorize-read.js';
import type { RowRule } from '../authorize/row-rule.js';
import type { Table } from '../model/model.js';
import { liveRelation } from './table-source.js';

/**
 * Locks the tables of a read before its view of the database is fixed: a change of a column's type writes a table anew, and PostgreSQL
 * shows such a table empty to a view from before ("Caveats" of its chapter on concurrency). Only tables and views can be locked, and of what
 * shows as a view the model does not know which it is.
 */
export function lockSql({ read: { path }, rules, viewpoint }: AuthorizedRead): Sql {
  const instances = [path.root, ...path.joins.map(({ instance }) => instance)];
  const tables = new Set([
    ...instances.map(({ table }) => table),
    ...rules.flatMap(({ rows, masks }) => [rows, ...masks.map(({ rule }) => rule)].flatMap(partnersOf)),
  ]);
  const relations = [...tables].flatMap((table) => liveRelation(table, viewpoint.moment) ?? []);
  return relations.length === 0 ? nothing : sql`lock table ${join(relations)} in access share mode; `;
}

function partnersOf(rule: RowRule): readonly Table[] {
  if (rule.kind === 'all') return [];
  return rule.tests.flatMap(({ partners }) => partners.flatMap(({ instances }) => instances.map(({ table }) => table)));
}
