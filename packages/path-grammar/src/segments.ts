import type { Name, Word } from './ast.js';
import { type Token, tokenize } from './lexer.js';
import { parseList, parseLiteral, parseName, toWord } from './parse-words.js';
import { TokenCursor } from './token-cursor.js';

/** One piece of a path between raw slashes, under the lexical rules of data URLs. Read it with the functions below. */
export interface Segment {
  /** As written. Route words (`schema`, `table`) compare with this, so that an escaped word is data. */
  readonly raw: string;
  readonly offset: number;
  readonly tokens: readonly Token[];
  readonly source: string;
}

/**
 * Cuts a raw path (without its query) on raw slashes; for the model resources, which share the lexical rules of data URLs
 * (spec/catalog-model.md 1.1). A leading, trailing or double slash gives an empty segment; the caller knows which of them
 * are allowed. Offsets count from the start of `path`, of which only the part from `from` on is cut.
 * Throws PathSyntaxError at a raw character that must be escaped (`+` included), a malformed escape, `%00` or bytes that
 * are not UTF-8.
 */
export function lexSegments(path: string, from = 0): readonly Segment[] {
  const segments: Segment[] = [];
  let tokens: Token[] = [];
  let offset = from;
  for (const token of tokenize(path, from, path.length, { plus: 'error' })) {
    if (token.kind !== '/' && token.kind !== 'end') {
      tokens.push(token);
      continue;
    }
    tokens.push({ kind: 'end', text: '', escaped: false, offset: token.offset, end: token.offset });
    segments.push(Object.freeze({ raw: path.slice(offset, token.offset), offset, tokens, source: path }));
    tokens = [];
    offset = token.end;
  }
  return Object.freeze(segments);
}

/** One unqualified name: `a`. Throws PathSyntaxError for an empty segment, `a:b` and `a,b`. */
export function parseSingleName(segment: Segment): Word {
  return parseSegment(segment, 'one name is expected here; percent-encode punctuation inside it', (cursor) =>
    toWord(cursor.expect('string', 'expected a name')),
  );
}

/** One name or more: `a,b`. Throws PathSyntaxError for empty or qualified names. */
export function parseNameList(segment: Segment): readonly Word[] {
  return parseSegment(segment, 'a list of names is written a,b; percent-encode punctuation inside names', (cursor) =>
    parseList(cursor, () => toWord(cursor.expect('string', 'expected a name'))),
  );
}

/** A possibly qualified name: `t`, `s:t`; the number of parts is the caller's to check. */
export function parseQualifiedName(segment: Segment): Name {
  return parseSegment(segment, 'a qualified name is written schema:table', (cursor) => parseName(cursor, 'a name'));
}

/** Values that may each be empty: `a,b`, `,b`, `a,`; an empty segment is one empty value. */
export function parseValueList(segment: Segment): readonly Word[] {
  return parseSegment(segment, 'a list of values is written a,b; percent-encode punctuation inside values', (cursor) =>
    parseList(cursor, () => {
      const { text, offset } = parseLiteral(cursor);
      return Object.freeze({ text, offset });
    }),
  );
}

/** The whole segment as one decoded text, raw punctuation included: annotation keys arrive as `tag:x,2020:k` too. */
export function segmentText(segment: Segment): string {
  return segment.tokens.map((token) => token.text).join('');
}

function parseSegment<T>(segment: Segment, advice: string, parse: (cursor: TokenCursor) => T): T {
  const cursor = new TokenCursor(segment.source, segment.tokens);
  const result = parse(cursor);
  if (!cursor.at('end')) throw cursor.error(advice);
  return result;
}
