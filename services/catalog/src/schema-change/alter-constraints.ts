import { AppError } from '@holdfast/http-kit';
import type { ForeignKey, Key, Table } from '../model/model.js';
import { renameConstraint, replaceForeignKey } from './alter-ddl.js';
import { setDescription, writeAcls } from './configure.js';
import { requireModelOwner } from './create.js';
import { sameSet } from './create-key.js';
import { replaceDocument, tieAgain } from './element-store.js';
import type { ModelEdit } from './model-edit.js';
import type { ColumnReference, ForeignKeyAlteration, KeyAlteration } from './parse-alteration.js';
import { runDdl } from './run-ddl.js';
import { setBindings } from './set-bindings.js';
import { takenNamesOf, takenPseudoNamesOf } from './taken-names.js';

/** Changes a key (spec/catalog-model.md 15); its columns stay. */
export async function alterKey(edit: ModelEdit, key: Key, alteration: KeyAlteration): Promise<void> {
  requireModelOwner(edit, key.parent);
  const { columns } = alteration;
  const present = key.columns.map(({ name }) => name);
  if (columns !== undefined && !sameSet(columns, present))
    throw new AppError('bad_json', `unique_columns: the columns of a key cannot be changed; make another key.`);
  await setDescription(edit, key, alteration);
  await renameTo(edit, key, alteration.constraintName);
}

/** Changes a foreign key (16.4); its columns stay. */
export async function alterForeignKey(
  edit: ModelEdit,
  foreignKey: ForeignKey,
  alteration: ForeignKeyAlteration,
): Promise<void> {
  requireModelOwner(edit, foreignKey.parent);
  requireSameMapping(foreignKey, alteration);
  await setDescription(edit, foreignKey, alteration);
  if (alteration.acls !== undefined) await writeAcls(edit, foreignKey, alteration.acls);
  if (alteration.bindings !== undefined) await setBindings(edit, foreignKey, alteration.bindings);
  await setActions(edit, foreignKey, alteration);
  await renameTo(edit, foreignKey, alteration.constraintName);
}

async function renameTo(edit: ModelEdit, constraint: Key | ForeignKey, name: string | null): Promise<void> {
  const { rid, kind, parent, constraintName, pseudo } = constraint;
  if (name === null || name === constraintName) return;
  const taken = pseudo ? takenPseudoNamesOf(edit.model) : takenNamesOf(parent.parent);
  if (taken.has(name))
    throw new AppError(
      'name_in_use',
      `The name ${JSON.stringify(name)} is taken ${pseudo ? 'among the pseudo constraints' : `in the schema ${parent.parent.name}`}.`,
    );
  if (!pseudo) await runDdl(edit.connection, [renameConstraint(placeOf(parent), constraintName, name)]);
  await replaceDocument(edit.connection, edit.change, { rid, kind }, { name });
  edit.touch();
}

/** Pseudo foreign keys have no actions. */
async function setActions(edit: ModelEdit, foreignKey: ForeignKey, alteration: ForeignKeyAlteration): Promise<void> {
  const { rid, parent, constraintName, columns, referencedColumns, references, pseudo } = foreignKey;
  const { onDelete = foreignKey.onDelete, onUpdate = foreignKey.onUpdate } = alteration;
  if (pseudo || (onDelete === foreignKey.onDelete && onUpdate === foreignKey.onUpdate)) return;
  await runDdl(
    edit.connection,
    replaceForeignKey(placeOf(parent), constraintName, {
      name: constraintName,
      columns: columns.map(({ name }) => name),
      referenced: placeOf(references.parent),
      referencedColumns: referencedColumns.map(({ name }) => name),
      onDelete,
      onUpdate,
    }),
  );
  const members = { on_delete: onDelete, on_update: onUpdate };
  await replaceDocument(edit.connection, edit.change, { rid, kind: 'foreign_key' }, members);
  await tieAgain(edit.connection, [rid]);
  edit.lateWork.push({ kind: 'validation', foreignKey: rid });
  edit.touch();
}

/** A document may repeat the columns of its foreign key, but not name others. */
function requireSameMapping(foreignKey: ForeignKey, { columns, referencedColumns }: ForeignKeyAlteration): void {
  const { parent, references } = foreignKey;
  const from = columns && namesIn(columns, parent);
  const to = referencedColumns && namesIn(referencedColumns, references.parent);
  const present = foreignKey.columns.map(({ name }) => name);
  const presentReferenced = foreignKey.referencedColumns.map(({ name }) => name);
  const sidesFit =
    (from === undefined || sameSet(from, present)) && (to === undefined || sameSet(to, presentReferenced));
  const pairsFit =
    from === undefined ||
    to === undefined ||
    from.every((name, index) => to[index] === presentReferenced[present.indexOf(name)]);
  if (sidesFit && pairsFit) return;
  throw new AppError('bad_json', 'The columns of a foreign key cannot be changed; make another foreign key.');
}

/** Names of columns of one table; those of another table are no columns of it. */
function namesIn(references: readonly ColumnReference[], table: Table): readonly string[] {
  const isHere = ({ schema_name, table_name }: ColumnReference): boolean =>
    (schema_name ?? table.parent.name) === table.parent.name && (table_name ?? table.name) === table.name;
  return references.every(isHere) ? references.map(({ column_name }) => column_name) : [];
}

function placeOf(table: Table): { readonly schema: string; readonly table: string } {
  return { schema: table.parent.name, table: table.name };
}
