import { type Cell, type ColumnKind, kinds } from './cells.js';
import type { Row } from './naive.js';

/** Draws at random: the property test records what it draws, so that a failure can be repeated and made smaller. */
export interface Draw {
  /** A whole number, both ends included. */
  int(min: number, max: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** True about once in so many times. */
  oneIn(times: number): boolean;
}

export interface TableSketch {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly ColumnSketch[];
  readonly keys: readonly (readonly string[])[];
  readonly foreignKeys: readonly ForeignKeySketch[];
  /** As stored, with the system columns; in no order that the wire promises. */
  readonly rows: Row[];
}

export interface ColumnSketch {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly nullok: boolean;
}

export interface ForeignKeySketch {
  readonly columns: readonly string[];
  readonly to: TableSketch;
  readonly toColumns: readonly string[];
}

/** System columns, in model order. */
export const systemColumns: readonly ColumnSketch[] = [
  ['RID', 'rid', false],
  ['RCT', 'rct', false],
  ['RMT', 'rmt', false],
  ['RCB', 'rcb', true],
  ['RMB', 'rmb', true],
].map(([name, type, nullok]) => {
  const time = type === 'rct' || type === 'rmt';
  const kind: ColumnKind = {
    type: String(type),
    family: time ? 'time' : 'text',
    array: false,
    pool: time ? ['2000-01-01T00:00:00+00:00'] : ['2', '4', 'A', 'alice', 'a'],
    literals: time ? [] : ['1', '1-2', 'u!'],
    minmax: true,
    sums: false,
    bin: null,
  };
  return { name: String(name), kind, nullok: nullok === true };
});

/** Three or four tables with keys of all sorts, foreign keys to each other and to themselves, and few rows with many equal values. */
export function randomModel(draw: Draw, schema: string): readonly TableSketch[] {
  const tables: TableSketch[] = [];
  const count = draw.int(3, 4);
  for (let index = 0; index < count; index += 1) {
    const name = `${draw.pick(['t', 'T', 'tä ', 'any/'])}${index}${schema}`;
    tables.push(randomTable(draw, schema, name, tables));
  }
  return tables;
}

function randomTable(draw: Draw, schema: string, name: string, earlier: readonly TableSketch[]): TableSketch {
  const columns: ColumnSketch[] = [{ name: 'id', kind: kinds.int4, nullok: false }];
  const keys: string[][] = [['id']];
  if (draw.oneIn(2)) {
    columns.push({ name: 'k1', kind: kinds.int4, nullok: false }, { name: 'k2', kind: kinds.text, nullok: false });
    keys.push(['k1', 'k2']);
  }
  if (draw.oneIn(3)) {
    columns.push({ name: 'u', kind: kinds.int4, nullok: true });
    keys.push(['u']);
  }
  for (const [index, kind] of Object.values(kinds).entries()) {
    if (draw.oneIn(2))
      columns.push({ name: draw.pick([`c${index}`, `c ${index}`, `c/"${index}`, `${index}*`]), kind, nullok: true });
  }
  const table: TableSketch = { schema, name, columns, keys, foreignKeys: [], rows: [] };
  const foreignKeys: ForeignKeySketch[] = [];
  for (let index = draw.int(1, 3); index > 0; index -= 1) {
    const to = draw.pick([...earlier, table]);
    const toColumns = draw.pick(to.keys);
    const held = toColumns.map((column, at) => ({
      name: `f${index}${at}`,
      kind: to.columns.find((one) => one.name === column)?.kind ?? kinds.int4,
      nullok: true,
    }));
    columns.push(...held);
    foreignKeys.push({ columns: held.map((column) => column.name), to, toColumns });
  }
  Object.assign(table, { foreignKeys });
  addRows(draw, table);
  return table;
}

function addRows(draw: Draw, table: TableSketch): void {
  const count = draw.oneIn(8) ? 0 : draw.int(3, 7);
  const rows: Record<string, Cell>[] = Array.from({ length: count }, (_, index) => ({ id: index * 3 - 2 }));
  for (const [index, row] of rows.entries()) {
    for (const { name, kind } of table.columns) {
      if (name === 'id') continue;
      if (name === 'k1') row[name] = index % 2;
      else if (name === 'k2') row[name] = ['a', 'B', 'é', 'asha'][index >> 1] ?? 'z';
      else if (name === 'u') row[name] = draw.oneIn(2) ? null : index;
      else row[name] = draw.oneIn(4) ? null : draw.pick(kind.pool);
    }
  }
  for (const { columns, to, toColumns } of table.foreignKeys) {
    const targets: readonly Row[] = to === table ? rows : to.rows;
    for (const row of rows) {
      const target = targets.length === 0 || draw.oneIn(4) ? null : draw.pick(targets);
      columns.forEach((column, at) => {
        row[column] = target?.[toColumns[at] ?? ''] ?? null;
      });
    }
  }
  table.rows.push(...rows);
}

/** The document that makes the tables. */
export function schemaDocument(schema: string, tables: readonly TableSketch[]): unknown {
  return {
    schemas: {
      [schema]: {
        schema_name: schema,
        tables: Object.fromEntries(tables.map((table) => [table.name, tableDocument(table)])),
      },
    },
  };
}

function tableDocument({ schema, name, columns, keys, foreignKeys }: TableSketch): unknown {
  const cells = (table: string, names: readonly string[]) =>
    names.map((column_name) => ({ schema_name: schema, table_name: table, column_name }));
  return {
    schema_name: schema,
    table_name: name,
    column_definitions: columns.map(({ name: column, kind, nullok }) => ({ name: column, type: kind.type, nullok })),
    keys: keys.map((unique_columns) => ({ unique_columns })),
    foreign_keys: foreignKeys.map(({ columns: held, to, toColumns }) => ({
      foreign_key_columns: cells(name, held),
      referenced_columns: cells(to.name, toColumns),
    })),
  };
}
