import type { AclSet } from '@holdfast/acl';
import type { AmendedBindingDoc, Annotations, BindingDoc, BuiltinTable, Json, ReferentialAction } from './model.js';

/** The element that stands for the catalog itself: the id of number 0, which the sequence never gives. */
export const CATALOG_RID = '0';

/**
 * What `_catalog.elem` holds (spec/catalog-access.md 12.1): one row per version of an element, and one per version of the access lists,
 * bindings and annotations configured on it. Elements refer to each other by RID, never by name.
 */
export type ElementRow = { readonly rid: string; readonly parent: string } & (
  | { readonly kind: 'schema'; readonly doc: SchemaDoc }
  | { readonly kind: 'table'; readonly doc: TableDoc }
  | { readonly kind: 'column'; readonly doc: ColumnDoc }
  | { readonly kind: 'key'; readonly doc: KeyDoc }
  | { readonly kind: 'foreign_key'; readonly doc: ForeignKeyDoc }
  | ConfigurationRow
);

/** All lists, all bindings or all annotations of the element `rid`; no row means none. */
export type ConfigurationRow =
  | { readonly kind: 'acl'; readonly doc: AclSet }
  | { readonly kind: 'binding'; readonly doc: Readonly<Record<string, BindingDoc | AmendedBindingDoc | false>> }
  | { readonly kind: 'annotation'; readonly doc: Annotations };

/** `oid` and `attnum` tie an element to its database object; they are filled in by the database itself. */
export interface SchemaDoc {
  readonly name: string;
  readonly comment: string | null;
  readonly oid?: number;
}

export interface TableDoc {
  readonly name: string;
  readonly relation: 'table' | 'view';
  readonly comment: string | null;
  readonly builtin?: BuiltinTable;
  readonly oid?: number;
}

export interface ColumnDoc {
  readonly name: string;
  /** Canonical name, `int4`, `text[]`. */
  readonly type: string;
  readonly nullok: boolean;
  readonly default: Json;
  readonly comment: string | null;
  readonly attnum?: number;
  /** Which column of the row history holds its values, counted from 1 (absent): another one after each change of the type. */
  readonly storage?: number;
}

export interface KeyDoc {
  readonly name: string;
  readonly columns: readonly string[];
  readonly comment: string | null;
  readonly pseudo?: boolean;
  readonly oid?: number;
}

export interface ForeignKeyDoc {
  readonly name: string;
  readonly columns: readonly string[];
  /** RID of the key referred to. */
  readonly key: string;
  /** Referenced columns, by position of `columns`. */
  readonly referenced: readonly string[];
  readonly on_delete: ReferentialAction;
  readonly on_update: ReferentialAction;
  readonly comment: string | null;
  readonly pseudo?: boolean;
  readonly oid?: number;
}
