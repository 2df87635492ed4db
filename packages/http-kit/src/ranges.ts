/** Part of a content: first and last byte, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** How a GET with this `Range` header is to be answered (spec/objectstore.md 6.4). */
export type RangeDecision =
  | { readonly kind: 'whole' }
  | { readonly kind: 'single'; readonly range: ByteRange }
  | { readonly kind: 'several'; readonly ranges: readonly ByteRange[] }
  | { readonly kind: 'unsatisfiable' };

/** More merged ranges than this are answered with the whole content. */
const MOST_RANGES = 16;

/**
 * Decides what a `Range` header asks for.
 * @param header text of the header, or undefined
 * @param size bytes of the whole content
 * @param overlaps `merge`: those that touch become one; `keep`: for a service that refuses several anyway
 * @returns `whole` also for a header that is broken, of another unit, or covers everything
 */
export function decideRange(
  header: string | undefined,
  size: number,
  overlaps: 'merge' | 'keep' = 'merge',
): RangeDecision {
  const specs = parseRangeHeader(header);
  if (specs === null) return { kind: 'whole' };
  const satisfiable = specs.map((spec) => resolve(spec, size)).filter((range) => range !== null);
  if (satisfiable.length === 0) return { kind: 'unsatisfiable' };
  const merged = satisfiable.length === 1 || overlaps === 'keep' ? satisfiable : merge(satisfiable);
  const [only] = merged;
  if (merged.length === 1 && only !== undefined) {
    return only.first === 0 && only.last === size - 1 ? { kind: 'whole' } : { kind: 'single', range: only };
  }
  return merged.length > MOST_RANGES && overlaps === 'merge' ? { kind: 'whole' } : { kind: 'several', ranges: merged };
}

type RangeSpec = { readonly first: number; readonly last: number | null } | { readonly suffix: number };

function parseRangeHeader(header: string | undefined): readonly RangeSpec[] | null {
  const list = /^\s*bytes\s*=(.*)$/i.exec(header ?? '')?.[1];
  if (list === undefined) return null;
  const specs: RangeSpec[] = [];
  for (const part of list.split(',')) {
    const text = part.trim();
    if (text === '') continue;
    const match = /^(\d*)-(\d*)$/.exec(text);
    if (match === null || text === '-') return null;
    const [, first = '', last = ''] = match;
    if (first === '') specs.push({ suffix: Number(last) });
    else if (last !== '' && Number(last) < Number(first)) return null;
    else specs.push({ first: Number(first), last: last === '' ? null : Number(last) });
  }
  return specs.length === 0 ? null : specs;
}

function resolve(spec: RangeSpec, size: number): ByteRange | null {
  if ('suffix' in spec) {
    return spec.suffix === 0 || size === 0 ? null : { first: Math.max(0, size - spec.suffix), last: size - 1 };
  }
  return spec.first >= size ? null : { first: spec.first, last: Math.min(spec.last ?? size - 1, size - 1) };
}

/** Overlapping and touching ranges become one; the rest keep ascending order. */
function merge(ranges: readonly ByteRange[]): readonly ByteRange[] {
  const merged: ByteRange[] = [];
  for (const range of [...ranges].sort((a, b) => a.first - b.first)) {
    const before = merged.at(-1);
    if (before !== undefined && range.first <= before.last + 1) {
      merged[merged.length - 1] = { first: before.first, last: Math.max(before.last, range.last) };
    } else merged.push(range);
  }
  return merged;
}
