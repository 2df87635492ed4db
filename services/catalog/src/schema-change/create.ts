import { AppError, denied } from '@holdfast/http-kit';
import type { Table } from '../model/model.js';
import type { DraftTable } from './change-draft.js';
import { addSchema, addTable, enterColumn, indexTable } from './create-elements.js';
import { addForeignKeyTo } from './create-foreign-key.js';
import { addKeyTo } from './create-key.js';
import type { CreationContext } from './creation-context.js';
import { addColumn, addKey } from './ddl.js';
import type {
  BulkItem,
  ColumnDefinition,
  ForeignKeyDefinition,
  KeyDefinition,
  SchemaDefinition,
  TableDefinition,
} from './definitions.js';
import { indexColumn } from './index-columns.js';
import type { ModelEdit } from './model-edit.js';
import { elementsOfSchema, elementsOfTable, runCreation } from './run-creation.js';

/** Creates an empty schema. */
export async function createSchema(edit: ModelEdit, name: string): Promise<void> {
  const definition: SchemaDefinition = { name, comment: null, annotations: {}, acls: {}, tables: [] };
  await createBulk(edit, [{ kind: 'schema', definition }]);
}

/** Creates a table with all that is in it. */
export async function createTable(edit: ModelEdit, definition: TableDefinition): Promise<void> {
  await createBulk(edit, [{ kind: 'table', definition }]);
}

/**
 * Creates schemas, tables and foreign keys, all of them or none (spec/catalog-model.md 12): first schemas and tables in the order
 * given, then all foreign keys, so that tables may refer to each other.
 */
export async function createBulk(edit: ModelEdit, items: readonly BulkItem[]): Promise<void> {
  const needs = {
    elements: sum(items.map(elementsOfItem)),
    columns: items.flatMap(columnsOfItem),
    existingTable: null,
  };
  await runCreation(edit, needs, (context) => {
    const foreignKeys: ForeignKeyDefinition[] = [];
    const tables: (readonly [DraftTable, TableDefinition])[] = [];
    const table = (definition: TableDefinition): void => {
      tables.push([addTable(context, definition), definition]);
      foreignKeys.push(...definition.foreignKeys);
    };
    for (const item of items) {
      switch (item.kind) {
        case 'schema':
          addSchema(context, item.definition);
          for (const definition of item.definition.tables) table(definition);
          break;
        case 'table':
          table(item.definition);
          break;
        case 'foreign_key':
          foreignKeys.push(item.definition);
          break;
        default:
          item satisfies never;
      }
    }
    for (const foreignKey of foreignKeys) addForeignKeyTo(context, ownTable(context, foreignKey), foreignKey);
    for (const [added, definition] of tables) indexTable(context, added, definition);
  });
}

/** Adds a column to a table the client owns (spec/catalog-model.md 14). */
export async function createColumn(edit: ModelEdit, table: Table, definition: ColumnDefinition): Promise<void> {
  requireModelOwner(edit, table);
  if (table.relation === 'view') throw new AppError('conflict', 'The columns of a view are those of its query.');
  if (table.columnsByName.has(definition.name))
    throw new AppError('name_in_use', `The table has a column ${JSON.stringify(definition.name)} already.`);
  await extend(edit, table, [definition], (context, draft) => {
    const column = enterColumn(context, table.rid, definition);
    const extended = { ...draft, columns: new Map([...draft.columns, [column.name, column]]) };
    context.draft.ddl.push(addColumn(placeOf(draft), definition, context.defaults.get(definition)?.text));
    indexColumn(context, extended, { ...definition, leads: false });
  });
}

/** Adds a key to a table or view the client owns (spec/catalog-model.md 15). */
export async function createKey(edit: ModelEdit, table: Table, definition: KeyDefinition): Promise<void> {
  requireModelOwner(edit, table);
  await extend(edit, table, [], (context, draft) => {
    const key = addKeyTo(context, draft, definition);
    if (draft.relation === 'table') context.draft.ddl.push(addKey(placeOf(draft), key));
  });
}

/**
 * Adds a foreign key to a table or view the client owns (spec/catalog-model.md 16).
 * @returns its RID
 */
export async function createForeignKey(
  edit: ModelEdit,
  table: Table,
  definition: ForeignKeyDefinition,
): Promise<string> {
  requireModelOwner(edit, table);
  return extend(edit, table, [], (context, draft) => addForeignKeyTo(context, draft, definition));
}

/** Changing the model of a table is for its static owner; a binding to rows does not count (spec/catalog-access.md 2.7). */
export function requireModelOwner(edit: ModelEdit, table: Table): void {
  if (!edit.rights.always(table, 'owner'))
    throw denied(edit.client.client === null, `Changing the table ${table.name} is for its owners.`);
}

function extend<Result>(
  edit: ModelEdit,
  table: Table,
  columns: readonly ColumnDefinition[],
  plan: (context: CreationContext, draft: DraftTable) => Result,
): Promise<Result> {
  const existingTable = { schema: table.parent.name, table: table.name };
  return runCreation(edit, { elements: 1, columns, existingTable }, (context) => {
    const draft = context.draft.table(existingTable.schema, existingTable.table);
    if (draft === null) throw new AppError('internal', 'A table of the model is missing in its draft.');
    return plan(context, draft);
  });
}

/** The table a stand-alone foreign key document names: one of the request's own, or one the client owns. */
function ownTable(context: CreationContext, { table: name }: ForeignKeyDefinition): DraftTable {
  const table = context.draft.table(name.schema, name.table);
  if (table === null || (!table.isNew && !context.rights.always(table.element, 'enumerate')))
    throw new AppError(
      'unknown_element',
      `There is no table ${JSON.stringify(name.schema)}:${JSON.stringify(name.table)}.`,
    );
  if (!context.rights.always(table.element, 'owner'))
    throw denied(context.client.client === null, `Changing the table ${table.name} is for its owners.`);
  return table;
}

function placeOf({ schema, name }: DraftTable): { readonly schema: string; readonly table: string } {
  return { schema: schema.name, table: name };
}

function elementsOfItem(item: BulkItem): number {
  switch (item.kind) {
    case 'schema':
      return elementsOfSchema(item.definition);
    case 'table':
      return elementsOfTable(item.definition);
    case 'foreign_key':
      return 1;
    default:
      return item satisfies never;
  }
}

function columnsOfItem(item: BulkItem): readonly ColumnDefinition[] {
  switch (item.kind) {
    case 'schema':
      return item.definition.tables.flatMap(({ columns }) => columns);
    case 'table':
      return item.definition.columns;
    case 'foreign_key':
      return [];
    default:
      return item satisfies never;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
