import { AppError, denied } from '@holdfast/http-kit';
import { type Sql, sql } from '@holdfast/pg-kit';
import type { Column, ForeignKey, Key, Schema, Table } from '../model/model.js';
import { requireModelOwner } from './create.js';
import { dropColumn, dropConstraint, dropForeignKeyIndex, dropSchema, dropTable, type RelationKind } from './ddl.js';
import { closeElements } from './element-store.js';
import { stillReferenced } from './hindrance.js';
import { keepRows } from './history-capture.js';
import type { ModelEdit } from './model-edit.js';
import { runDdl } from './run-ddl.js';

/** Removes an empty schema (spec/catalog-model.md 11). */
export async function removeSchema(edit: ModelEdit, schema: Schema): Promise<void> {
  if (!edit.rights.always(schema, 'owner'))
    throw denied(edit.client.client === null, `Changing the schema ${schema.name} is for its owners.`);
  if (schema.tables.size > 0)
    throw new AppError('in_use', `The schema ${schema.name} still has tables or views; delete these first.`);
  await remove(edit, [dropSchema(schema.name)], [schema.rid]);
}

/** Removes a table or view with all that is in it (13). */
export async function removeTable(edit: ModelEdit, table: Table): Promise<void> {
  requireModelOwner(edit, table);
  if (table.builtin !== null) throw new AppError('forbidden', 'The service needs this table; it cannot be deleted.');
  const blocking = table.referencedBy.find(({ parent, pseudo }) => parent !== table && !pseudo);
  if (blocking !== undefined) throw stillReferenced(edit.rights, blocking, 'it');
  const rids = [
    table.rid,
    ...[...table.columns, ...table.keys, ...table.foreignKeys, ...table.referencedBy].map(({ rid }) => rid),
  ];
  await keepRows(edit.connection, edit.change, table.rid);
  await remove(edit, [dropTable(placeOf(table), await relationKind(edit, table))], rids);
}

/** PostgreSQL has a statement of its own for each kind of what shows as a view. */
async function relationKind({ connection }: ModelEdit, { relation, parent, name }: Table): Promise<RelationKind> {
  if (relation === 'table') return 'table';
  const [row] = await connection.query<{ readonly kind: RelationKind }>(
    sql`select case c.relkind when 'm' then 'materialized view' when 'f' then 'foreign table' else 'view' end as kind
          from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = ${parent.name} and c.relname = ${name}`,
  );
  return row?.kind ?? 'view';
}

/** Removes a column with the keys and foreign keys of its table that contain it, and the pseudo foreign keys to such a key (14, 17). */
export async function removeColumn(edit: ModelEdit, column: Column): Promise<void> {
  const table = column.parent;
  requireModelOwner(edit, table);
  if (table.relation === 'view') throw new AppError('conflict', 'The columns of a view are those of its query.');
  if (column.system !== null || isProtected(column))
    throw new AppError('forbidden', `The service needs the column ${column.name}; it cannot be deleted.`);
  const keys = table.keys.filter((key) => key.columns.includes(column));
  const foreignKeys = table.foreignKeys.filter(
    (foreignKey) => foreignKey.columns.includes(column) || keys.includes(foreignKey.references),
  );
  const pseudo = table.referencedBy.filter((foreignKey) => foreignKey.pseudo && keys.includes(foreignKey.references));
  refuseReferenced(edit, table, keys, [...foreignKeys, ...pseudo]);
  refuseLastKey(table, keys);
  const place = placeOf(table);
  await keepRows(edit.connection, edit.change, table.rid);
  const ddl = [
    ...foreignKeys.flatMap((foreignKey) => dropForeignKey(foreignKey)),
    ...keys.filter(({ pseudo }) => !pseudo).map((key) => dropConstraint(place, key.constraintName)),
    dropColumn(place, column.name),
  ];
  await remove(
    edit,
    ddl,
    [column, ...keys, ...foreignKeys, ...pseudo].map(({ rid }) => rid),
  );
}

/** Removes a key (15). */
export async function removeKey(edit: ModelEdit, key: Key): Promise<void> {
  const table = key.parent;
  requireModelOwner(edit, table);
  const [only] = key.columns;
  if (key.columns.length === 1 && only?.system === 'RID')
    throw new AppError('in_use', 'The key on RID cannot be deleted: the service finds rows by it.');
  if (table.builtin !== null && table.builtin !== 'registry' && !key.pseudo)
    throw new AppError('forbidden', 'The service needs this key; it cannot be deleted.');
  refuseReferenced(edit, table, [key], []);
  refuseLastKey(table, [key]);
  await remove(edit, key.pseudo ? [] : [dropConstraint(placeOf(table), key.constraintName)], [key.rid]);
}

/** Removes foreign keys of one table (16). */
export async function removeForeignKeys(
  edit: ModelEdit,
  table: Table,
  foreignKeys: readonly ForeignKey[],
): Promise<void> {
  requireModelOwner(edit, table);
  if (table.builtin === 'registry') throw new AppError('forbidden', 'The service needs these foreign keys.');
  await remove(
    edit,
    foreignKeys.flatMap((foreignKey) => dropForeignKey(foreignKey)),
    foreignKeys.map(({ rid }) => rid),
  );
}

async function remove(edit: ModelEdit, ddl: readonly Sql[], rids: readonly string[]): Promise<void> {
  await runDdl(edit.connection, ddl);
  await closeElements(edit.connection, edit.change, rids);
  edit.touch();
}

function dropForeignKey({ parent, constraintName, pseudo, rid }: ForeignKey): readonly Sql[] {
  if (pseudo) return [];
  return [dropConstraint(placeOf(parent), constraintName), dropForeignKeyIndex(parent.parent.name, rid)];
}

/** Columns and keys of the service's own tables that it works with (23). */
export function isProtected(column: Column): boolean {
  if (column.parent.builtin === null) return false;
  return column.parent.builtin === 'registry' || builtinColumns.has(column.name);
}

const builtinColumns: ReadonlySet<string> = new Set([
  'ID',
  'Display_Name',
  'Full_Name',
  'Email',
  'Client_Object',
  'URL',
  'Description',
]);

function refuseReferenced(
  { rights }: ModelEdit,
  table: Table,
  keys: readonly Key[],
  leaving: readonly ForeignKey[],
): void {
  const blocking = table.referencedBy.find(
    (foreignKey) => keys.includes(foreignKey.references) && !leaving.includes(foreignKey),
  );
  if (blocking !== undefined) throw stillReferenced(rights, blocking, 'the key');
}

/** A table keeps at least one key without nullable columns. */
function refuseLastKey(table: Table, leaving: readonly Key[]): void {
  const solid = table.keys.filter((key) => key.columns.every(({ nullok }) => !nullok));
  const remaining = solid.filter((key) => !leaving.includes(key));
  if (solid.length > 0 && remaining.length === 0)
    throw new AppError('in_use', 'This would remove the last key of the table whose columns are all not null.');
}

function placeOf(table: Table): { readonly schema: string; readonly table: string } {
  return { schema: table.parent.name, table: table.name };
}
