import { AppError } from '@holdfast/http-kit';
import { type Sql, sqlStateOf } from '@holdfast/pg-kit';
import { type ColumnType, scalarOf, storageName, supports, systemTypeNames, typeName } from '../model/column-types.js';
import { loadModel } from '../model/load-model.js';
import { type Column, type ForeignKey, type Json, systemColumnOf, type Table } from '../model/model.js';
import { sameJson } from '../model/same-json.js';
import { alterColumn as alterColumnStatement, dropColumnIndex, renameColumn, validateConstraint } from './alter-ddl.js';
import { requireUsersFit } from './binding-users.js';
import { type ColumnDefault, convertDefault, readDefault } from './column-defaults.js';
import { setDescription, writeAcls } from './configure.js';
import { requireModelOwner } from './create.js';
import { replaceDocument, tieAgain } from './element-store.js';
import { withoutHiddenForeignKeys } from './hindrance.js';
import { keepRows } from './history-capture.js';
import type { IndexPlan } from './index-plan.js';
import { forgetIndexes } from './late-work-list.js';
import type { ModelEdit } from './model-edit.js';
import type { ColumnAlteration } from './parse-alteration.js';
import { parseColumnType, requireConstant } from './parse-column.js';
import { isProtected } from './remove.js';
import { runDdl } from './run-ddl.js';
import { boundSubjects, setBindings } from './set-bindings.js';
import { mayBeNull } from './system-columns.js';

/**
 * Changes a column, all of it at once (spec/catalog-model.md 14). The name comes last: until then bindings of the document are read
 * with the old one.
 */
export async function alterColumn(edit: ModelEdit, column: Column, alteration: ColumnAlteration): Promise<void> {
  const table = column.parent;
  requireModelOwner(edit, table);
  const plan = await planChange(edit, column, alteration);
  const current = plan === null ? column : await changeStorage(edit, column, plan);
  await setDescription(edit, current, alteration);
  if (alteration.acls !== undefined) await writeAcls(edit, current, alteration.acls);
  if (alteration.bindings !== undefined) await setBindings(edit, current, alteration.bindings);
  if (plan?.type !== undefined) await requireUsersFit(edit, column.rid);
  const { name = column.name } = alteration;
  if (name !== column.name) await rename(edit, column, name);
}

/** What a change does to the stored column; null for nothing. */
interface StorageChange {
  /** Undefined: stays. */
  readonly type: ColumnType | undefined;
  readonly nullok: boolean | undefined;
  /** Null: none any more. */
  readonly default: ColumnDefault | null | undefined;
}

async function planChange(
  edit: ModelEdit,
  column: Column,
  alteration: ColumnAlteration,
): Promise<StorageChange | null> {
  const wanted = alteration.type === undefined ? column.type : parseColumnType(alteration.type, 'The column, type');
  const type = typeName(wanted) === typeName(column.type) ? undefined : wanted;
  const nullok = alteration.nullok === column.nullok ? undefined : alteration.nullok;
  const { name = column.name, default: constant } = alteration;
  const given = constant === undefined ? undefined : requireConstant(constant, wanted, 'The column');
  requireAlterable(column, {
    name: name !== column.name,
    nullok,
    type,
    default: given !== undefined && (type !== undefined || !sameJson(given, column.default)),
  });
  const value = await planDefault(edit, column, wanted, given);
  const unchanged = type === undefined && nullok === undefined && value === undefined;
  return unchanged ? null : { type, nullok, default: value };
}

/** The default after the change: the given one, or the present one in the new type. */
async function planDefault(
  { connection }: ModelEdit,
  column: Column,
  type: ColumnType,
  given: Json | undefined,
): Promise<ColumnDefault | null | undefined> {
  const isNewType = typeName(type) !== typeName(column.type);
  if (given === undefined)
    return isNewType && column.default !== null ? convertDefault(connection, column, type) : undefined;
  if (given === null) return column.default === null ? undefined : null;
  const read = await readDefault(connection, { name: column.name, type, default: given });
  return !isNewType && sameJson(read.json, column.default) ? undefined : read;
}

/** What a request asks to change. */
interface Wish {
  readonly name: boolean;
  readonly nullok: boolean | undefined;
  readonly type: ColumnType | undefined;
  readonly default: boolean;
}

