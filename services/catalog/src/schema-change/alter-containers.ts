import { AppError, denied } from '@holdfast/http-kit';
import type { Sql } from '@holdfast/pg-kit';
import type { Schema, Table } from '../model/model.js';
import { moveTable, renameSchema, renameTable } from './alter-ddl.js';
import { requireKept, requireOwner, setDescription, writeAcls } from './configure.js';
import { requireModelOwner } from './create.js';
import { requireFreeSchemaName } from './create-elements.js';
import { moveElement, replaceDocument } from './element-store.js';
import type { ModelEdit } from './model-edit.js';
import type { SchemaAlteration, TableAlteration } from './parse-alteration.js';
import { runDdl } from './run-ddl.js';
import { setBindings } from './set-bindings.js';
import { takenNamesOf } from './taken-names.js';

/** Changes a schema (spec/catalog-model.md 11). */
export async function alterSchema(edit: ModelEdit, schema: Schema, alteration: SchemaAlteration): Promise<void> {
  requireOwner(edit, schema);
  const { name = schema.name, acls = schema.acls } = alteration;
  requireKept(edit, { ...schema, acls });
  await setDescription(edit, schema, alteration);
  await writeAcls(edit, schema, acls);
  if (name === schema.name) return;
  requireFreeSchemaName(name);
  if (edit.model.schemas.has(name))
    throw new AppError('name_in_use', `There is a schema ${JSON.stringify(name)} already.`);
  await runDdl(edit.connection, [renameSchema(schema.name, name)]);
  await replaceDocument(edit.connection, edit.change, { rid: schema.rid, kind: 'schema' }, { name });
  edit.touch();
}

/**
 * Changes a table or view, also its name and schema (13). Bindings of the document are read with the names before the change, so that
 * a document that was read can be sent back with a new name in it.
 */
export async function alterTable(edit: ModelEdit, table: Table, alteration: TableAlteration): Promise<void> {
  requireModelOwner(edit, table);
  const { name = table.name, acls = table.acls, bindings } = alteration;
  const destination = destinationOf(edit, table, alteration.schemaName);
  requireKept(edit, { ...table, parent: destination, acls });
  await setDescription(edit, table, alteration);
  await writeAcls(edit, table, acls);
  if (bindings !== undefined) await setBindings(edit, table, bindings);
  if (name === table.name && destination === table.parent) return;
  refuseTakenNames(table, name, destination);
  await runDdl(edit.connection, placing(table, name, destination));
  if (destination !== table.parent) await moveElement(edit.connection, edit.change, table.rid, destination.rid);
  await replaceDocument(edit.connection, edit.change, { rid: table.rid, kind: 'table' }, { name });
  edit.touch();
}

/** The schema a table is to be in. */
function destinationOf({ model, rights, client }: ModelEdit, table: Table, name: string | undefined): Schema {
  if (name === undefined || name === table.parent.name) return table.parent;
  const schema = model.schemas.get(name);
  if (schema === undefined || !rights.always(schema, 'enumerate'))
    throw new AppError('unknown_element', `There is no schema ${JSON.stringify(name)}.`);
  if (!rights.always(schema, 'create'))
    throw denied(client.client === null, `Moving a table to the schema ${name} needs the right "create" there.`);
  return schema;
}

/** The table brings the names of its constraints along: pairs of schema and name are their identity. */
function refuseTakenNames(table: Table, name: string, destination: Schema): void {
  const taken = takenNamesOf(destination);
  const moves = destination !== table.parent;
  const constraints = [...table.keys, ...table.foreignKeys].filter(({ pseudo }) => moves && !pseudo);
  const names = [name, ...constraints.map(({ constraintName }) => constraintName)];
  const collision = names.find((wanted) => taken.has(wanted));
  if (collision !== undefined)
    throw new AppError(
      'name_in_use',
      `The name ${JSON.stringify(collision)} is taken in the schema ${destination.name}.`,
    );
}

/** By way of a name that no client chooses: the old one may be taken there, the new one here. */
function placing(table: Table, name: string, destination: Schema): readonly Sql[] {
  const schema = table.parent.name;
  if (destination === table.parent) return [renameTable({ schema, table: table.name }, name)];
  if (name === table.name) return [moveTable({ schema, table: name }, destination.name)];
  const between = `${table.rid} moving`;
  return [
    renameTable({ schema, table: table.name }, between),
    moveTable({ schema, table: between }, destination.name),
    renameTable({ schema: destination.name, table: between }, name),
  ];
}
