import { PathSyntaxError, shorten } from './syntax-error.js';

export type Punctuation = '(' | ')' | ':' | ';' | ',' | '=' | '@' | '&' | '/' | '?' | '!' | '$' | '::' | ':=';

export type TokenKind = 'string' | 'end' | Punctuation;

export interface Token {
  readonly kind: TokenKind;
  /** Percent-decoded for strings, itself for punctuation, empty at the end. */
  readonly text: string;
  /** True when the token is a string with escapes: it is data then, never a keyword. */
  readonly escaped: boolean;
  readonly offset: number;
  readonly end: number;
}

/** `plus` says what a raw plus sign is: an error in the path, a blank in the query (spec/catalog-data.md 1.1.5). */
export interface LexerRules {
  readonly plus: 'error' | 'blank';
}

/**
 * Cuts `source` from `from` to `to` into tokens, in linear time; the last one is always `end`.
 * Splitting comes before decoding, so an escape never acts as punctuation (spec/catalog-data.md 1.1).
 * Throws PathSyntaxError at an illegal character or escape.
 */
export function tokenize(source: string, from: number, to: number, rules: LexerRules): Token[] {
  const tokens: Token[] = [];
  let at = from;
  while (at < to) {
    const token = isStringCode(source.charCodeAt(at), rules)
      ? stringToken(source, at, to, rules)
      : punctuationToken(source, at, to);
    tokens.push(token);
    at = token.end;
  }
  tokens.push({ kind: 'end', text: '', escaped: false, offset: to, end: to });
  return tokens;
}

function stringToken(source: string, from: number, to: number, rules: LexerRules): Token {
  let end = from + 1;
  while (end < to && isStringCode(source.charCodeAt(end), rules)) end += 1;
  const raw = source.slice(from, end);
  const spaced = rules.plus === 'blank' ? raw.replaceAll('+', ' ') : raw;
  const escaped = raw.includes('%');
  return { kind: 'string', text: escaped ? decode(spaced, raw, from) : spaced, escaped, offset: from, end };
}

function punctuationToken(source: string, offset: number, to: number): Token {
  const text = longestPunctuation(source, offset, to);
  if (text === null) throw illegalCharacter(source, offset);
  return { kind: text, text, escaped: false, offset, end: offset + text.length };
}

function longestPunctuation(source: string, offset: number, to: number): Punctuation | null {
  const character = source.charAt(offset);
  switch (character) {
    case ':': {
      const next = offset + 1 < to ? source.charAt(offset + 1) : '';
      if (next === ':') return '::';
      return next === '=' ? ':=' : ':';
    }
    case '(':
    case ')':
    case ';':
    case ',':
    case '=':
    case '@':
    case '&':
    case '/':
    case '?':
    case '!':
    case '$':
      return character;
    default:
      return null;
  }
}

/** Code units that may stand in a string token: unreserved characters, the asterisk and the percent sign of an escape. */
const STRING_CODES = new Uint8Array(128);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~*%') {
  STRING_CODES[character.charCodeAt(0)] = 1;
}
const PLUS = '+'.charCodeAt(0);

function isStringCode(code: number, rules: LexerRules): boolean {
  return STRING_CODES[code] === 1 || (code === PLUS && rules.plus === 'blank');
}

function decode(text: string, raw: string, offset: number): string {
  const malformed = raw.search(/%(?![0-9A-Fa-f]{2})/);
  if (malformed >= 0) {
    const piece = raw.slice(malformed, malformed + 3);
    throw new PathSyntaxError(
      `Malformed escape "${piece}" at position ${offset + malformed}: "%" must be followed by two hexadecimal digits; write a literal percent sign as %25.`,
      offset + malformed,
      piece,
    );
  }
  const zero = raw.indexOf('%00');
  if (zero >= 0) {
    throw new PathSyntaxError(
      `Escape "%00" at position ${offset + zero}: the NUL character cannot be part of a name or value.`,
      offset + zero,
      '%00',
    );
  }
  try {
    return decodeURIComponent(text);
  } catch {
    throw new PathSyntaxError(
      `The escapes in "${shorten(raw)}" at position ${offset} are not UTF-8: percent-encode the UTF-8 bytes of the text.`,
      offset,
      raw,
    );
  }
}

function illegalCharacter(source: string, offset: number): PathSyntaxError {
  const code = source.charCodeAt(offset);
  const codePoint = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  if (code > 0x7e || code < 0x20) {
    return new PathSyntaxError(
      `Raw character ${codePoint} at position ${offset}: control and non-ASCII characters must be percent-encoded as UTF-8.`,
      offset,
      source.charAt(offset),
    );
  }
  const character = source.charAt(offset);
  const encoded = `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
  return new PathSyntaxError(
    `Illegal character ${character === '"' ? `'"'` : `"${character}"`} (${codePoint}) at position ${offset}: write it as ${encoded}.`,
    offset,
    character,
  );
}
