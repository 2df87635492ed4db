import type { Literal, Name, Word } from './ast.js';
import type { Token } from './lexer.js';
import type { TokenCursor } from './token-cursor.js';

/** `name = [ ":" ] , string , { ":" , string }`; the leading colon means nothing. `what` completes "expected ...". */
export function parseName(cursor: TokenCursor, what: string): Name {
  const { offset } = cursor.token;
  cursor.skip(':');
  const parts = [cursor.expect('string', `expected ${what}`).text];
  while (cursor.skip(':')) parts.push(cursor.expect('string', 'expected a name after ":"').text);
  return Object.freeze({ kind: 'name', parts: Object.freeze(parts), offset });
}

/** `"(" , name , { "," , name } , ")"` */
export function parseNameListInParentheses(cursor: TokenCursor): readonly Name[] {
  cursor.expect('(', 'expected "(" and a list of column names');
  const names = parseList(cursor, () => parseName(cursor, 'a column name'));
  cursor.expect(')', 'expected "," or ")" in a list of column names');
  return names;
}

/** One item or more, separated by commas. */
export function parseList<T>(cursor: TokenCursor, parseItem: () => T): readonly T[] {
  const items = [parseItem()];
  while (cursor.skip(',')) items.push(parseItem());
  return Object.freeze(items);
}

/** `value = [ string ]`: nothing at all is the empty string. */
export function parseLiteral(cursor: TokenCursor): Literal {
  const { offset } = cursor.token;
  const text = cursor.at('string') ? cursor.next().text : '';
  return Object.freeze({ kind: 'literal', text, offset });
}

/** `[ string , ":=" ]` */
export function parseOptionalLabel(cursor: TokenCursor): Word | null {
  if (!cursor.at('string') || cursor.peek(1).kind !== ':=') return null;
  const label = toWord(cursor.next());
  cursor.expect(':=', 'expected ":="');
  return label;
}

export function toWord(token: Token): Word {
  return Object.freeze({ text: token.text, offset: token.offset });
}

/** The index of the first token from `index` on that cannot belong to a name. */
export function endOfName(cursor: TokenCursor, index: number): number {
  let at = index;
  while (cursor.peekAt(at).kind === 'string' || cursor.peekAt(at).kind === ':') at += 1;
  return at;
}
