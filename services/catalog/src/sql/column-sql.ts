import { identifier, type Sql, sql, trusted } from '@holdfast/pg-kit';
import type { ColumnRef, Instance } from '../resolve/resolved.js';

/** How a statement names the columns of instances. */
export type Naming = (column: ColumnRef) => Sql;

/** Name of an instance of the path in the statement: no text of the client's gets into it. */
export function instanceName(instance: Instance): Sql {
  return trusted(`t${instance.index}`);
}

/** A column of an instance of the path. */
export function columnSql(ref: ColumnRef): Sql {
  return sql`${instanceName(ref.instance)}.${identifier(ref.column.name)}`;
}
