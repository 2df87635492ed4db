import type { ContextReset, JoinType, Path, PathElement, TableRef, Word } from './ast.js';
import { parseCondition } from './parse-filter.js';
import { endOfName, parseName, parseNameListInParentheses, parseOptionalLabel } from './parse-words.js';
import type { TokenCursor } from './token-cursor.js';

/**
 * `path = root , { "/" , element }`, up to (not including) the slash token at index `end`, or up to the modifiers when
 * `end` is beyond them. The projection of `attribute` and its like starts behind `end`.
 */
export function parsePath(cursor: TokenCursor, end: number): Path {
  const root = parseRoot(cursor);
  const elements: PathElement[] = [];
  while (cursor.index < end && cursor.at('/')) {
    cursor.next();
    elements.push(parseElement(cursor));
  }
  return Object.freeze({ root, elements: Object.freeze(elements) });
}

function parseRoot(cursor: TokenCursor): TableRef {
  const alias = parseOptionalLabel(cursor);
  const name = parseName(cursor, 'a table name: a path starts with a table');
  checkSingleAlias(cursor, alias);
  checkEndOfElement(cursor, 'a path starts with a table name, filters and links follow after "/"');
  return Object.freeze({ kind: 'table', alias, name });
}

function parseElement(cursor: TokenCursor): PathElement {
  if (cursor.at('/') || cursor.at('end')) {
    throw cursor.error('a path element is empty; remove the extra "/"');
  }
  if (cursor.at('$')) return parseReset(cursor);
  const alias = parseOptionalLabel(cursor);
  if (startsLink(cursor)) return parseLink(cursor, alias);
  if (alias !== null) throw notAliasable(cursor);
  const condition = parseCondition(cursor);
  checkEndOfElement(cursor, 'expected "&", ";", "/" or the end after a filter');
  return Object.freeze({ kind: 'filter', condition });
}

function parseReset(cursor: TokenCursor): ContextReset {
  cursor.expect('$', 'expected "$"');
  const start = cursor.token;
  const name = parseName(cursor, 'an alias after "$"');
  const [text] = name.parts;
  if (text === undefined || name.parts.length > 1) {
    throw cursor.error('an alias is a single word', { ...start, end: cursor.token.offset });
  }
  checkEndOfElement(cursor, 'expected "/" or the end after $alias');
  return Object.freeze({ kind: 'reset', alias: Object.freeze({ text, offset: name.offset }) });
}

/**
 * The table of spec/catalog-data.md 1.3.1: a name that ends the element, a join word before "(", and a parenthesis that
 * holds nothing but names and closes before the end or "=(" make a link. One look ahead per element: linear.
 */
function startsLink(cursor: TokenCursor): boolean {
  const { index } = cursor;
  if (cursor.at('(')) return startsLinkList(cursor, index);
  if (joinWord(cursor) !== null && cursor.peek(1).kind === '(') return true;
  const end = endOfName(cursor, index);
  return end > index && endsElement(cursor, end);
}

function startsLinkList(cursor: TokenCursor, open: number): boolean {
  let at = endOfName(cursor, open + 1);
  while (cursor.peekAt(at).kind === ',') at = endOfName(cursor, at + 1);
  if (cursor.peekAt(at).kind !== ')') return false;
  return endsElement(cursor, at + 1) || (cursor.peekAt(at + 1).kind === '=' && cursor.peekAt(at + 2).kind === '(');
}

function endsElement(cursor: TokenCursor, index: number): boolean {
  const { kind } = cursor.peekAt(index);
  return kind === 'end' || kind === '/' || kind === '@';
}

function parseLink(cursor: TokenCursor, alias: Word | null): PathElement {
  const join = joinWord(cursor);
  const { offset } = cursor.token;
  if (join !== null && cursor.peek(1).kind === '(') {
    cursor.next();
    return parseColumnLink(cursor, alias, join, offset);
  }
  if (cursor.at('(')) return parseColumnLink(cursor, alias, 'inner', offset);
  return Object.freeze({ kind: 'table-link', alias, table: parseName(cursor, 'a table name') });
}

function parseColumnLink(cursor: TokenCursor, alias: Word | null, join: JoinType, offset: number): PathElement {
  const left = parseNameListInParentheses(cursor);
  if (!cursor.skip('=')) {
    checkEndOfElement(cursor, 'expected "/", "=(" or the end after a link');
    return Object.freeze({ kind: 'endpoint-link', alias, join, columns: left, offset });
  }
  const open = cursor.token;
  const right = parseNameListInParentheses(cursor);
  if (left.length !== right.length) {
    throw cursor.error(
      `a link maps columns one to one, but ${left.length} on the left stand against ${right.length} on the right`,
      { ...open, end: cursor.token.offset },
    );
  }
  checkEndOfElement(cursor, 'expected "/" or the end after a link');
  return Object.freeze({ kind: 'mapping-link', alias, join, left, right, offset });
}

function joinWord(cursor: TokenCursor): JoinType | null {
  for (const word of ['left', 'right', 'full'] as const) if (cursor.atWord(word)) return word;
  return null;
}

function checkEndOfElement(cursor: TokenCursor, advice: string): void {
  if (!endsElement(cursor, cursor.index)) throw cursor.error(advice);
}

function checkSingleAlias(cursor: TokenCursor, alias: Word | null): void {
  if (cursor.at(':=')) {
    throw cursor.error(
      alias === null ? 'an alias is a single word; write ":" inside it as %3A' : 'a table instance takes one alias',
    );
  }
}

function notAliasable(cursor: TokenCursor): Error {
  const end = endOfName(cursor, cursor.index);
  const follower = cursor.peekAt(end);
  if (follower.kind === ':=') return cursor.error('a table instance takes one alias', follower);
  if (cursor.at('end') || cursor.at('/')) return cursor.error('expected a table name or a link after "alias:="');
  return cursor.error('only a table or a link can have an alias; filters and $alias cannot');
}
