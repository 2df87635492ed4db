/** What the request headers ask of the present state. */
export interface PreconditionInput {
  readonly method: string;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** Quoted entity tag of the present state; null when there is no state. */
  readonly etag: string | null;
}

/** `proceed`; `not_modified`: 304 on a read; `if_match_failed`, `if_none_match_failed`: 412 (see {@link WireProfile}). */
export type PreconditionOutcome = 'proceed' | 'not_modified' | 'if_match_failed' | 'if_none_match_failed';

/**
 * Evaluates `If-Match` and `If-None-Match` (RFC 9110; spec/objectstore.md 3.2, spec/catalog-data.md 8.4). Lists, `*` and weak
 * tags are understood, a `-gzip` suffix that some proxies add is ignored, and so is a header that cannot be read.
 */
export function evaluatePreconditions(input: PreconditionInput): PreconditionOutcome {
  const match = parseTagList(input.ifMatch);
  if (match !== null && !matches(match, input.etag)) return 'if_match_failed';
  const noneMatch = parseTagList(input.ifNoneMatch);
  if (noneMatch !== null && matches(noneMatch, input.etag)) {
    return input.method === 'GET' || input.method === 'HEAD' ? 'not_modified' : 'if_none_match_failed';
  }
  return 'proceed';
}

type TagList = '*' | readonly string[];

/** Tags without `W/` and quotes; null when the header is absent or broken. */
function parseTagList(header: string | undefined): TagList | null {
  if (header === undefined) return null;
  const text = header.trim();
  if (text === '*') return '*';
  if (!/^\s*(W\/)?"[^"]*"\s*(,\s*(W\/)?"[^"]*"\s*)*$/.test(text)) return null;
  return [...text.matchAll(/"([^"]*)"/g)].map((found) => withoutGzip(found[1] ?? ''));
}

function matches(list: TagList, etag: string | null): boolean {
  if (etag === null) return false;
  return list === '*' || list.includes(withoutGzip(etag.replaceAll('"', '')));
}

function withoutGzip(tag: string): string {
  return tag.endsWith('-gzip') ? tag.slice(0, -'-gzip'.length) : tag;
}
