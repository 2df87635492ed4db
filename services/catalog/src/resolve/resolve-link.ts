import { AppError } from '@holdfast/http-kit';
import type { EndpointLink, MappingLink, Name, TableLink } from '@holdfast/path-grammar';
import { type ColumnType, type StorageType, scalarOf } from '../model/column-types.js';
import type { Column, ForeignKey, Table } from '../model/model.js';
import { noColumn, type PathScope } from './path-scope.js';
import type { ColumnPair, Instance, Join } from './resolved.js';
import { quoteName } from './visible-model.js';

/** Resolves one link of a path and makes its table the context (spec/catalog-data.md 2.4). */
export function resolveLink(link: TableLink | EndpointLink | MappingLink, scope: PathScope): Join {
  switch (link.kind) {
    case 'table-link':
      return tableLink(link, scope);
    case 'endpoint-link':
      return endpointLink(link, scope);
    case 'mapping-link':
      return mappingLink(link, scope);
    default:
      return link satisfies never;
  }
}

/** `…/T`: all foreign keys between the two tables count; their conditions are ORed. */
function tableLink(link: TableLink, scope: PathScope): Join {
  const left = scope.context;
  const table = scope.visible.table(link.table);
  if (table === left.table) {
    throw new AppError(
      'ambiguous_name',
      `A table cannot be linked to itself by name; write the columns, for example /(column) or /(a)=(${table.name}:b).`,
    );
  }
  const { outbound, inbound } = scope.visible.foreignKeysOf(left.table);
  const candidates = [
    ...outbound.filter((key) => key.references.parent === table).map((key) => ({ key, forward: true })),
    ...inbound.filter((key) => key.parent === table).map((key) => ({ key, forward: false })),
  ];
  if (candidates.length === 0) {
    throw new AppError(
      'unknown_element',
      `No foreign key links ${quoteName([left.table.name])} and ${quoteName(link.table.parts)}; write the columns: /(a)=(${table.name}:b).`,
    );
  }
  const right = scope.add(table, link.alias?.text ?? null);
  return join(
    'inner',
    right,
    candidates.map(({ key, forward }) => pairs(key, left, right, forward)),
  );
}

/** `…/(c1,c2)`: the one foreign key with exactly these columns on one of its ends. */
function endpointLink(link: EndpointLink, scope: PathScope): Join {
  const { instance, table, columns } = endpointColumns(link.columns, scope);
  const { outbound, inbound } = scope.visible.foreignKeysOf(table);
  const { context } = scope;
  const candidates = [
    ...inbound.filter((key) => sameColumns(key.referencedColumns, columns)).map((key) => ({ key, held: false })),
    ...outbound.filter((key) => sameColumns(key.columns, columns)).map((key) => ({ key, held: true })),
  ].filter(({ key, held }) => instance !== null || (held ? key.references.parent : key.parent) === context.table);
  const [only, ...others] = candidates;
  const written = quoteName([link.columns.map((name) => name.parts.join(':')).join(',')]);
  if (only === undefined) throw new AppError('unknown_element', `No foreign key has exactly the columns ${written}.`);
  if (others.length > 0)
    throw new AppError(
      'ambiguous_name',
      `Several foreign keys have the columns ${written}; write both ends: /(a)=(table:b).`,
    );
  const alias = link.alias?.text ?? null;
  // Inside the path the named instance is the left end; outside, the new instance is the table that owns the columns.
  const left = instance ?? context;
  const forward = (instance !== null) === only.held;
  const other = only.held ? only.key.references.parent : only.key.parent;
  const right = scope.add(instance === null ? table : other, alias);
  return join(link.join, right, [pairs(only.key, left, right, forward)]);
}

/** `…/(l1,l2)=(r1,r2)`: needs no foreign key. */
function mappingLink(link: MappingLink, scope: PathScope): Join {
  const { instance, columns: left } = endpointColumns(link.left, scope);
  if (instance === null) {
    throw new AppError(
      'unknown_element',
      `The left side of "=" must name columns of the path; ${quoteName(link.left[0]?.parts ?? [])} does not.`,
    );
  }
  const { table, columns: right } = outsideColumns(link.right, scope);
  const added = scope.add(table, link.alias?.text ?? null);
  const compared = left.map((column, index): ColumnPair => {
    const partner = right[index];
    if (partner === undefined) throw new AppError('bad_syntax', 'Both sides of "=" need the same number of columns.');
    if (!comparable(column.type, partner.type)) {
      throw new AppError(
        'not_supported_on_type',
        `Columns ${quoteName([column.name])} and ${quoteName([partner.name])} have types that cannot be compared.`,
      );
    }
    return { left: { kind: 'column', instance, column }, right: { kind: 'column', instance: added, column: partner } };
  });
  return join(link.join, added, [compared]);
}

interface EndpointColumns {
  /** The instance of the path that was named; null when the columns lie outside it. */
  readonly instance: Instance | null;
  readonly table: Table;
  readonly columns: readonly Column[];
}

