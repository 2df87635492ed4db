import { AppError } from '@holdfast/http-kit';
import type { GivenRange } from '../history/history-range.js';
import { decodeRevision } from '../history/resolve-snapshot.js';

/** A resource below `<C>/history/` (spec/catalog-access.md 10). */
export interface HistoryTarget {
  readonly range: GivenRange;
  readonly part: HistoryPart;
}

export type HistoryPart =
  | { readonly kind: 'range' }
  /** RID of the element; null for the catalog. */
  | { readonly kind: 'acl' | 'annotation'; readonly subject: string | null }
  | { readonly kind: 'acl_binding'; readonly subject: string }
  | { readonly kind: 'attribute'; readonly column: string; readonly filter: HistoryFilter | null };

export interface HistoryFilter {
  readonly column: string;
  /** As the URL has it, decoded. */
  readonly value: string;
}

/**
 * Reads the path of a history resource.
 * @param path raw, behind the catalog segment, without the query: `history/2PX-...,`
 * @throws {AppError} `not_found` for no resource, `bad_range` or `bad_snapshot` for a malformed range
 */
export function parseHistoryTarget(path: string): HistoryTarget {
  const [, range, ...rest] = path.split('/');
  if (rest.at(-1) === '') rest.pop();
  if (range === undefined || range === '')
    throw new AppError(
      'not_found',
      'A history resource names its range: history/<from>,<to>, where either may be empty.',
    );
  return { range: parseRange(decoded(range)), part: parsePart(rest) };
}

function parseRange(text: string): GivenRange {
  const bounds = text.split(',');
  const [from = '', to = ''] = bounds;
  if (bounds.length !== 2)
    throw new AppError(
      'bad_range',
      'A range of history is two snapshots with a comma between them; either may be left out.',
    );
  return { from: parseBound(from), to: parseBound(to) };
}

function parseBound(text: string): bigint | null {
  return text === '' ? null : decodeRevision(text);
}

function parsePart([word, first, second, ...others]: readonly string[]): HistoryPart {
  if (word === undefined) return { kind: 'range' };
  const subject = first === undefined ? null : decoded(first);
  if (others.length === 0 && subject !== '') {
    if ((word === 'acl' || word === 'annotation') && second === undefined) return { kind: word, subject };
    if (word === 'acl_binding' && subject !== null && second === undefined) return { kind: word, subject };
    if (word === 'attribute' && subject !== null)
      return { kind: word, column: subject, filter: second === undefined ? null : parseFilter(second) };
  }
  throw new AppError('not_found', 'There is no such resource in the history of a catalog.');
}

function parseFilter(raw: string): HistoryFilter {
  const position = raw.indexOf('=');
  if (position < 1) throw new AppError('bad_syntax', 'A filter is the RID of a column, an equals sign and a value.');
  return { column: decoded(raw.slice(0, position)), value: decoded(raw.slice(position + 1)) };
}

function decoded(raw: string): string {
  try {
    const text = decodeURIComponent(raw);
    if (!text.includes('\u0000')) return text;
  } catch {
    // told below
  }
  throw new AppError('bad_syntax', `${JSON.stringify(raw.slice(0, 100))} is no well-formed part of a URL.`);
}
