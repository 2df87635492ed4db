import type { PageKey, PageValue, Sort, SortKey } from './ast.js';
import type { Token } from './lexer.js';
import { parseList, parseLiteral, toWord } from './parse-words.js';
import type { TokenCursor } from './token-cursor.js';

/** `@sort(...)`, then at most one `@after(...)` and one `@before(...)` in either order; null without modifiers. */
export function parseModifiers(cursor: TokenCursor): Sort | null {
  if (!cursor.at('@')) return null;
  const start = cursor.token;
  const word = parseModifierWord(cursor);
  if (word !== 'sort') throw cursor.error(`@${word} pages through a sorted result: write @sort(...) before it`, start);
  const keys = parseArguments(cursor, () => parseSortKey(cursor));
  return Object.freeze({ keys, ...parsePages(cursor, keys.length), offset: start.offset });
}

function parsePages(cursor: TokenCursor, width: number): { after: PageKey | null; before: PageKey | null } {
  let after: PageKey | null = null;
  let before: PageKey | null = null;
  while (cursor.at('@')) {
    const start = cursor.token;
    const word = parseModifierWord(cursor);
    if (word === 'sort') throw cursor.error('there is one @sort(...), with all keys in it', start);
    if ((word === 'after' ? after : before) !== null) throw cursor.error(`@${word} can be given once`, start);
    const page = parsePageKey(cursor, start, width);
    if (word === 'after') after = page;
    else before = page;
  }
  return { after, before };
}

/** Only these three words are recognised in any case (spec/catalog-data.md 1.1.8). */
function parseModifierWord(cursor: TokenCursor): 'sort' | 'after' | 'before' {
  cursor.expect('@', 'expected "@"');
  const token = cursor.expect('string', 'expected sort(, after( or before( after "@"');
  const word = token.escaped ? '' : token.text.toLowerCase();
  if (word === 'sort' || word === 'after' || word === 'before') return word;
  throw cursor.error('unknown modifier; there are @sort(...), @after(...) and @before(...)', token);
}

function parseSortKey(cursor: TokenCursor): SortKey {
  const output = toWord(cursor.expect('string', 'expected the name of an output column to sort by'));
  if (cursor.at(':')) {
    throw cursor.error('sort keys are output names, not column names; write a ":" inside an output name as %3A');
  }
  return Object.freeze({ output, descending: parseDescending(cursor) });
}

function parseDescending(cursor: TokenCursor): boolean {
  if (!cursor.skip('::')) return false;
  const word = cursor.expect('string', 'expected desc');
  if (word.escaped || word.text.toLowerCase() !== 'desc') {
    throw cursor.error('only ::desc:: exists; without it the order is ascending', word);
  }
  cursor.expect('::', 'the direction of a sort key is written ::desc::');
  return true;
}

function parsePageKey(cursor: TokenCursor, start: Token, width: number): PageKey {
  const values = parseArguments(cursor, () => parsePageValue(cursor));
  if (values.length !== width) {
    throw cursor.error(`a page key has one value for each sort key: ${width} wanted, ${values.length} given`, {
      ...start,
      end: cursor.token.offset,
    });
  }
  return Object.freeze({ values, offset: start.offset });
}

function parsePageValue(cursor: TokenCursor): PageValue {
  if (!cursor.at('::')) return parseLiteral(cursor);
  const { offset } = cursor.next();
  if (!cursor.atWord('null')) throw cursor.error('only ::null:: can stand here, in lower case');
  cursor.next();
  cursor.expect('::', 'NULL is written ::null::');
  return Object.freeze({ kind: 'null', offset });
}

function parseArguments<T>(cursor: TokenCursor, parseArgument: () => T): readonly T[] {
  cursor.expect('(', 'expected "("');
  const list = parseList(cursor, parseArgument);
  cursor.expect(')', 'expected "," or ")"; percent-encode punctuation inside names and values');
  return list;
}
