import { tokenize } from './lexer.js';
import { toWord } from './parse-words.js';
import { TokenCursor } from './token-cursor.js';

export interface CatalogTarget {
  readonly cid: string;
  /** The snapshot after `@`, decoded; null when the target names none. */
  readonly revision: string | null;
  /** What follows the slash behind the catalog segment, raw and with the query; only the query when there is no slash. */
  readonly rest: string;
  /** Where `rest` begins. */
  readonly restOffset: number;
}

/**
 * Splits the raw part of a request target behind `/catalog/`: `<cid>[@<revision>][/<rest>][?<query>]`.
 * Throws PathSyntaxError when the catalog segment is not of that form (an `@` with nothing after it included).
 */
export function splitCatalogTarget(rawAfterCatalogSlash: string): CatalogTarget {
  const end = /^[^/?]*/.exec(rawAfterCatalogSlash)?.[0].length ?? 0;
  const cursor = new TokenCursor(rawAfterCatalogSlash, tokenize(rawAfterCatalogSlash, 0, end, { plus: 'error' }));
  const cid = toWord(cursor.expect('string', 'expected a catalog id')).text;
  const revision = cursor.skip('@') ? cursor.expect('string', 'expected a snapshot id after "@"').text : null;
  if (!cursor.at('end')) throw cursor.error('a catalog is addressed as <id> or <id>@<snapshot>');
  const restOffset = rawAfterCatalogSlash.charAt(end) === '/' ? end + 1 : end;
  return Object.freeze({ cid, revision, rest: rawAfterCatalogSlash.slice(restOffset), restOffset });
}

/** Where the path in `source` ends, and where its query begins (null without `?`), looking from `from` on. */
export function splitQuery(
  source: string,
  from: number,
): { readonly pathEnd: number; readonly queryStart: number | null } {
  const mark = source.indexOf('?', from);
  return mark < 0 ? { pathEnd: source.length, queryStart: null } : { pathEnd: mark, queryStart: mark + 1 };
}
