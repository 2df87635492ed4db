import type { Json, ReferentialAction } from '../../model/model.js';

/** What stands in the database of a catalog, as its system tables tell it. Elements are compared with this. */
export interface DatabaseObjects {
  readonly schemas: readonly DatabaseSchema[];
  readonly relations: readonly DatabaseRelation[];
  /** By OID of the relation, in their order. */
  readonly columns: ReadonlyMap<number, readonly DatabaseColumn[]>;
  /** By OID of the table, primary keys first. */
  readonly keys: ReadonlyMap<number, readonly DatabaseKey[]>;
  readonly foreignKeys: readonly DatabaseForeignKey[];
}

export interface DatabaseSchema {
  readonly oid: number;
  readonly name: string;
  readonly comment: string | null;
}

export interface DatabaseRelation {
  readonly oid: number;
  /** OID of the schema. */
  readonly schema: number;
  readonly name: string;
  readonly kind: 'table' | 'view';
  readonly comment: string | null;
}

export interface DatabaseColumn {
  /** PostgreSQL's number of the column, which a renaming leaves alone. */
  readonly number: number;
  readonly name: string;
  /** Name in our catalogue of types; null for a type that is not in it. */
  readonly type: string | null;
  /** PostgreSQL's name of the type, for messages. */
  readonly declared: string;
  readonly nullok: boolean;
  /** A constant, or null for no default and for an expression. */
  readonly default: Json;
  readonly comment: string | null;
}

export interface DatabaseKey {
  readonly oid: number;
  readonly name: string;
  /** Numbers of columns. */
  readonly columns: readonly number[];
}

export interface DatabaseForeignKey extends DatabaseKey {
  readonly relation: number;
  readonly referencedRelation: number;
  readonly referencedColumns: readonly number[];
  readonly onDelete: ReferentialAction;
  readonly onUpdate: ReferentialAction;
}
