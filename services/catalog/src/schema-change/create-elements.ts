import { initialAcls, type SchemaElement, type TableElement } from '@holdfast/acl';
import { AppError, denied } from '@holdfast/http-kit';
import { typeName } from '../model/column-types.js';
import { CATALOG_RID } from '../model/element-rows.js';
import { systemColumnOf } from '../model/model.js';
import type { DraftColumn, DraftSchema, DraftTable } from './change-draft.js';
import { addKeyTo } from './create-key.js';
import { type CreationContext, configurationRows, creatorId, requireOwnershipOf } from './creation-context.js';
import { createSchema, createTable } from './ddl.js';
import type { ColumnDefinition, SchemaDefinition, TableDefinition } from './definitions.js';
import { requireCaptureValue } from './history-capture.js';
import { indexColumn } from './index-columns.js';

/**
 * Adds a schema without its tables to a change (spec/catalog-model.md 11, 12).
 * @throws {AppError} when the client may not, or when the name is taken or reserved
 */
export function addSchema(context: CreationContext, definition: SchemaDefinition): DraftSchema {
  const { draft, rights } = context;
  if (!rights.always(draft.model, 'create'))
    throw denied(context.client.client === null, 'Creating schemas needs the right "create" on the catalog.');
  const { name } = definition;
  requireFreeSchemaName(name);
  if (draft.schema(name) !== null)
    throw new AppError('name_in_use', `There is a schema ${JSON.stringify(name)} already.`);
  const ownsParent = rights.always(draft.model, 'owner');
  const acls = initialAcls('schema', { clientId: creatorId(context), ownsParent, input: definition.acls });
  const element: SchemaElement = { kind: 'schema', parent: draft.model, acls };
  requireOwnershipOf(context, element, `The schema ${JSON.stringify(name)}`);
  const place = { rid: draft.nextRid(), parent: CATALOG_RID };
  const { comment, annotations } = definition;
  draft.ddl.push(createSchema(name));
  draft.elements.push(
    { ...place, kind: 'schema', doc: { name, comment } },
    ...configurationRows(place, acls, annotations),
  );
  const schema = { rid: place.rid, name, element, annotations, takenNames: new Set<string>(), isNew: true };
  draft.addSchema(schema);
  return schema;
}

/** Names of schemas that are not the users' to take (spec/catalog-model.md 7). */
const reserved: ReadonlySet<string> = new Set(['_catalog', '_ermrest', '_ermrest_history', 'information_schema']);

/** Refuses a reserved name of a schema. */
export function requireFreeSchemaName(name: string): void {
  if (reserved.has(name) || name.startsWith('pg_'))
    throw new AppError('conflict', `The schema name ${JSON.stringify(name)} is reserved; choose another one.`);
}

/**
 * Adds a table with its columns and keys to a change; foreign keys come later (spec/catalog-model.md 12), then {@link indexTable}.
 * @throws {AppError} when the schema is not there for the client, when it may not create there, or when the name is taken
 */
export function addTable(context: CreationContext, definition: TableDefinition): DraftTable {
  const { draft, rights } = context;
  const { name } = definition;
  const schema = draft.schema(definition.schemaName);
  if (schema === null || !rights.always(schema.element, 'enumerate'))
    throw new AppError('unknown_element', `There is no schema ${JSON.stringify(definition.schemaName)}.`);
  if (!rights.always(schema.element, 'create'))
    throw denied(
      context.client.client === null,
      `Creating tables needs the right "create" on the schema ${schema.name}.`,
    );
  if (schema.takenNames.has(name))
    throw new AppError('name_in_use', `The name ${JSON.stringify(name)} is taken in the schema ${schema.name}.`);
  requireCaptureValue(definition.annotations);
  const ownsParent = rights.always(schema.element, 'owner');
  const acls = initialAcls('table', { clientId: creatorId(context), ownsParent, input: definition.acls });
  const element: TableElement = { kind: 'table', parent: schema.element, acls, bindings: {} };
  requireOwnershipOf(context, element, `The table ${JSON.stringify(name)}`);
  const place = { rid: draft.nextRid(), parent: schema.rid };
  const { comment, annotations } = definition;
  draft.elements.push(
    { ...place, kind: 'table', doc: { name, relation: 'table', comment } },
    ...configurationRows(place, acls, annotations),
  );
  draft.bindings.push({ rid: place.rid, definitions: definition.bindings });
  const columns = definition.columns.map((column) => enterColumn(context, place.rid, column));
  const table: DraftTable = {
    rid: place.rid,
    schema,
    name,
    relation: 'table',
    element,
    annotations,
    columns: new Map(columns.map((column) => [column.name, column])),
    keys: [],
    foreignKeys: [],
    isNew: true,
  };
  draft.addTable(table);
  const keys = definition.keys.map((key) => addKeyTo(context, table, key));
  const texts = definition.columns.map((column) => [column.name, context.defaults.get(column)?.text] as const);
  draft.ddl.push(
    createTable(
      { schema: schema.name, table: name },
      definition.columns,
      keys,
      new Map(texts.flatMap(([column, text]) => (text === undefined ? [] : [[column, text] as const]))),
    ),
  );
  return table;
}

/** The row of a new column, with its lists and annotations. */
export function enterColumn(context: CreationContext, tableRid: string, definition: ColumnDefinition): DraftColumn {
  const { draft } = context;
  const { name, type, nullok, comment } = definition;
  const place = { rid: draft.nextRid(), parent: tableRid };
  // the service sets the system columns itself, whatever default a document names
  const doc = {
    name,
    type: typeName(type),
    nullok,
    default: systemColumnOf(name) === null ? (context.defaults.get(definition)?.json ?? null) : null,
    comment,
  };
  draft.elements.push(
    { ...place, kind: 'column', doc },
    ...configurationRows(place, definition.acls, definition.annotations),
  );
  draft.bindings.push({ rid: place.rid, definitions: definition.bindings });
  return { rid: place.rid, name, type, annotations: definition.annotations, element: null };
}

/** Adds the indexes of a new table's columns to a change, when its foreign keys are known. */
export function indexTable(context: CreationContext, table: DraftTable, definition: TableDefinition): void {
  const leaders = new Set([
    ...table.keys.flatMap((key) => key.columns.slice(0, 1)),
    ...table.foreignKeys.map(({ leading }) => leading),
  ]);
  for (const column of definition.columns) indexColumn(context, table, { ...column, leads: leaders.has(column.name) });
}
