import {
  type Cell,
  type ColumnKind,
  compare,
  compareWithNull,
  type Family,
  isDocument,
  isList,
  shown,
} from './cells.js';

/**
 * The semantics of spec/catalog-data.md 3 in nested loops over arrays. Written from the text, without a look at the SQL; it may
 * be slow and must be plain.
 */

/** A stored row by column name. */
export type Row = Readonly<Record<string, Cell>>;

/** A joined row: one stored row, or nothing, for each instance of the path. */
export type Joined = readonly (Row | null)[];

/** Three-valued: null is unknown. */
export type Truth = boolean | null;

export type Condition = (joined: Joined) => Truth;

export const not = (truth: Truth): Truth => (truth === null ? null : !truth);

export function or(truths: readonly Truth[]): Truth {
  if (truths.includes(true)) return true;
  return truths.includes(null) ? null : false;
}

export function and(truths: readonly Truth[]): Truth {
  if (truths.includes(false)) return false;
  return truths.includes(null) ? null : true;
}

/** 2.4: joins in path order; the join type is that of SQL with the path so far on the left. */
export function joinRows(
  left: readonly Joined[],
  right: readonly Row[],
  width: number,
  type: 'inner' | 'left' | 'right' | 'full',
  on: (joined: Joined, row: Row) => Truth,
): readonly Joined[] {
  const joined: Joined[] = [];
  const partnered = new Set<Row>();
  for (const path of left) {
    let found = false;
    for (const row of right) {
      if (on(path, row) !== true) continue;
      found = true;
      partnered.add(row);
      joined.push([...path, row]);
    }
    if (!found && (type === 'left' || type === 'full')) joined.push([...path, null]);
  }
  if (type === 'right' || type === 'full') {
    for (const row of right) if (!partnered.has(row)) joined.push([...Array<null>(width).fill(null), row]);
  }
  return joined;
}

/** Equality of two values in a join. */
export function equal(family: Family, a: Cell, b: Cell): Truth {
  return a === null || b === null ? null : compare(family, a, b) === 0;
}

export type Comparison = '=' | 'lt' | 'leq' | 'gt' | 'geq';

/** 3.2.2, one value. */
export function comparison(
  kind: Pick<ColumnKind, 'family' | 'array'>,
  operator: Comparison,
  cell: Cell,
  value: Cell,
): Truth {
  if (cell === null) return null;
  if (kind.array && isList(cell)) {
    const known = cell.filter((element) => element !== null);
    if (operator === '=') return known.some((element) => holds('=', compare(kind.family, element, value)));
    // "some element" of none is unknown
    return known.length === 0 ? null : known.some((element) => holds(operator, compare(kind.family, element, value)));
  }
  return holds(operator, compare(kind.family, cell, value));
}

function holds(operator: Comparison, order: number): boolean {
  switch (operator) {
    case '=':
      return order === 0;
    case 'lt':
      return order < 0;
    case 'leq':
      return order <= 0;
    case 'gt':
      return order > 0;
    case 'geq':
      return order >= 0;
    default:
      return operator satisfies never;
  }
}

/** 3.2.2, text operators on one column: NULL is unknown, arrays are looked at element by element. */
export function textMatch(cell: Cell, test: (element: Cell) => boolean): Truth {
  if (cell === null) return null;
  if (!isList(cell)) return test(cell);
  const known = cell.filter((element) => element !== null);
  return known.length === 0 ? null : known.some(test);
}

/** 3.6, over the values of a group. */
export function aggregate(name: string, kind: Pick<ColumnKind, 'family' | 'array'>, cells: readonly Cell[]): Cell {
  const known = cells.filter((cell) => cell !== null);
  const ordered = [...known].sort((a, b) => compare(kind.family, a, b));
  switch (name) {
    case 'cnt':
      return known.length;
    case 'cnt_d':
      return distinct(kind.family, known).length;
    case 'min':
      return ordered[0] ?? null;
    case 'max':
      return ordered.at(-1) ?? null;
    case 'sum':
      return known.length === 0 ? null : numberCell(sum(known));
    case 'avg':
      return known.length === 0 ? null : numberCell(sum(known) / known.length);
    case 'array':
      return cells.length === 0 ? null : { json: cells.map(shown) };
    case 'array_d':
      return cells.length === 0 ? null : { json: distinct(kind.family, cells).map(shown) };
    default:
      throw new Error(`There is no function ${name}.`);
  }
}