function requireAlterable(column: Column, wish: Wish): void {
  const { name, system, type } = column;
  const changes = wish.name || wish.default || wish.nullok !== undefined || wish.type !== undefined;
  if (!changes) return;
  if (column.parent.relation === 'view')
    throw new AppError('conflict', 'The columns of a view are those of its query; change that with SQL.');
  if (system !== null) {
    // what no system column could be is malformed, what only this one is not is forbidden (10)
    if (wish.nullok === true && !mayBeNull(system))
      throw new AppError('bad_json', `The column ${name} must have nullok false.`);
    if (wish.type !== undefined && systemTypeNames.has(typeName(wish.type)))
      throw new AppError('bad_json', `The column ${name} must have the type ${typeName(type)}.`);
  }
  if (system !== null || isProtected(column))
    throw new AppError('forbidden', `The service needs the column ${name} as it is.`);
  const isSerial = scalarOf(type).form === 'serial';
  if (wish.type !== undefined && (isSerial || scalarOf(wish.type).form === 'serial'))
    throw new AppError('conflict', 'A serial type is given to a column when it is made and stays with it.');
  if (isSerial && (wish.nullok === true || wish.default))
    throw new AppError('conflict', 'A serial column takes its values from its sequence and is never null.');
}

/** @returns the column of the model after the change: names are still the old ones */
async function changeStorage(edit: ModelEdit, column: Column, change: StorageChange): Promise<Column> {
  const { connection } = edit;
  const { parent: table } = column;
  const { type = column.type, nullok = column.nullok } = change;
  const place = { schema: table.parent.name, table: table.name };
  const defaultText = change.default === null ? null : change.default?.text;
  const unfit = change.type === undefined ? [] : unfitIndexes(column.type, change.type);
  if (change.type !== undefined) await keepRows(connection, edit.change, table.rid);
  try {
    await runDdl(connection, [
      ...unfit.map((kind) => dropColumnIndex(place.schema, column.rid, kind)),
      alterColumnStatement(place, column.name, { type: change.type, nullok: change.nullok, defaultText }, type),
      ...(change.type === undefined ? [] : foreignKeysOf(column).map(validation)),
    ]);
  } catch (error) {
    // feature_not_supported: a view, a rule, a policy or a generated column reads it
    if (sqlStateOf(error) !== '0A000') throw withoutHiddenForeignKeys(error, edit.rights, foreignKeysOf(column));
    throw new AppError('in_use', `A view uses the column ${column.name}; drop the view first.`, { cause: error });
  }
  const value = change.default === undefined ? column.default : (change.default?.json ?? null);
  await forgetIndexes(connection, column.rid, unfit);
  const members = { type: typeName(type), nullok, default: value };
  await replaceDocument(connection, edit.change, { rid: column.rid, kind: 'column' }, members);
  edit.touch();
  if (change.type === undefined) return column;
  // PostgreSQL makes the constraints of a converted column anew
  const keys = table.keys.filter(({ columns }) => columns.includes(column));
  await tieAgain(
    connection,
    [...keys, ...foreignKeysOf(column)].map(({ rid }) => rid),
  );
  const model = await loadModel(connection, edit.change.micros);
  const current = boundSubjects(model).find(({ rid }) => rid === column.rid);
  if (current?.kind !== 'column') throw new AppError('internal', 'A column that was changed is not there.');
  return current;
}

/**
 * Kinds of indexes of the column's hints that the new type cannot have. Others are kept, and rebuilt by PostgreSQL; new ones are not made
 * (14).
 */
function unfitIndexes(type: ColumnType, newType: ColumnType): readonly IndexPlan['kind'][] {
  if (storageName(type) === storageName(newType)) return [];
  return ['trgm', 'gin_array', ...(supports(newType, 'equality') ? [] : (['btree'] as const))];
}

/** Real foreign keys from and to the column. */
function foreignKeysOf(column: Column): readonly ForeignKey[] {
  const { foreignKeys, referencedBy } = column.parent;
  return [...new Set([...foreignKeys, ...referencedBy])].filter(
    ({ columns, referencedColumns, pseudo }) =>
      !pseudo && (columns.includes(column) || referencedColumns.includes(column)),
  );
}

/** PostgreSQL checks converted values against foreign keys, except those that are still to be validated. */
function validation({ parent, constraintName }: ForeignKey): Sql {
  return validateConstraint({ schema: parent.parent.name, table: parent.name }, constraintName);
}

async function rename(edit: ModelEdit, column: Column, name: string): Promise<void> {
  const table: Table = column.parent;
  if (systemColumnOf(name) !== null)
    throw new AppError('bad_name', `The name ${name} is that of a column which every table has.`);
  if (table.columnsByName.has(name))
    throw new AppError('name_in_use', `The table has a column ${JSON.stringify(name)} already.`);
  await runDdl(edit.connection, [renameColumn({ schema: table.parent.name, table: table.name }, column.name, name)]);
  await replaceDocument(edit.connection, edit.change, { rid: column.rid, kind: 'column' }, { name });
  edit.touch();
}
