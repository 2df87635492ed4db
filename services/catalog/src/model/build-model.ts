import { type AclSet, NO_ACLS, REGISTRY_TABLE_VETOES } from '@holdfast/acl';
import { AppError } from '@holdfast/http-kit';
import { buildBinding } from './build-bindings.js';
import { type ColumnType, columnType } from './column-types.js';
import type { ColumnDoc, ElementRow, ForeignKeyDoc, KeyDoc, SchemaDoc, TableDoc } from './element-rows.js';
import { CATALOG_RID } from './element-rows.js';
import type {
  AmendedBindingDoc,
  Annotations,
  BindingDoc,
  Column,
  ElementBindings,
  ForeignKey,
  Key,
  Model,
  Schema,
  Table,
} from './model.js';
import { systemColumnOf } from './model.js';
import { missingSystemParts } from './system-parts.js';

/**
 * Makes the frozen model of the live rows of `_catalog.elem`, in time linear in their number.
 * @param version snapshot of the model, in microseconds since 1970
 * @param rows in any order
 */
export function buildModel(version: bigint, rows: readonly ElementRow[]): Model {
  const parts = sortOut(rows);
  const schemas = new Map<string, Schema>();
  const model: Model = {
    kind: 'catalog',
    version,
    acls: parts.acls.get(CATALOG_RID) ?? NO_ACLS,
    annotations: parts.annotations.get(CATALOG_RID) ?? NO_ANNOTATIONS,
    schemas,
  };
  const tables = new Map<string, OpenTable>();
  for (const row of parts.schemas) {
    const { schema, open } = buildSchema(row, model, parts);
    schemas.set(schema.name, schema);
    for (const table of open) tables.set(table.table.rid, table);
  }
  linkForeignKeys(parts, tables);
  fillBindings(parts, tables);
  for (const open of tables.values()) freezeTable(open);
  return Object.freeze(model);
}

type RowOf<Doc> = { readonly rid: string; readonly parent: string; readonly doc: Doc };

interface Parts {
  readonly acls: ReadonlyMap<string, AclSet>;
  readonly bindings: ReadonlyMap<string, OpenBindings>;
  readonly annotations: ReadonlyMap<string, Annotations>;
  readonly schemas: readonly RowOf<SchemaDoc>[];
  readonly tables: ReadonlyMap<string, readonly RowOf<TableDoc>[]>;
  readonly columns: ReadonlyMap<string, readonly RowOf<ColumnDoc>[]>;
  readonly keys: ReadonlyMap<string, readonly RowOf<KeyDoc>[]>;
  readonly foreignKeys: readonly RowOf<ForeignKeyDoc>[];
}

const NO_ANNOTATIONS: Annotations = Object.freeze({});
const NO_BINDINGS: ElementBindings = Object.freeze({});

/** Rows by kind and parent, each list in the order of creation. */
function sortOut(rows: readonly ElementRow[]): Parts {
  const acls = new Map<string, AclSet>();
  const bindings = new Map<string, OpenBindings>();
  const annotations = new Map<string, Annotations>();
  const schemas: RowOf<SchemaDoc>[] = [];
  const tables = new Map<string, RowOf<TableDoc>[]>();
  const columns = new Map<string, RowOf<ColumnDoc>[]>();
  const keys = new Map<string, RowOf<KeyDoc>[]>();
  const foreignKeys: RowOf<ForeignKeyDoc>[] = [];
  for (const row of [...rows].sort(byAge)) {
    switch (row.kind) {
      case 'acl':
        acls.set(row.rid, Object.freeze(row.doc));
        break;
      case 'binding':
        bindings.set(row.rid, { docs: row.doc, bindings: {} });
        break;
      case 'annotation':
        annotations.set(row.rid, Object.freeze(row.doc));
        break;
      case 'schema':
        schemas.push(row);
        break;
      case 'table':
        append(tables, row);
        break;
      case 'column':
        append(columns, row);
        break;
      case 'key':
        append(keys, row);
        break;
      case 'foreign_key':
        foreignKeys.push(row);
        break;
      default:
        row satisfies never;
    }
  }
  return { acls, bindings, annotations, schemas, tables, columns, keys, foreignKeys };
}

