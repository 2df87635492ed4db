import type { AclSet, Binding, BindingSet, BindingType, TableVetoes } from '@holdfast/acl';
import type { ColumnType } from './column-types.js';

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };

/** Annotation documents by key. */
export type Annotations = Readonly<Record<string, Json>>;

/** A dynamic binding of an element (spec/catalog-access.md 7.2), its defaults filled in. */
export interface ElementBinding extends Binding {
  /** Null when it cannot be followed: such a binding matches nothing. */
  readonly projection: Projection | null;
  readonly projectionType: 'acl' | 'nonnull';
  /** As the wire shows it, with the names of this model. */
  readonly document: BindingDocument;
  /** As the bookkeeping has it. */
  readonly stored: BindingDoc | AmendedBindingDoc;
}

/** A binding as the wire writes it. */
export interface BindingDocument {
  readonly types: readonly BindingType[];
  readonly projection: Json;
  readonly projection_type: 'acl' | 'nonnull';
  readonly scope_acl: readonly string[];
  readonly comment?: string;
}

/**
 * A binding that an amendment of history has set (spec/catalog-access.md 10.3): names stand as they were given and mean what they mean
 * in the model of each snapshot.
 */
export interface AmendedBindingDoc extends Omit<BindingDocument, 'projection_type'> {
  readonly by_name: true;
  /** Null: follows from the type of the final column. */
  readonly projection_type: BindingDocument['projection_type'] | null;
}

/** A binding with RIDs in place of names: columns and foreign keys in its projection stand by RID, so that renames do not matter. */
export interface BindingDoc extends BindingDocument {
  /** RIDs of all columns and foreign keys in the projection: when one of them goes, the binding goes. */
  readonly uses: readonly string[];
}

/**
 * The projection of a binding with everything looked up (spec/catalog-access.md 7.3): a path from a row of the base table over foreign
 * keys, narrowed by filters, to the column whose values decide. Instances of tables are numbered as they are bound: 0 is the base.
 */
export interface Projection {
  readonly base: Table;
  /** In the order written. */
  readonly steps: readonly ProjectionStep[];
  /** The final value. */
  readonly value: InstanceColumn;
  /** Whether it was written as a bare name. */
  readonly bare: boolean;
}

export type ProjectionStep = ProjectionLink | ProjectionFilter;

/** A join that binds the next instance. */
export interface ProjectionLink {
  readonly kind: 'link';
  /** `outbound`: from the referencing to the referenced table; `inbound`: the other way. */
  readonly direction: 'outbound' | 'inbound';
  readonly foreignKey: ForeignKey;
  /** Number of the instance it starts from. */
  readonly from: number;
  /** Number of the instance it binds. */
  readonly to: number;
  /** Table of that instance. */
  readonly table: Table;
  readonly given: Given;
}

export type ProjectionFilter =
  | {
      readonly kind: 'and' | 'or';
      readonly operands: readonly ProjectionFilter[];
      readonly negate: boolean;
      readonly given: Given;
    }
  | { readonly kind: 'null-test'; readonly column: InstanceColumn; readonly negate: boolean; readonly given: Given }
  | {
      readonly kind: 'comparison';
      readonly column: InstanceColumn;
      readonly operator: ProjectionOperator;
      /** As a literal of a URL would be written: to be read in the type of the column, or as a pattern. */
      readonly operand: string;
      readonly negate: boolean;
      readonly given: Given;
    };

export type ProjectionOperator = '=' | 'lt' | 'leq' | 'gt' | 'geq' | 'regexp' | 'ciregexp' | 'ts';

/** A column of a numbered instance. */
export interface InstanceColumn {
  readonly instance: number;
  readonly column: Column;
}

/** The step as it was written, for its optional members; names in it may be out of date. */
export type Given = Readonly<Record<string, Json>>;

/** The bindings configured on one element, by name; `false` suppresses one of the table on a column. */
export type ElementBindings = BindingSet<ElementBinding>;

/**
 * The model of a catalog at one moment, as frozen data: built by `load-model.ts`, cached by version, never changed. Its objects are
 * what `@holdfast/acl` decides about, so decisions can be remembered by object.
 */
