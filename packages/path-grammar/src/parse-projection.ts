import type {
  AggregateFunction,
  AggregateItem,
  AttributeItem,
  BinItem,
  ColumnItem,
  FunctionItem,
  GroupItem,
  KeyItem,
  Name,
  RightsItem,
  Word,
} from './ast.js';
import type { Token } from './lexer.js';
import { parseList, parseLiteral, parseName, parseOptionalLabel } from './parse-words.js';
import type { TokenCursor } from './token-cursor.js';

/** `attr-list`: columns, bins and rights; one row per entity leaves nothing to aggregate. */
export function parseAttributeList(cursor: TokenCursor): readonly AttributeItem[] {
  return parseList(cursor, () => {
    const { item, token } = parseItem(cursor);
    if (item.kind === 'function') {
      throw cursor.error('aggregate functions belong to aggregate and attributegroup, not to attribute', token);
    }
    return item;
  });
}

/** `key-list`: columns and bins. */
export function parseKeyList(cursor: TokenCursor): readonly KeyItem[] {
  if (cursor.at(';')) throw cursor.error('attributegroup needs at least one group key before ";"');
  return parseList(cursor, () => {
    const { item, token } = parseItem(cursor);
    if (item.kind === 'function' || item.kind === 'rights') {
      throw cursor.error(`a group key is a column or a bin; ${item.function}(...) can stand after ";"`, token);
    }
    return item;
  });
}

/** `leaf-list` of attributegroup. */
export function parseGroupList(cursor: TokenCursor): readonly GroupItem[] {
  return parseList(cursor, () => parseItem(cursor).item);
}

/** `leaf-list` of aggregate: there is no row whose rights could be told (spec/catalog-data.md 3.6.3). */
export function parseAggregateList(cursor: TokenCursor): readonly AggregateItem[] {
  return parseList(cursor, () => {
    const { item, token } = parseItem(cursor);
    if (item.kind === 'rights') {
      throw cursor.error(`${item.function}(...) tells the rights on a row; an aggregate has none`, token);
    }
    return item;
  });
}

interface ParsedItem {
  readonly item: GroupItem;
  /** The function word, or the first token of the column name: where to point when the item is misplaced. */
  readonly token: Token;
}

function parseItem(cursor: TokenCursor): ParsedItem {
  const output = parseOptionalLabel(cursor);
  const { token } = cursor;
  if (token.kind === 'string' && cursor.peek(1).kind === '(') return { item: parseCall(cursor, output), token };
  return { item: parseColumn(cursor, output), token };
}

function parseColumn(cursor: TokenCursor, output: Word | null): ColumnItem {
  const column = parseName(cursor, 'a column, as in name, alias:name or output:=name');
  if (cursor.at(':=')) {
    throw cursor.error(
      output === null
        ? 'an output name is a single word; write ":" inside it as %3A'
        : 'an output column takes one name',
    );
  }
  return Object.freeze({ kind: 'column', output, column });
}

function parseCall(cursor: TokenCursor, output: Word | null): BinItem | RightsItem | FunctionItem {
  const word = cursor.expect('string', 'expected a function');
  const name = word.escaped ? '' : word.text;
  if (name === 'bin') return parseBin(cursor, output, word.offset);
  if (name === 'trs' || name === 'tcrs') {
    return Object.freeze({
      kind: 'rights',
      output,
      function: name,
      column: parseArgument(cursor),
      offset: word.offset,
    });
  }
  const known = AGGREGATE_FUNCTIONS.find((candidate) => candidate === name);
  if (known === undefined) throw unknownFunction(cursor, word);
  const column = parseArgument(cursor);
  if (output === null) {
    throw cursor.error(`an aggregate function needs an output name, as in x:=${known}(...)`, word);
  }
  return Object.freeze({ kind: 'function', output, function: known, column, offset: word.offset });
}

const AGGREGATE_FUNCTIONS: readonly AggregateFunction[] = [
  'cnt',
  'cnt_d',
  'min',
  'max',
  'avg',
  'sum',
  'array',
  'array_d',
];

function unknownFunction(cursor: TokenCursor, word: Token): Error {
  const known = [...AGGREGATE_FUNCTIONS, 'bin', 'trs', 'tcrs'];
  const lower = word.text.toLowerCase();
  return cursor.error(
    known.includes(lower)
      ? `functions are written raw and in lower case: ${lower}(...)`
      : `unknown function; there are ${known.join(', ')}`,
    word,
  );
}

function parseArgument(cursor: TokenCursor): Name {
  cursor.expect('(', 'expected "("');
  const column = parseName(cursor, 'a column name or "*"');
  cursor.expect(')', 'expected ")": this function takes one column');
  return column;
}

/** `"bin(" , name , ";" , value , ";" , value , ";" , value , ")"` */
function parseBin(cursor: TokenCursor, output: Word | null, offset: number): BinItem {
  const shape = 'a bin is written bin(column;count;low;high)';
  cursor.expect('(', shape);
  const column = parseName(cursor, 'a column name');
  cursor.expect(';', shape);
  const count = parseLiteral(cursor);
  cursor.expect(';', shape);
  const low = parseLiteral(cursor);
  cursor.expect(';', shape);
  const high = parseLiteral(cursor);
  cursor.expect(')', `${shape}; percent-encode punctuation inside its values`);
  return Object.freeze({ kind: 'bin', output, column, count, low, high, offset });
}
