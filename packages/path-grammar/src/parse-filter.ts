import type { ComparisonOperator, Condition, Literal, Name, Operand, ValueList } from './ast.js';
import type { Token } from './lexer.js';
import { parseList, parseLiteral, parseName } from './parse-words.js';
import type { TokenCursor } from './token-cursor.js';

const NAMED_OPERATORS: ReadonlyMap<string, ComparisonOperator> = new Map([
  ['lt', 'lt'],
  ['leq', 'leq'],
  ['gt', 'gt'],
  ['geq', 'geq'],
  ['regexp', 'regexp'],
  ['ciregexp', 'ciregexp'],
  ['ts', 'ts'],
]);
const OPERATOR_LIST = '=, ::null::, ::lt::, ::leq::, ::gt::, ::geq::, ::regexp::, ::ciregexp:: and ::ts::';

/** `filter = conj , { ";" , conj }`: the OR of ANDs; `&` binds tighter than `;`. */
export function parseCondition(cursor: TokenCursor): Condition {
  const operands = [parseConjunction(cursor)];
  while (cursor.skip(';')) operands.push(parseConjunction(cursor));
  const [only] = operands;
  if (only !== undefined && operands.length === 1) return only;
  return Object.freeze({ kind: 'or', operands: Object.freeze(operands) });
}

function parseConjunction(cursor: TokenCursor): Condition {
  const operands = [parseTerm(cursor)];
  while (cursor.skip('&')) operands.push(parseTerm(cursor));
  const [only] = operands;
  if (only !== undefined && operands.length === 1) return only;
  return Object.freeze({ kind: 'and', operands: Object.freeze(operands) });
}

/** `term = [ "!" ] , predicate` */
function parseTerm(cursor: TokenCursor): Condition {
  if (!cursor.skip('!')) return parsePredicate(cursor);
  if (cursor.at('!')) throw cursor.error('one "!" negates; write a double negation as !(!...)');
  return Object.freeze({ kind: 'not', operand: parsePredicate(cursor) });
}

function parsePredicate(cursor: TokenCursor): Condition {
  if (!cursor.at('(')) return parseColumnTest(cursor);
  return cursor.nested(() => {
    cursor.expect('(', 'expected "("');
    const condition = parseCondition(cursor);
    cursor.expect(')', 'expected "&", ";" or ")" in a filter');
    return condition;
  });
}

function parseColumnTest(cursor: TokenCursor): Condition {
  const column = parseName(cursor, 'a filter on a column, such as name=value');
  if (cursor.skip('=')) return comparison(cursor, column, '=');
  if (cursor.at('::')) return parseNamedTest(cursor, column);
  if (cursor.at('!')) throw cursor.error('there is no "!=" operator; write the negation in front, as in !name=value');
  if (cursor.at('('))
    throw cursor.error('before "(" only left, right and full can stand, written raw and in lower case');
  if (cursor.at(':=')) throw cursor.error('an alias is a single word in front of a table or link');
  throw cursor.error(`expected an operator after the column name; operators are ${OPERATOR_LIST}`);
}

function parseNamedTest(cursor: TokenCursor, column: Name): Condition {
  const first = cursor.expect('::', 'expected "::"');
  const word = cursor.expect('string', `expected the name of an operator; operators are ${OPERATOR_LIST}`);
  if (!cursor.at('::')) throw cursor.error('the name of an operator stands between two "::", as in ::lt::');
  const last = cursor.next();
  if (word.text === 'null' && !word.escaped) return Object.freeze({ kind: 'null-test', column });
  const operator = word.escaped ? undefined : NAMED_OPERATORS.get(word.text);
  if (operator === undefined) throw unknownOperator(cursor, { ...first, end: last.end }, word);
  return comparison(cursor, column, operator);
}

function unknownOperator(cursor: TokenCursor, operator: Token, word: Token): Error {
  const lower = word.text.toLowerCase();
  const advice =
    lower === 'null' || NAMED_OPERATORS.has(lower)
      ? `operators are written raw and in lower case: ::${lower}::`
      : `unknown operator; operators are ${OPERATOR_LIST}`;
  return cursor.error(advice, operator);
}

function comparison(cursor: TokenCursor, column: Name, operator: ComparisonOperator): Condition {
  return Object.freeze({ kind: 'comparison', column, operator, operand: parseOperand(cursor) });
}

function parseOperand(cursor: TokenCursor): Operand {
  if (cursor.at('(')) throw cursor.error('a list of values needs a quantifier: any(1,2) or all(1,2)');
  const operand = cursor.peek(1).kind === '(' && cursor.at('string') ? parseValueList(cursor) : parseLiteral(cursor);
  checkEndOfOperand(cursor, operand);
  return operand;
}

function parseValueList(cursor: TokenCursor): ValueList {
  const word = cursor.expect('string', 'expected any( or all(');
  const quantifier = toQuantifier(word.text);
  if (quantifier === null)
    throw cursor.error('unknown quantifier of a value list; only any(...) and all(...) exist', word);
  cursor.expect('(', 'expected "("');
  const values = parseList(cursor, () => parseListedValue(cursor));
  if (!cursor.at(')')) throw cursor.error(`expected "," or ")" in a list of values; ${ESCAPE_ADVICE}`);
  cursor.next();
  return Object.freeze({ kind: 'value-list', quantifier, values, offset: word.offset });
}

function parseListedValue(cursor: TokenCursor): Literal {
  const value = parseLiteral(cursor);
  if (cursor.at('(')) throw cursor.error('lists of values do not nest');
  return value;
}

/** spec/catalog-data.md 1.1.8: the quantifiers are the words of a filter that are recognised in any case. */
function toQuantifier(word: string): 'any' | 'all' | null {
  const lower = word.toLowerCase();
  return lower === 'any' || lower === 'all' ? lower : null;
}

const ESCAPE_ADVICE = 'percent-encode punctuation inside values, e.g. ":" as %3A and "," as %2C';

function checkEndOfOperand(cursor: TokenCursor, operand: Operand): void {
  switch (cursor.token.kind) {
    case 'end':
    case '/':
    case '@':
    case '&':
    case ';':
    case ')':
      return;
    case '::':
      throw cursor.error('::null:: is not a value; test for it with name::null::');
    case ',':
      throw cursor.error(
        'several values need a quantifier, as in id=any(1,2); a comma inside a value is written as %2C',
      );
    default:
      throw cursor.error(
        operand.kind === 'literal'
          ? `not allowed in a value; ${ESCAPE_ADVICE}`
          : 'expected "&", ";", "/" or the end after a list of values',
      );
  }
}
