import type { Json } from './model.js';

/** Key of the default of a document as it was sent, digit for digit; other readers do not see it. */
const EXACT: unique symbol = Symbol('exact default');

/**
 * Notes, in documents of columns, defaults that would lose digits (`exact-numbers.ts`).
 * @param json what a request holds, in doubles
 * @param exact the same with all digits
 */
export function keepExactDefaults(json: Json, exact: Json): void {
  if (typeof json !== 'object' || json === null || typeof exact !== 'object' || exact === null) return;
  const members = new Map(Object.entries(exact));
  for (const [name, value] of Object.entries(json)) {
    const member = members.get(name);
    if (member === undefined) continue;
    if (name === 'default') Object.defineProperty(json, EXACT, { value: member });
    keepExactDefaults(value, member);
  }
}

/** The default of a column document as it was sent; undefined when it has none. */
export function exactDefault(document: unknown, inDoubles: Json | undefined): Json | undefined {
  return typeof document === 'object' && document !== null && EXACT in document ? (document[EXACT] as Json) : inDoubles;
}