/** RIDs are numbers in ascending order without leading zeros: the shorter one is older. */
function byAge(a: ElementRow, b: ElementRow): number {
  if (a.rid.length !== b.rid.length) return a.rid.length - b.rid.length;
  if (a.rid === b.rid) return 0;
  return a.rid < b.rid ? -1 : 1;
}

function append<Doc>(lists: Map<string, RowOf<Doc>[]>, row: RowOf<Doc>): void {
  const list = lists.get(row.parent);
  if (list === undefined) lists.set(row.parent, [row]);
  else list.push(row);
}

/** Bindings that are filled in when all elements are there: their projections lead from table to table. */
interface OpenBindings {
  readonly docs: Readonly<Record<string, BindingDoc | AmendedBindingDoc | false>>;
  readonly bindings: ElementBindings;
}

/** A table whose lists are still being filled. */
interface OpenTable {
  readonly table: Table;
  readonly foreignKeys: ForeignKey[];
  readonly referencedBy: ForeignKey[];
  readonly columnsByRid: ReadonlyMap<string, Column>;
  readonly keysByRid: ReadonlyMap<string, Key>;
}

function buildSchema(
  row: RowOf<SchemaDoc>,
  parent: Model,
  parts: Parts,
): { readonly schema: Schema; readonly open: readonly OpenTable[] } {
  const tables = new Map<string, Table>();
  const schema: Schema = Object.freeze({
    kind: 'schema',
    rid: row.rid,
    parent,
    name: row.doc.name,
    comment: row.doc.comment,
    annotations: parts.annotations.get(row.rid) ?? NO_ANNOTATIONS,
    acls: parts.acls.get(row.rid) ?? NO_ACLS,
    tables,
  });
  const open = (parts.tables.get(row.rid) ?? []).map((table) => buildTable(table, schema, parts));
  for (const { table } of open) tables.set(table.name, table);
  return { schema, open };
}

function buildTable(row: RowOf<TableDoc>, parent: Schema, parts: Parts): OpenTable {
  const columns: Column[] = [];
  const columnsByName = new Map<string, Column>();
  const columnsByRid = new Map<string, Column>();
  const keys: Key[] = [];
  const keysByRid = new Map<string, Key>();
  const foreignKeys: ForeignKey[] = [];
  const referencedBy: ForeignKey[] = [];
  const columnRows = parts.columns.get(row.rid) ?? [];
  const keyRows = parts.keys.get(row.rid) ?? [];
  const table: Table = {
    kind: 'table',
    rid: row.rid,
    parent,
    name: row.doc.name,
    relation: row.doc.relation,
    builtin: row.doc.builtin ?? null,
    comment: row.doc.comment,
    annotations: parts.annotations.get(row.rid) ?? NO_ANNOTATIONS,
    acls: parts.acls.get(row.rid) ?? NO_ACLS,
    bindings: parts.bindings.get(row.rid)?.bindings ?? NO_BINDINGS,
    ...(row.doc.builtin === 'registry' ? { vetoes: REGISTRY_TABLE_VETOES } : {}),
    columns,
    columnsByName,
    keys,
    foreignKeys,
    referencedBy,
    hasSystemColumns: hasSystemColumns(row.doc, columnRows, keyRows),
  };
  for (const columnRow of columnRows) {
    const column = buildColumn(columnRow, table, parts);
    columns.push(column);
    columnsByName.set(column.name, column);
    columnsByRid.set(column.rid, column);
  }
  for (const keyRow of keyRows) {
    const key = buildKey(keyRow, table, columnsByRid, parts);
    keys.push(key);
    keysByRid.set(key.rid, key);
  }
  return { table, foreignKeys, referencedBy, columnsByRid, keysByRid };
}

/**
 * Without the five columns and the key the service could not keep its promises about rows: such a table is read only, and its past is not
 * kept.
 */
export function hasSystemColumns(
  doc: TableDoc,
  columns: readonly { readonly rid: string; readonly doc: ColumnDoc }[],
  keys: readonly { readonly doc: KeyDoc }[],
): boolean {
  if (doc.relation !== 'table') return false;
  const names = new Map(columns.map(({ rid, doc: { name } }) => [rid, name]));
  const members = keys.map(({ doc: { columns: rids } }) => rids.map((rid) => names.get(rid) ?? ''));
  return (
    missingSystemParts(
      columns.map((column) => column.doc),
      members,
    ).length === 0
  );
}

