import type { SchemaElement, TableElement } from '@holdfast/acl';
import { AppError } from '@holdfast/http-kit';
import type { Sql } from '@holdfast/pg-kit';
import type { ColumnType } from '../model/column-types.js';
import type { ElementRow } from '../model/element-rows.js';
import type { Annotations, Column, ForeignKey, Key, Model, Schema, Table } from '../model/model.js';
import type { BindingDefinitions } from './parse-bindings.js';
import { takenNamesOf, takenPseudoNamesOf } from './taken-names.js';

/** The model with what a request has added so far, and what is to be done for it. Lives for one change. */
export interface ChangeDraft {
  readonly model: Model;
  /** Null when there is none of the name. */
  schema(name: string): DraftSchema | null;
  table(schemaName: string, tableName: string): DraftTable | null;
  addSchema(schema: DraftSchema): void;
  addTable(table: DraftTable): void;
  /** Names of pseudo constraints in use. */
  readonly takenPseudoNames: Set<string>;
  /** RIDs that were fetched for this change. */
  nextRid(): string;
  /** Statements for the database, in order. */
  readonly ddl: Sql[];
  /** Rows for the bookkeeping. */
  readonly elements: ElementRow[];
  /** Bindings of new elements, which are read when all elements are there: they may lead anywhere. */
  readonly bindings: NewBindings[];
}

export interface NewBindings {
  /** RID of the element they are for. */
  readonly rid: string;
  readonly definitions: BindingDefinitions;
}

export interface DraftSchema {
  readonly rid: string;
  readonly name: string;
  /** What rights are asked about. */
  readonly element: SchemaElement;
  readonly annotations: Annotations;
  /** Names of tables and real constraints in use. */
  readonly takenNames: Set<string>;
  readonly isNew: boolean;
}

export interface DraftTable {
  readonly rid: string;
  readonly schema: DraftSchema;
  readonly name: string;
  readonly relation: 'table' | 'view';
  readonly element: TableElement;
  readonly annotations: Annotations;
  readonly columns: ReadonlyMap<string, DraftColumn>;
  readonly keys: DraftKey[];
  readonly foreignKeys: DraftForeignKey[];
  readonly isNew: boolean;
}

export interface DraftColumn {
  readonly rid: string;
  readonly name: string;
  readonly type: ColumnType;
  readonly annotations: Annotations;
  /** The column of the model, whose visibility is to be asked; null for one that the request itself makes. */
  readonly element: Column | null;
}

export interface DraftKey {
  readonly rid: string;
  /** In the order of the index. */
  readonly columns: readonly string[];
  /** The key of the model, whose visibility is to be asked; null for one that the request itself makes. */
  readonly element: Key | null;
}

export interface DraftForeignKey {
  readonly columns: readonly string[];
  /** The referencing column with which its index begins: the first in the order of the referenced key. */
  readonly leading: string;
  readonly keyRid: string;
  readonly referencedColumns: readonly string[];
}

/** Starts a draft. */
export function changeDraft(model: Model, rids: readonly string[]): ChangeDraft {
  const schemas = new Map<string, DraftSchema>();
  const tables = new Map<string, DraftTable>();
  const supply = [...rids].reverse();
  const draft: ChangeDraft = {
    model,
    takenPseudoNames: takenPseudoNamesOf(model),
    schema: (name) => {
      const known = schemas.get(name);
      const existing = known === undefined ? model.schemas.get(name) : undefined;
      if (existing === undefined) return known ?? null;
      const added = existingSchema(existing);
      schemas.set(name, added);
      return added;
    },
    table: (schemaName, tableName) => {
      const key = JSON.stringify([schemaName, tableName]);
      const known = tables.get(key);
      if (known !== undefined) return known;
      const schema = draft.schema(schemaName);
      const existing = model.schemas.get(schemaName)?.tables.get(tableName);
      if (schema === null || existing === undefined) return null;
      const added = existingTable(existing, schema);
      tables.set(key, added);
      return added;
    },
    addSchema: (schema) => {
      schemas.set(schema.name, schema);
    },
    addTable: (table) => {
      tables.set(JSON.stringify([table.schema.name, table.name]), table);
      table.schema.takenNames.add(table.name);
    },
    nextRid: () => {
      const rid = supply.pop();
      if (rid === undefined) throw new AppError('internal', 'A change has run out of RIDs.');
      return rid;
    },
    ddl: [],
    elements: [],
    bindings: [],
  };
  return draft;
}

function existingSchema(schema: Schema): DraftSchema {
  return {
    rid: schema.rid,
    name: schema.name,
    element: schema,
    annotations: schema.annotations,
    takenNames: takenNamesOf(schema),
    isNew: false,
  };
}

function existingTable(table: Table, schema: DraftSchema): DraftTable {
  return {
    rid: table.rid,
    schema,
    name: table.name,
    relation: table.relation,
    element: table,
    annotations: table.annotations,
    columns: new Map(
      table.columns.map((column) => {
        const { rid, name, type, annotations } = column;
        return [name, { rid, name, type, annotations, element: column }];
      }),
    ),
    keys: table.keys.map((key) => ({ rid: key.rid, columns: key.columns.map(({ name }) => name), element: key })),
    foreignKeys: table.foreignKeys.map((foreignKey) => ({
      columns: foreignKey.columns.map(({ name }) => name),
      leading: leadingColumn(foreignKey),
      keyRid: foreignKey.references.rid,
      referencedColumns: foreignKey.referencedColumns.map(({ name }) => name),
    })),
    isNew: false,
  };
}

function leadingColumn({ columns, referencedColumns, references }: ForeignKey): string {
  const [first] = references.columns;
  const position = referencedColumns.findIndex(({ rid }) => rid === first?.rid);
  return columns[position]?.name ?? '';
}
