import { type AclSet, columnRights, containerRights, foreignKeyRights, tableRights } from '@holdfast/acl';
import type { BindingDocument, Column, ElementBindings, ForeignKey, Key, Schema, Table } from '../model/model.js';
import { type ModelView, visibleTables } from './model-view.js';
import { typeDocument } from './type-document.js';

/** Documents of model elements as a client sees them (spec/catalog-model.md 8): hidden parts are left out, lists are for owners. */

export function schemasDocument(view: ModelView): Readonly<Record<string, object>> {
  const schemas = [...view.model.schemas.values()].filter((schema) => view.rights.always(schema, 'enumerate'));
  return Object.fromEntries(schemas.map((schema) => [schema.name, schemaDocument(view, schema)]));
}

export function schemaDocument(view: ModelView, schema: Schema): object {
  return {
    RID: schema.rid,
    schema_name: schema.name,
    comment: schema.comment,
    rights: containerRights(view.rights, schema, view),
    annotations: schema.annotations,
    tables: Object.fromEntries(visibleTables(view, schema).map((table) => [table.name, tableDocument(view, table)])),
    ...(view.rights.always(schema, 'owner') ? { acls: schema.acls } : {}),
  };
}

export function tableDocument(view: ModelView, table: Table): object {
  return {
    RID: table.rid,
    schema_name: table.parent.name,
    table_name: table.name,
    kind: table.relation,
    comment: table.comment,
    rights: tableRights(view.rights, table, view),
    annotations: table.annotations,
    column_definitions: columnDocuments(view, table),
    keys: keyDocuments(view, table),
    foreign_keys: table.foreignKeys
      .filter((foreignKey) => view.rights.always(foreignKey, 'enumerate'))
      .map((foreignKey) => foreignKeyDocument(view, foreignKey)),
    ...policy(view, table, table),
  };
}

export function columnDocuments(view: ModelView, table: Table): readonly object[] {
  return table.columns
    .filter((column) => view.rights.always(column, 'enumerate'))
    .map((column) => columnDocument(view, column));
}

export function columnDocument(view: ModelView, column: Column): object {
  return {
    RID: column.rid,
    name: column.name,
    type: typeDocument(column.type, view.profile),
    default: column.default,
    nullok: column.nullok,
    comment: column.comment,
    rights: columnRights(view.rights, column, view),
    annotations: column.annotations,
    ...policy(view, column.parent, column),
  };
}

export function keyDocuments(view: ModelView, table: Table): readonly object[] {
  return table.keys.filter((key) => view.rights.always(key, 'enumerate')).map(keyDocument);
}

export function keyDocument(key: Key): object {
  return {
    RID: key.rid,
    names: [[key.pseudo ? '' : key.parent.parent.name, key.constraintName]],
    unique_columns: key.columns.map(({ name }) => name),
    comment: key.comment,
    annotations: key.annotations,
  };
}

export function foreignKeyDocument(view: ModelView, foreignKey: ForeignKey): object {
  const { parent, pseudo } = foreignKey;
  return {
    RID: foreignKey.rid,
    names: [[pseudo ? '' : parent.parent.name, foreignKey.constraintName]],
    foreign_key_columns: foreignKey.columns.map(columnReference),
    referenced_columns: foreignKey.referencedColumns.map(columnReference),
    ...(pseudo ? {} : { on_delete: foreignKey.onDelete, on_update: foreignKey.onUpdate }),
    comment: foreignKey.comment,
    rights: foreignKeyRights(view.rights, foreignKey, view),
    annotations: foreignKey.annotations,
    ...policy(view, parent, foreignKey),
  };
}

function columnReference(column: Column): object {
  return { schema_name: column.parent.parent.name, table_name: column.parent.name, column_name: column.name };
}

/** Lists and bindings, for static owners; those of columns and foreign keys belong to the owners of the table. */
function policy(
  view: ModelView,
  owned: Table,
  element: { readonly acls: AclSet; readonly bindings: ElementBindings },
): object {
  if (!view.rights.always(owned, 'owner')) return {};
  return { acls: element.acls, acl_bindings: bindingsDocument(element.bindings) };
}

/** The bindings of an element by name; `false` where one of the table is switched off. */
export function bindingsDocument(bindings: ElementBindings): Readonly<Record<string, BindingDocument | false>> {
  return Object.fromEntries(
    Object.entries(bindings).map(([name, binding]) => [name, binding === false ? false : binding.document]),
  );
}