function sum(cells: readonly Cell[]): number {
  return cells.reduce((total: number, cell) => total + Number(cell), 0);
}

function numberCell(value: number): Cell {
  return Number.isFinite(value) ? value : String(value);
}

function distinct(family: Family, cells: readonly Cell[]): readonly Cell[] {
  return cells.filter((cell, at) => cells.findIndex((other) => compareWithNull(family, other, cell) === 0) === at);
}

/** 3.7 */
export function bin(
  form: 'number' | 'date' | 'timestamptz',
  cell: Cell,
  count: number,
  low: string,
  high: string,
): Cell {
  if (cell === null) return { json: [null, null, null] };
  const place = (value: Cell): number => (form === 'number' ? Number(value) : Date.parse(String(value)));
  const [at, from, to] = [place(cell), place(low), place(high)];
  const inner = (steps: number): unknown => inner3(form, from + ((to - from) * steps) / count);
  if (at < from) return { json: [0, null, form === 'number' ? from : outer(form, low)] };
  if (at >= to || Number.isNaN(at)) return { json: [count + 1, form === 'number' ? to : outer(form, high), null] };
  const bucket = Math.floor(((at - from) * count) / (to - from)) + 1;
  return { json: [bucket, inner(bucket - 1), inner(bucket)] };
}

function inner3(form: 'number' | 'date' | 'timestamptz', at: number): unknown {
  if (form === 'number') return at;
  const text = new Date(at).toISOString().replace(/\.?0*Z$/, (end) => (end.startsWith('.') ? '' : end));
  return `${text.slice(0, 19)}${form === 'timestamptz' ? '+00:00' : ''}`;
}

function outer(form: 'date' | 'timestamptz', bound: string): string {
  return form === 'date' ? bound : `${bound}T00:00:00+00:00`;
}

/** 3.5: what an arbitrary example may be. */
export function examples(cells: readonly Cell[]): readonly Cell[] {
  const known = cells.filter((cell) => cell !== null);
  return known.length === 0 ? [null] : unique(known);
}

export function unique(cells: readonly Cell[]): readonly Cell[] {
  const seen = new Map(cells.map((cell) => [JSON.stringify([isDocument(cell), shown(cell)]), cell]));
  return [...seen.values()];
}

/** A sort key of the result: the place of the output. */
export interface SortKey {
  readonly output: number;
  readonly descending: boolean;
  readonly family: Family;
}

/** 3.9: ascending with NULL last, descending with NULL first. */
export function compareRows(keys: readonly SortKey[], a: readonly Cell[], b: readonly Cell[]): number {
  for (const { output, descending, family } of keys) {
    const order = compareWithNull(family, a[output] ?? null, b[output] ?? null);
    if (order !== 0) return descending ? -order : order;
  }
  return 0;
}

/** Values an output row may have, of one entity or group. */
export interface Choice {
  readonly candidates: readonly (readonly Cell[])[];
}

export interface Page {
  readonly keys: readonly SortKey[];
  /** Rows with the page key's values in the outputs of the sort keys. */
  readonly after: readonly Cell[] | null;
  readonly before: readonly Cell[] | null;
  readonly limit: number | null;
}

/** 3.9: whether a row lies in the page, before the limit counts. */
export function inPage(page: Page, row: readonly Cell[]): boolean {
  if (page.after !== null && compareRows(page.keys, row, page.after) <= 0) return false;
  return page.before === null || compareRows(page.keys, row, page.before) < 0;
}
