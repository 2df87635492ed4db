import type { AclName } from './acl-names.js';
import type { AclSet } from './acl-set.js';
import type { BindingSet } from './bindings.js';

/**
 * What the decision function needs to know of the model. The catalog's own frozen model objects satisfy these
 * interfaces; decisions are remembered per object, so an object must never change.
 */
export type AclElement = CatalogElement | SchemaElement | TableElement | ColumnElement | ForeignKeyElement | KeyElement;

export interface CatalogElement {
  readonly kind: 'catalog';
  readonly acls: AclSet;
}

export interface SchemaElement {
  readonly kind: 'schema';
  readonly acls: AclSet;
  readonly parent: CatalogElement;
}

export interface TableElement {
  readonly kind: 'table';
  readonly acls: AclSet;
  readonly parent: SchemaElement;
  readonly bindings: BindingSet;
  /**
   * Accesses that nobody has, whatever the lists say: `insert` and `delete` on the registry table, all of them on a table
   * whose history is not there at the snapshot that is read.
   */
  readonly vetoes?: TableVetoes | undefined;
}

export type TableVetoes = 'everything' | readonly AclName[];

/** What {@link TableElement.vetoes} is for the table that lists the catalogs (spec/catalog-access.md 2.4). */
export const REGISTRY_TABLE_VETOES: TableVetoes = ['insert', 'delete'];

export type SystemColumn = 'RID' | 'RCT' | 'RMT' | 'RCB' | 'RMB';

export interface ColumnElement {
  readonly kind: 'column';
  readonly acls: AclSet;
  readonly parent: TableElement;
  readonly bindings: BindingSet;
  /** Which system column it is, if it is one. */
  readonly system?: SystemColumn | null | undefined;
}

export interface ForeignKeyElement {
  readonly kind: 'foreign_key';
  readonly acls: AclSet;
  /** The referencing table. */
  readonly parent: TableElement;
  readonly bindings: BindingSet;
  /** The referencing columns, in the order of the constraint. */
  readonly columns: readonly ColumnElement[];
  /** The key that is referred to. */
  readonly references: KeyElement;
}

export interface KeyElement {
  readonly kind: 'key';
  readonly parent: TableElement;
  readonly columns: readonly ColumnElement[];
}
