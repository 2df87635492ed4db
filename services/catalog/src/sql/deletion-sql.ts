import { identifier, join, nothing, type Sql, sql } from '@holdfast/pg-kit';
import type { RowChecks } from '../authorize/authorize-change.js';
import type { AuthorizedRead } from '../authorize/authorize-read.js';
import type { Change } from '../history/change.js';
import type { Column } from '../model/model.js';
import { instanceName } from './column-sql.js';
import { conditionSql } from './condition-sql.js';
import { fromClause } from './instance-sql.js';
import { rowChecksSql } from './row-rule-sql.js';
import { tableName } from './table-source.js';

/** Deletes the entities a path denotes. */
export function deleteSql(entities: AuthorizedRead): Sql {
  return sql`delete from ${tableName(entities.read.path.context.table)} d where d."RID" in (${entityRids(entities)})`;
}

/** Sets columns of the entities a path denotes to their defaults. */
export function clearSql(entities: AuthorizedRead, targets: readonly Column[], change: Change): Sql {
  const { table } = entities.read.path.context;
  const defaults = join(targets.map((column) => sql`${identifier(column.name)} = default`));
  return sql`update ${tableName(table)} d set ${defaults}, "RMT" = ${change.ts}::timestamptz, "RMB" = ${change.client}::text
    where d."RID" in (${entityRids(entities)})`;
}

/** A row, if there is one among the entities a path denotes that does not fulfil all rules. */
export function uncheckedSql(entities: AuthorizedRead, checks: RowChecks): Sql {
  const row = identifier('d');
  const fulfilled = rowChecksSql(checks, row, entities.viewpoint);
  return sql`select from ${tableName(entities.read.path.context.table)} ${row}
    where ${row}."RID" in (${entityRids(entities)}) and (${fulfilled}) is not true limit 1`;
}

function entityRids(entities: AuthorizedRead): Sql {
  const { path } = entities.read;
  const where =
    path.conditions.length === 0
      ? nothing
      : sql` where ${join(
          path.conditions.map((condition) => conditionSql(condition)),
          ' and ',
        )}`;
  return sql`select ${instanceName(path.context)}."RID" from ${fromClause(entities)}${where}`;
}