export interface Model {
  readonly kind: 'catalog';
  /** Snapshot id (microseconds since 1970) of the latest model change. */
  readonly version: bigint;
  readonly acls: AclSet;
  readonly annotations: Annotations;
  /** By name, in the order of creation. */
  readonly schemas: ReadonlyMap<string, Schema>;
}

export interface Schema {
  readonly kind: 'schema';
  readonly rid: string;
  readonly parent: Model;
  readonly name: string;
  readonly comment: string | null;
  readonly annotations: Annotations;
  readonly acls: AclSet;
  /** By name, in the order of creation. */
  readonly tables: ReadonlyMap<string, Table>;
}

export interface Table {
  readonly kind: 'table';
  readonly rid: string;
  readonly parent: Schema;
  readonly name: string;
  readonly relation: 'table' | 'view';
  /** Which table of the service it is (spec/catalog-model.md 23 and 5.1), whatever its name; null for tables of the users. */
  readonly builtin: BuiltinTable | null;
  readonly comment: string | null;
  readonly annotations: Annotations;
  readonly acls: AclSet;
  readonly bindings: ElementBindings;
  readonly vetoes?: TableVetoes | undefined;
  /** In model order. */
  readonly columns: readonly Column[];
  readonly columnsByName: ReadonlyMap<string, Column>;
  readonly keys: readonly Key[];
  /** Foreign keys held by this table. */
  readonly foreignKeys: readonly ForeignKey[];
  /** Foreign keys of any table that refer to this one. */
  readonly referencedBy: readonly ForeignKey[];
  /** Whether all five system columns and the RID key are there; without them the table can only be read. */
  readonly hasSystemColumns: boolean;
}

/** Tables that the service itself needs: their keys and system columns are protected. */
export type BuiltinTable = 'client' | 'group' | 'lease' | 'registry';

export interface Column {
  readonly kind: 'column';
  readonly rid: string;
  readonly parent: Table;
  readonly name: string;
  readonly type: ColumnType;
  readonly nullok: boolean;
  /** The default as a JSON constant; null for none, for serial types and for system columns. */
  readonly default: Json;
  readonly system: SystemColumn | null;
  /** Which of its columns in the row history holds its values, counted from 1 (spec/catalog-access.md 12.3). */
  readonly storage: number;
  readonly comment: string | null;
  readonly annotations: Annotations;
  readonly acls: AclSet;
  readonly bindings: ElementBindings;
}

export interface Key {
  readonly kind: 'key';
  readonly rid: string;
  readonly parent: Table;
  readonly constraintName: string;
  /** A pseudo key stands on a view and is not enforced. */
  readonly pseudo: boolean;
  /** In the order of the unique index. */
  readonly columns: readonly Column[];
  readonly comment: string | null;
  readonly annotations: Annotations;
}

export type ReferentialAction = 'NO ACTION' | 'RESTRICT' | 'CASCADE' | 'SET NULL' | 'SET DEFAULT';

export interface ForeignKey {
  readonly kind: 'foreign_key';
  readonly rid: string;
  /** The referencing table. */
  readonly parent: Table;
  readonly constraintName: string;
  readonly pseudo: boolean;
  /** Referencing columns in the order of the constraint. */
  readonly columns: readonly Column[];
  /** The key referred to; its table is the referenced table. */
  readonly references: Key;
  /** Referenced columns, paired with `columns` by position (the key may list them in another order). */
  readonly referencedColumns: readonly Column[];
  readonly onDelete: ReferentialAction;
  readonly onUpdate: ReferentialAction;
  readonly comment: string | null;
  readonly annotations: Annotations;
  readonly acls: AclSet;
  readonly bindings: ElementBindings;
}

/** The five columns the service keeps on every table it can change (spec/catalog-data.md 6.1), in model order. */
export const systemColumns = ['RID', 'RCT', 'RMT', 'RCB', 'RMB'] as const;

export type SystemColumn = (typeof systemColumns)[number];

/** Which system column a name is, or null. */
export function systemColumnOf(name: string): SystemColumn | null {
  return systemColumns.find((column) => column === name) ?? null;
}
