import { type Cell, isDocument, isList } from './cells.js';
import { type Choice, compareRows, inPage, type Page } from './naive.js';

/** What a path denotes: names of the outputs, and for each row of the result what it may be. */
export interface Denoted {
  readonly names: readonly string[];
  readonly choices: readonly Choice[];
  readonly page: Page;
  /** Outputs whose elements have no order. */
  readonly unordered: ReadonlySet<number>;
}

/**
 * Compares the rows of an answer with what the path denotes. Rows are a multiset; order counts where the sort decides; where the
 * text leaves a choice, any member of it is right, but of one entity only one row.
 * @returns what is wrong, or null
 */
export function difference(denoted: Denoted, answer: readonly Readonly<Record<string, unknown>>[]): string | null {
  const { names, choices, page, unordered } = denoted;
  const offers = new Map<string, Offer[]>();
  for (const choice of choices) {
    for (const row of choice.candidates) {
      const key = textOf(row.map(plain), unordered);
      offers.set(key, [...(offers.get(key) ?? []), { row, choice }]);
    }
  }
  const used = new Set<Choice>();
  const rows: (readonly Cell[])[] = [];
  for (const [at, given] of answer.entries()) {
    if (JSON.stringify(Object.keys(given)) !== JSON.stringify(names))
      return `row ${at} has members ${Object.keys(given)}`;
    const values = names.map((name) => given[name]);
    const free = (offers.get(textOf(values, unordered)) ?? []).filter(({ choice }) => !used.has(choice));
    if (free.length === 0) return `row ${at} is none of those expected: ${JSON.stringify(given)}`;
    const inside = free.filter(({ row }) => inPage(page, row));
    if (inside.length === 0) return `row ${at} is outside of the page: ${JSON.stringify(given)}`;
    const last = rows.at(-1);
    // NULL and the JSON null look alike and have places of their own: the first one that fits
    const [offer] = inside
      .filter(({ row }) => last === undefined || compareRows(page.keys, last, row) <= 0)
      .sort((one, other) => compareRows(page.keys, one.row, other.row));
    if (offer === undefined) return `row ${at} is out of order`;
    used.add(offer.choice);
    rows.push(offer.row);
  }
  return missing(denoted, used, rows);
}

/** A row an answer may have, and what it would be for. */
interface Offer {
  readonly row: readonly Cell[];
  readonly choice: Choice;
}

function missing(
  { choices, page }: Denoted,
  used: ReadonlySet<Choice>,
  rows: readonly (readonly Cell[])[],
): string | null {
  const due = choices.filter((choice) => !used.has(choice) && choice.candidates.every((row) => inPage(page, row)));
  const { limit } = page;
  if (limit !== null && rows.length > limit) return `${rows.length} rows are more than the limit`;
  if (limit === null || rows.length < limit) {
    return due.length === 0
      ? null
      : `rows are missing: ${JSON.stringify(due[0]?.candidates.map((row) => row.map(plain)))}`;
  }
  const fromEnd = page.before !== null && page.after === null;
  const edge = fromEnd ? rows[0] : rows.at(-1);
  if (edge === undefined) return null;
  const skipped = due.find((choice) =>
    choice.candidates.every((row) => {
      const order = compareRows(page.keys, row, edge);
      return fromEnd ? order > 0 : order < 0;
    }),
  );
  return skipped === undefined ? null : `a row was skipped: ${JSON.stringify(skipped.candidates[0]?.map(plain))}`;
}

function plain(cell: Cell): unknown {
  if (isDocument(cell)) return cell.json;
  return isList(cell) ? cell.map(plain) : cell;
}

/** Text by which rows are the same; averages are cut to the digits both sides have. */
function textOf(values: readonly unknown[], unordered: ReadonlySet<number>): string {
  return JSON.stringify(
    values.map((value, at) => {
      if (unordered.has(at) && Array.isArray(value)) return value.map((item) => canonical(item)).sort();
      return canonical(value);
    }),
  );
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'number') return Object.is(part, -0) ? 0 : Number(part.toPrecision(14));
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
