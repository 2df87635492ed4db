/** A value of a cell; columns are int4, float8 or text. */
export type Cell = number | string | null;

export type NaiveType = 'int4' | 'float8' | 'text';

/** What a change does, by the names that hold when it happens. */
export type NaiveChange =
  | { readonly kind: 'create table'; readonly schema: string; readonly name: string }
  | ({ readonly kind: 'drop table' } & Place)
  | ({ readonly kind: 'place table'; readonly to: Place } & Place)
  | ({ readonly kind: 'annotate'; readonly note: number; readonly captured: boolean } & Place)
  | ({ readonly kind: 'restrict'; readonly select: readonly string[] } & Place)
  | ({ readonly kind: 'add column'; readonly column: string; readonly type: NaiveType; readonly value: Cell } & Place)
  | ({ readonly kind: 'drop column'; readonly column: string } & Place)
  | ({ readonly kind: 'rename column'; readonly column: string; readonly to: string } & Place)
  | ({ readonly kind: 'retype column'; readonly column: string; readonly type: NaiveType } & Place)
  | ({ readonly kind: 'insert'; readonly rows: readonly Readonly<Record<string, Cell>>[] } & Place)
  | ({
      readonly kind: 'update';
      readonly ids: readonly number[];
      readonly column: string;
      readonly value: Cell;
    } & Place)
  /** With SQL: changes those of the rows that are there. */
  | ({
      readonly kind: 'by hand';
      readonly ids: readonly number[];
      readonly column: string;
      readonly value: Cell;
    } & Place)
  | ({ readonly kind: 'clear'; readonly ids: readonly number[]; readonly column: string } & Place)
  | ({ readonly kind: 'delete'; readonly ids: readonly number[] } & Place);

export interface Place {
  readonly schema: string;
  readonly table: string;
}

/** A column; the same object in all its versions stands in `identity`. */
export interface NaiveColumn {
  readonly identity: object;
  readonly name: string;
  readonly type: NaiveType;
  readonly value: Cell;
}

/** A version of a row: when it began and ended, in numbers of changes, and its cells by identity of the column. */
export interface RowVersion {
  readonly birth: number;
  death: number | null;
  readonly cells: Map<object, Cell>;
}

interface NaiveTable {
  schema: string;
  name: string;
  columns: readonly NaiveColumn[];
  rows: Map<number, RowVersion>;
  /** All there ever were. */
  readonly versions: RowVersion[];
  captured: boolean;
  note: number | null;
  select: readonly string[] | null;
}

/** A table as a snapshot shows it. */
export interface TableView {
  readonly identity: object;
  readonly versions: readonly RowVersion[];
  readonly columns: readonly NaiveColumn[];
  readonly rows: ReadonlyMap<number, RowVersion>;
  note: number | null;
  select: readonly string[] | null;
}

/** What a writer has to know of a table to change it. */
export interface KnownTable extends Place {
  readonly columns: readonly NaiveColumn[];
  /** Of its rows. */
  readonly ids: readonly number[];
}

/** Tables by `schema:name`. */
export type CatalogView = ReadonlyMap<string, TableView>;

/** A catalog as a few maps, changed step by step. */
export interface NaiveCatalog {
  /** @param index number of the change, the later the greater */
  apply(change: NaiveChange, index: number): void;
  view(): CatalogView;
  known(): readonly KnownTable[];
}

/** A catalog with the two tables that stay, `S:parent` and `S:child`, whose rows go with those of the parent. */
export function naiveCatalog(): NaiveCatalog {
  const tables = new Set<NaiveTable>([newTable('S', 'parent'), newTable('S', 'child')]);
  const find = ({ schema, table }: Place): NaiveTable => {
    const found = [...tables].find((each) => each.schema === schema && each.name === table);
    if (found === undefined) throw new Error(`a change succeeded on ${schema}:${table}, which was not there`);
    return found;
  };
  return {
    apply: (change, index) => {
      if (change.kind === 'create table') {
        tables.add(newTable(change.schema, change.name));
        return;
      }
      const table = find(change);
      applyTo(table, change, index);
      if (change.kind === 'drop table') tables.delete(table);
      if (change.kind === 'delete' && change.schema === 'S' && change.table === 'parent')
        removeChildren(find({ schema: 'S', table: 'child' }), change.ids, index);
    },
    known: () =>
      [...tables].map(({ schema, name, columns, rows }) => ({ schema, table: name, columns, ids: [...rows.keys()] })),
    view: () => new Map([...tables].filter(({ captured }) => captured).map((table) => [keyOf(table), viewOf(table)])),
  };
}

function newTable(schema: string, name: string): NaiveTable {
  const id: NaiveColumn = { identity: {}, name: 'id', type: 'int4', value: null };
  const other: NaiveColumn = { identity: {}, name: 'a', type: 'int4', value: null };
  return {
    schema,
    name,
    columns: [id, other],
    rows: new Map(),
    versions: [],
    captured: true,
    note: null,
    select: null,
  };
}

