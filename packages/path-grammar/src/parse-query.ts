import type { QueryParam, QueryParams, Word } from './ast.js';
import { tokenize } from './lexer.js';
import { toWord } from './parse-words.js';
import { TokenCursor } from './token-cursor.js';

/**
 * Parses what follows `?` (spec/catalog-data.md 1.2, `query`); offsets count from the start of `source`, which may be a
 * whole target with the query beginning at `from`. Nothing at all is no parameters. Parameters keep the order and the
 * repetitions of the URL; `queryValues` reads them as the sets they mean. Throws PathSyntaxError.
 */
export function parseQuery(source: string, from = 0): QueryParams {
  const cursor = new TokenCursor(source, tokenize(source, from, source.length, { plus: 'blank' }));
  const params: QueryParam[] = [];
  if (cursor.at('end')) return Object.freeze(params);
  do params.push(parseParam(cursor));
  while (cursor.skip('&') || cursor.skip(';'));
  if (!cursor.at('end')) throw cursor.error(PUNCTUATION_ADVICE);
  return Object.freeze(params);
}

/**
 * The values of a parameter over all its occurrences, in order and with repetitions; `k` and `k=` count as one empty
 * value. Null when the parameter is absent. Names are case-sensitive.
 */
export function queryValues(params: QueryParams, name: string): readonly Word[] | null {
  const occurrences = params.filter((param) => param.name.text === name);
  if (occurrences.length === 0) return null;
  return occurrences.flatMap((param) =>
    param.values.length > 0 ? param.values : [{ text: '', offset: param.name.offset }],
  );
}

const PUNCTUATION_ADVICE = 'parameters are written name=value&name=value; percent-encode punctuation inside values';

function parseParam(cursor: TokenCursor): QueryParam {
  const name = toWord(cursor.expect('string', 'expected the name of a query parameter'));
  const values: Word[] = [];
  if (cursor.skip('=') && (cursor.at('string') || cursor.at(','))) {
    do values.push(toWord(cursor.expect('string', 'expected a value between commas; write a literal comma as %2C')));
    while (cursor.skip(','));
  }
  return Object.freeze({ name, values: Object.freeze(values) });
}
