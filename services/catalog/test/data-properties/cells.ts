/** A JSON document, as a value of a `jsonb` column: JSON null is a value, NULL is not. */
export interface Document {
  readonly json: unknown;
}

/** A value in memory, as the wire shows it; null is NULL. */
export type Cell = null | number | string | boolean | Document | readonly Cell[];

/** How values of a type compare: what the naive evaluator knows of types. */
export type Family = 'number' | 'text' | 'boolean' | 'time' | 'document';

export interface ColumnKind {
  /** Name on the wire. */
  readonly type: string;
  readonly family: Family;
  readonly array: boolean;
  /** Values of the rows; few, so that many are equal. */
  readonly pool: readonly Cell[];
  /** More texts that are literals of the type, beside those of the pool. */
  readonly literals: readonly string[];
  readonly minmax: boolean;
  readonly sums: boolean;
  readonly bin: 'number' | 'date' | 'timestamptz' | null;
}

const texts = [
  '',
  'a',
  'A',
  'Asha',
  'b c',
  'alpha',
  'beta alpha',
  'é',
  '𝛼',
  'ﬀ',
  '10',
  '9',
  "it's",
  'x\\y',
  '%',
  'null',
];
const doc = (json: unknown): Document => ({ json });

/** The types the property ranges over. */
export const kinds = {
  int4: kind('int4', 'number', [-3, 0, 1, 2, 7, 10], {
    literals: ['99999999999999999999', '-99999999999999999999', '+7', '3000000000'],
    sums: true,
    bin: 'number',
  }),
  int8: kind('int8', 'number', [-5, 0, 1, 9_007_199_254_740_991], { literals: ['99999999999999999999'], sums: true }),
  float8: kind('float8', 'number', [-0.5, 1, 2.25, 'NaN', 'NaN', 'Infinity', '-Infinity'], {
    literals: ['1e1', '-infinity', 'nan', '.5'],
    sums: true,
    bin: 'number',
  }),
  numeric: kind('numeric', 'number', [-1.25, 0, 2, 2.5, 7], { literals: ['2.50', '1e0'], sums: true, bin: 'number' }),
  text: kind('text', 'text', texts, {}),
  markdown: kind('markdown', 'text', ['', 'a', 'Asha', '*x*'], {}),
  boolean: kind('boolean', 'boolean', [false, true], { literals: ['t', 'NO', 'on', '0'], minmax: false }),
  date: kind('date', 'time', ['1999-12-31', '2000-01-01', '2004-06-15', '2010-01-01'], { bin: 'date' }),
  timestamptz: kind(
    'timestamptz',
    'time',
    ['1999-12-31T23:59:59+00:00', '2000-01-01T00:00:00+00:00', '2004-06-15T12:30:00.25+00:00'],
    { literals: ['2004-06-15T12:30:00.25Z', '2004-06-15 14:30:00.25+02'], bin: 'timestamptz' },
  ),
  jsonb: kind('jsonb', 'document', [doc(null), doc('a'), doc('B'), doc(0), doc(2.5), doc(true), doc(false)], {
    minmax: false,
  }),
  texts: kind('text[]', 'text', [[], ['a'], ['a', 'b c'], ['b c', 'a', null], [null], ['', 'x\\y', '"', 'é']], {
    array: true,
  }),
  ints: kind('int4[]', 'number', [[], [1], [1, 2], [2, null], [-3, 7, 7]], {
    array: true,
    literals: ['99999999999999999999'],
  }),
  marked: kind('markdown[]', 'text', [[], ['a'], ['a', '*x*'], [null]], { array: true }),
} as const;

function kind(
  type: string,
  family: Family,
  pool: readonly Cell[],
  more: Partial<Omit<ColumnKind, 'type' | 'family' | 'pool'>>,
): ColumnKind {
  return { type, family, pool, array: false, literals: [], minmax: true, sums: false, bin: null, ...more };
}

/** Whether the value is NULL and what it is otherwise. */
export function isDocument(cell: Cell): cell is Document {
  return typeof cell === 'object' && cell !== null && 'json' in cell;
}

export function isList(cell: Cell): cell is readonly Cell[] {
  return Array.isArray(cell);
}

/** Total order of values that are not NULL; of arrays element by element, NULL elements last. */
export function compare(family: Family, a: Cell, b: Cell): number {
  if (isList(a) && isList(b)) {
    for (let at = 0; at < Math.min(a.length, b.length); at += 1) {
      const order = compareWithNull(family, a[at] ?? null, b[at] ?? null);
      if (order !== 0) return order;
    }
    return a.length - b.length;
  }
  switch (family) {
    case 'number':
      return compareNumbers(Number(a), Number(b));
    case 'text':
      return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
    case 'boolean':
      return Number(a) - Number(b);
    case 'time':
      return Date.parse(String(a)) - Date.parse(String(b));
    case 'document':
      return compareDocuments(isDocument(a) ? a.json : a, isDocument(b) ? b.json : b);
    default:
      return family satisfies never;
  }
}

/** NULL after everything. */
export function compareWithNull(family: Family, a: Cell, b: Cell): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return compare(family, a, b);
}

/** NaN is equal to itself and greater than the others. */
function compareNumbers(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a < b ? -1 : Number(a > b);
}

/** Null, strings, numbers, booleans, arrays: PostgreSQL's order of jsonb, for what the property makes. */
function compareDocuments(a: unknown, b: unknown): number {
  const rank = (value: unknown): number =>
    value === null ? 0 : ['string', 'number', 'boolean', 'object'].indexOf(typeof value) + 1;
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) return a.length - b.length;
    for (let at = 0; at < a.length; at += 1) {
      const order = compareDocuments(a[at], b[at]);
      if (order !== 0) return order;
    }
    return 0;
  }
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return Number(a) - Number(b);
}

/** A value as JSON shows it. */
export function shown(cell: Cell): unknown {
  if (isDocument(cell)) return cell.json;
  return isList(cell) ? cell.map(shown) : cell;
}

/** The text of a value as a literal of its type. */
export function literalOf(cell: Cell): string {
  if (isDocument(cell) || isList(cell)) return JSON.stringify(shown(cell));
  return String(cell);
}

/** The value a literal stands for. */
export function readLiteral(family: Family, text: string): Cell {
  switch (family) {
    case 'number':
      return /^[+-]?(inf|nan)/i.test(text)
        ? /nan/i.test(text)
          ? 'NaN'
          : /^-/.test(text)
            ? '-Infinity'
            : 'Infinity'
        : Number(text);
    case 'boolean':
      return /^(t|true|y|yes|on|1)$/i.test(text);
    case 'document':
      return doc(JSON.parse(text));
    case 'text':
    case 'time':
      return text;
    default:
      return family satisfies never;
  }
}

/** What regular expressions see of a value that is no array. */
export function textOf(type: string, cell: Cell): string {
  if (isDocument(cell)) return JSON.stringify(cell.json);
  if (/^(timestamptz|rct|rmt)$/.test(type)) return `${String(cell).slice(0, 19)}Z`;
  return String(cell);
}