function endpointColumns(names: readonly Name[], scope: PathScope): EndpointColumns {
  const [first, ...others] = names;
  if (first === undefined) throw new AppError('bad_syntax', 'A link needs at least one column.');
  const start = firstEndpoint(first, scope);
  return { ...start, columns: [start.column, ...others.map((name) => furtherColumn(name, start, scope))] };
}

function firstEndpoint(
  name: Name,
  scope: PathScope,
): { readonly instance: Instance | null; readonly table: Table; readonly column: Column } {
  const columnName = name.parts.at(-1) ?? '';
  const qualifier = name.parts.slice(0, -1);
  if (qualifier.length > 2)
    throw new AppError('bad_syntax', `${quoteName(name.parts)} has too many parts for a column.`);
  const instance =
    qualifier.length === 0 ? scope.context : qualifier.length === 1 ? scope.aliased(qualifier[0] ?? '') : null;
  const table = instance?.table ?? scope.visible.table({ ...name, parts: qualifier });
  return { instance, table, column: columnOf(table, columnName, scope) };
}

/** Columns of a table outside the path: the right side of a mapping. */
function outsideColumns(
  names: readonly Name[],
  scope: PathScope,
): { readonly table: Table; readonly columns: readonly Column[] } {
  const [first] = names;
  const qualifier = first?.parts.slice(0, -1) ?? [];
  if (
    first === undefined ||
    qualifier.length === 0 ||
    (qualifier.length === 1 && scope.aliased(qualifier[0] ?? '') !== null)
  ) {
    throw new AppError(
      'unknown_element',
      'The right side of "=" must name a table: (table:column) or (schema:table:column).',
    );
  }
  const { table, columns } = endpointColumns(names, scope);
  return { table, columns };
}

/** Second and later names of a list: bare, or qualified with the same instance or table again. */
function furtherColumn(
  name: Name,
  start: { readonly instance: Instance | null; readonly table: Table },
  scope: PathScope,
): Column {
  const columnName = name.parts.at(-1) ?? '';
  if (name.parts.length === 1) return columnOf(start.table, columnName, scope);
  const other = firstEndpoint(name, scope);
  if (other.instance !== start.instance || other.table !== start.table) {
    throw new AppError(
      'unknown_element',
      `All columns of one list must belong to the same table; ${quoteName(name.parts)} does not.`,
    );
  }
  return other.column;
}

function columnOf(table: Table, name: string, scope: PathScope): Column {
  const column = scope.visible.column(table, name);
  if (column === null) throw noColumn(table, name);
  return column;
}

function pairs(key: ForeignKey, left: Instance, right: Instance, forward: boolean): readonly ColumnPair[] {
  return key.columns.map((column, index): ColumnPair => {
    const referenced = key.referencedColumns[index];
    if (referenced === undefined)
      throw new AppError('internal', 'A foreign key of the model has sides of different length.');
    return {
      left: { kind: 'column', instance: left, column: forward ? column : referenced },
      right: { kind: 'column', instance: right, column: forward ? referenced : column },
    };
  });
}

function join(type: Join['type'], instance: Instance, alternatives: Join['alternatives']): Join {
  return {
    type,
    instance,
    alternatives,
    toOne: alternatives.length === 1 && coversKey(instance.table, alternatives[0] ?? []),
  };
}

function coversKey(table: Table, compared: readonly ColumnPair[]): boolean {
  const columns = new Set(compared.filter(isExact).map(({ right }) => right.column));
  return table.keys.some((key) => !key.pseudo && key.columns.every((column) => columns.has(column)));
}

/** Whether different values on the right never equal one and the same on the left, as two of type numeric can equal one float8. */
function isExact({ left, right }: ColumnPair): boolean {
  const [from, to] = [scalarOf(left.column.type).storage, scalarOf(right.column.type).storage];
  return from === to || (integers.has(from) && integers.has(to));
}

const integers: ReadonlySet<StorageType> = new Set(['int2', 'int4', 'int8']);

/** Whether a list, in which a column may stand twice, names just the columns of a constraint. */
function sameColumns(constraint: readonly Column[], listed: readonly Column[]): boolean {
  const named = new Set(listed);
  return named.size === constraint.length && constraint.every((column) => named.has(column));
}

const families: readonly ReadonlySet<StorageType>[] = [
  new Set(['int2', 'int4', 'int8', 'float4', 'float8', 'numeric']),
  new Set(['date', 'timestamp', 'timestamptz']),
  new Set(['time', 'timetz']),
];

/** Whether PostgreSQL has `=` between the two types. */
function comparable(a: ColumnType, b: ColumnType): boolean {
  const [left, right] = [scalarOf(a).storage, scalarOf(b).storage];
  if (a.kind !== b.kind || left === 'json' || right === 'json') return false;
  if (left === right) return true;
  return a.kind === 'scalar' && families.some((family) => family.has(left) && family.has(right));
}
