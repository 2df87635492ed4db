import type { AclSet } from '@holdfast/acl';
import type { ColumnType } from '../model/column-types.js';
import type { Annotations, Json, ReferentialAction } from '../model/model.js';
import type { BindingDefinitions } from './parse-bindings.js';

/** What a request asks to be made: documents of spec/catalog-model.md 8, read and checked for form. */
export interface SchemaDefinition extends Described {
  readonly name: string;
  readonly acls: AclSet;
  readonly tables: readonly TableDefinition[];
}

export interface TableDefinition extends Described {
  readonly schemaName: string;
  readonly name: string;
  readonly acls: AclSet;
  readonly bindings: BindingDefinitions;
  readonly columns: readonly ColumnDefinition[];
  readonly keys: readonly KeyDefinition[];
  readonly foreignKeys: readonly ForeignKeyDefinition[];
}

export interface ColumnDefinition extends Described {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullok: boolean;
  readonly default: Json;
  readonly acls: AclSet;
  readonly bindings: BindingDefinitions;
}

export interface KeyDefinition extends Described {
  /** Null: the service chooses. */
  readonly constraintName: string | null;
  readonly columns: readonly string[];
}

export interface ForeignKeyDefinition extends Described {
  readonly constraintName: string | null;
  readonly table: TableName;
  readonly columns: readonly string[];
  readonly referencedTable: TableName;
  readonly referencedColumns: readonly string[];
  readonly onDelete: ReferentialAction;
  readonly onUpdate: ReferentialAction;
  /** As given: the defaults of foreign keys come when it is made. */
  readonly acls: AclSet;
  readonly bindings: BindingDefinitions;
}

export interface TableName {
  readonly schema: string;
  readonly table: string;
}

export interface Described {
  readonly comment: string | null;
  readonly annotations: Annotations;
}

/** What an alteration says of comment and annotations; undefined: they stay as they are. */
export interface Description {
  readonly comment: string | null | undefined;
  readonly annotations: Annotations | undefined;
}

/** An item of a bulk creation (12). */
export type BulkItem =
  | { readonly kind: 'schema'; readonly definition: SchemaDefinition }
  | { readonly kind: 'table'; readonly definition: TableDefinition }
  | { readonly kind: 'foreign_key'; readonly definition: ForeignKeyDefinition };