type TableChange = Exclude<NaiveChange, { readonly kind: 'create table' }>;

function applyTo(table: NaiveTable, change: TableChange, index: number): void {
  switch (change.kind) {
    case 'drop table':
      for (const id of [...table.rows.keys()]) end(table, id, index);
      return;
    case 'place table':
      table.schema = change.to.schema;
      table.name = change.to.table;
      return;
    case 'annotate':
      table.note = change.note;
      if (table.captured !== change.captured) beginAnew(table, index);
      table.captured = change.captured;
      return;
    case 'restrict':
      table.select = change.select;
      return;
    case 'add column':
      addColumn(table, change);
      return;
    case 'drop column': {
      const gone = columnOf(table, change.column);
      beginAnew(table, index);
      table.columns = table.columns.filter((column) => column !== gone);
      return;
    }
    case 'rename column':
      alter(table, change.column, { name: change.to });
      return;
    case 'retype column':
      retype(table, change, index);
      return;
    case 'insert':
      for (const row of change.rows) insert(table, row, index);
      return;
    case 'update':
      for (const id of change.ids) set(table, id, change.column, change.value, index);
      return;
    case 'by hand':
      for (const id of change.ids.filter((each) => table.rows.has(each)))
        set(table, id, change.column, change.value, index);
      return;
    case 'clear':
      for (const id of change.ids.filter((each) => table.rows.has(each)))
        set(table, id, change.column, columnOf(table, change.column).value, index);
      return;
    case 'delete':
      for (const id of change.ids) if (table.rows.has(id)) end(table, id, index);
      return;
    default:
      change satisfies never;
  }
}

function columnOf({ columns, name }: NaiveTable, wanted: string): NaiveColumn {
  const column = columns.find((each) => each.name === wanted);
  if (column === undefined)
    throw new Error(`a change succeeded on the column ${wanted} of ${name}, which was not there`);
  return column;
}

function alter(table: NaiveTable, name: string, members: Partial<NaiveColumn>): void {
  const column = columnOf(table, name);
  table.columns = table.columns.map((each) => (each === column ? { ...each, ...members } : each));
}

function addColumn(
  table: NaiveTable,
  { column: name, type, value }: Extract<TableChange, { kind: 'add column' }>,
): void {
  const identity = {};
  table.columns = [...table.columns, { identity, name, type, value }];
  for (const { cells } of table.rows.values()) cells.set(identity, value);
}

function retype(table: NaiveTable, change: Extract<TableChange, { kind: 'retype column' }>, index: number): void {
  const { identity, value, type } = columnOf(table, change.column);
  if (type === change.type) return;
  beginAnew(table, index);
  for (const { cells } of table.rows.values()) cells.set(identity, converted(cells.get(identity) ?? null, change.type));
  alter(table, change.column, { type: change.type, value: converted(value, change.type) });
}

function converted(cell: Cell, type: NaiveType): Cell {
  if (cell === null) return null;
  return type === 'text' ? String(cell) : Number(cell);
}

function insert(table: NaiveTable, row: Readonly<Record<string, Cell>>, index: number): void {
  const cells = table.columns.map(
    ({ identity, name, type }) => [identity, converted(row[name] ?? null, type)] as const,
  );
  const id = Number(row.id);
  if (table.rows.has(id)) throw new Error(`a row ${id} was inserted where there was one`);
  begin(table, id, new Map(cells), index);
}

function set(table: NaiveTable, id: number, name: string, value: Cell, index: number): void {
  const before = table.rows.get(id);
  if (before === undefined) throw new Error(`the row ${id} was changed where there was none`);
  const { identity, type } = columnOf(table, name);
  end(table, id, index);
  begin(table, id, new Map([...before.cells, [identity, converted(value, type)]]), index);
}

function begin(table: NaiveTable, id: number, cells: Map<object, Cell>, index: number): void {
  const version: RowVersion = { birth: index, death: null, cells };
  table.rows.set(id, version);
  table.versions.push(version);
}

function end(table: NaiveTable, id: number, index: number): void {
  const version = table.rows.get(id);
  if (version !== undefined) version.death = index;
  table.rows.delete(id);
}

/** Where the epoch of a table moves, versions end and begin although nothing of the rows has changed. */
function beginAnew(table: NaiveTable, index: number): void {
  for (const [id, { cells }] of [...table.rows]) {
    end(table, id, index);
    begin(table, id, new Map(cells), index);
  }
}

function removeChildren(child: NaiveTable, ids: readonly number[], index: number): void {
  const { identity } = columnOf(child, 'a');
  for (const [id, { cells }] of [...child.rows]) if (ids.includes(Number(cells.get(identity)))) end(child, id, index);
}

function keyOf({ schema, name }: NaiveTable): string {
  return `${schema}:${name}`;
}

function viewOf(table: NaiveTable): TableView {
  const { versions, columns, note, select } = table;
  return { identity: table, versions, columns, rows: new Map(table.rows), note, select };
}