function buildColumn(row: RowOf<ColumnDoc>, parent: Table, parts: Parts): Column {
  const { doc } = row;
  return Object.freeze({
    kind: 'column',
    rid: row.rid,
    parent,
    name: doc.name,
    type: knownType(doc.type),
    nullok: doc.nullok,
    default: doc.default,
    system: systemColumnOf(doc.name),
    storage: doc.storage ?? 1,
    comment: doc.comment,
    annotations: parts.annotations.get(row.rid) ?? NO_ANNOTATIONS,
    acls: parts.acls.get(row.rid) ?? NO_ACLS,
    bindings: parts.bindings.get(row.rid)?.bindings ?? NO_BINDINGS,
  });
}

function knownType(name: string): ColumnType {
  const type = columnType(name);
  if (type === null)
    throw new AppError('internal', 'The model of the catalog names a type this version does not know.');
  return type;
}

function buildKey(row: RowOf<KeyDoc>, parent: Table, columnsByRid: ReadonlyMap<string, Column>, parts: Parts): Key {
  return Object.freeze({
    kind: 'key',
    rid: row.rid,
    parent,
    constraintName: row.doc.name,
    pseudo: row.doc.pseudo ?? false,
    columns: Object.freeze(row.doc.columns.map((rid) => found(columnsByRid, rid))),
    comment: row.doc.comment,
    annotations: parts.annotations.get(row.rid) ?? NO_ANNOTATIONS,
  });
}

function linkForeignKeys(parts: Parts, tables: ReadonlyMap<string, OpenTable>): void {
  const keyOwners = new Map<string, OpenTable>();
  for (const open of tables.values()) for (const rid of open.keysByRid.keys()) keyOwners.set(rid, open);
  for (const row of parts.foreignKeys) {
    const referencing = found(tables, row.parent);
    const referenced = found(keyOwners, row.doc.key);
    const foreignKey: ForeignKey = Object.freeze({
      kind: 'foreign_key',
      rid: row.rid,
      parent: referencing.table,
      constraintName: row.doc.name,
      pseudo: row.doc.pseudo ?? false,
      columns: Object.freeze(row.doc.columns.map((rid) => found(referencing.columnsByRid, rid))),
      references: found(referenced.keysByRid, row.doc.key),
      referencedColumns: Object.freeze(row.doc.referenced.map((rid) => found(referenced.columnsByRid, rid))),
      onDelete: row.doc.on_delete,
      onUpdate: row.doc.on_update,
      comment: row.doc.comment,
      annotations: parts.annotations.get(row.rid) ?? NO_ANNOTATIONS,
      acls: parts.acls.get(row.rid) ?? NO_ACLS,
      bindings: parts.bindings.get(row.rid)?.bindings ?? NO_BINDINGS,
    });
    referencing.foreignKeys.push(foreignKey);
    referenced.referencedBy.push(foreignKey);
  }
}

function fillBindings({ bindings }: Parts, tables: ReadonlyMap<string, OpenTable>): void {
  if (bindings.size === 0) return;
  for (const { table, foreignKeys } of tables.values()) {
    for (const { rid } of [table, ...table.columns]) fill(bindings.get(rid), table);
    for (const { rid, references } of foreignKeys) fill(bindings.get(rid), references.parent);
  }
}

/** Defined one by one, because a binding may have any name, `__proto__` too. */
function fill(open: OpenBindings | undefined, base: Table): void {
  if (open === undefined) return;
  for (const [name, doc] of Object.entries(open.docs)) {
    const value = doc === false ? doc : buildBinding(doc, base);
    Object.defineProperty(open.bindings, name, { value, enumerable: true });
  }
  Object.freeze(open.bindings);
}

function freezeTable({ table, foreignKeys, referencedBy }: OpenTable): void {
  for (const part of [table, table.columns, table.keys, foreignKeys, referencedBy]) Object.freeze(part);
}

function found<Value>(values: ReadonlyMap<string, Value>, rid: string): Value {
  const value = values.get(rid);
  if (value === undefined) throw new AppError('internal', `The model of the catalog lacks the element ${rid}.`);
  return value;
}
