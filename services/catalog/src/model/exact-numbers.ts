import type { Json } from './model.js';

/**
 * Numbers of JSON that a double would change: `int8` and `numeric` have more digits (spec/catalog-model.md 9). In a {@link Json} value
 * such a number stands as its digits behind a mark, U+0000, which no text can have that PostgreSQL stores or a document may hold.
 */
const MARK = '\u0000';

/** Reads JSON text, which must be valid; no number loses a digit. */
export function parseExact(text: string): Json {
  return JSON.parse(mayBeInexact(text) ? marked(text) : text);
}

/** Whether JSON text may hold such numbers; cheap, and wrong now and then. */
export function mayBeInexact(text: string): boolean {
  return /[\d.]{16}|\d[eE][-+]?\d/.test(text);
}

/** JSON text of a value: what stands behind a mark is a number again. */
export function stringifyExact(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes('"\\u0000') ? text.replace(/"\\u0000([-+.\deE]+)"/g, '$1') : text;
}

/** Digits of a number behind a mark; other texts as they are. */
export function withoutMark(text: string): string {
  return text.startsWith(MARK) ? text.slice(MARK.length) : text;
}

/** The value with doubles in place of what stands behind marks. */
export function withDoubles(value: Json): Json {
  if (typeof value === 'string') return value.startsWith(MARK) ? Number(withoutMark(value)) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map(withDoubles);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withDoubles(member)]));
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Goes from token to token: a text is copied, a number looked at. */
function marked(text: string): string {
  const parts: string[] = [];
  let copied = 0;
  const number = /-?\d[\d.eE+-]*/y;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') at = endOfString(text, at);
    else if (character === '-' || (character >= '0' && character <= '9')) {
      number.lastIndex = at;
      const token = number.exec(text)?.[0] ?? character;
      if (!isExact(token)) {
        parts.push(text.slice(copied, at), `"\\u0000${token}"`);
        copied = at + token.length;
      }
      at += token.length - 1;
    }
  }
  return parts.length === 0 ? text : `${parts.join('')}${text.slice(copied)}`;
}

/** Where the string that begins at a quotation mark ends. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

function isExact(token: string): boolean {
  if (token.length <= 15 && !/[eE]/.test(token)) return true;
  const value = Number(token);
  return Number.isFinite(value) && canonical(token) === canonical(String(value));
}

/** Sign, digits without zeros at the ends, and the power of ten of the last one: the same for the same number. */
function canonical(token: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([-+]?\d+))?$/.exec(token) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length)}`;
}
