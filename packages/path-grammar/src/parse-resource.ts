import type { AttributeGroupResource, DataRequest, DataResource, GroupItem, Path } from './ast.js';
import { tokenize } from './lexer.js';
import { parseModifiers } from './parse-modifiers.js';
import { parsePath } from './parse-path.js';
import { parseAggregateList, parseAttributeList, parseGroupList, parseKeyList } from './parse-projection.js';
import { parseQuery } from './parse-query.js';
import { toWord } from './parse-words.js';
import { splitCatalogTarget, splitQuery } from './split-target.js';
import { UnknownResourceError } from './syntax-error.js';
import { TokenCursor } from './token-cursor.js';

/** A parsed data URL together with the catalog it addresses. */
export interface DataUrl extends DataRequest {
  readonly cid: string;
  /** The snapshot after `@`, decoded but not interpreted; null for the live catalog. */
  readonly revision: string | null;
}

/**
 * Parses the raw (still percent-encoded) part of a request target behind `/catalog/`, e.g. `1@30V-VE0B/entity/S:T?limit=5`.
 * Offsets in the result and in errors count from the start of `target`.
 * Throws PathSyntaxError (400) or, for an unknown resource word, UnknownResourceError (404).
 */
export function parseDataUrl(target: string): DataUrl {
  const { cid, revision, restOffset } = splitCatalogTarget(target);
  return Object.freeze({ cid, revision, ...parseAt(target, restOffset) });
}

/**
 * Parses the raw part behind the catalog segment, e.g. `attribute/S:T/id=1/name@sort(name)?limit=5`.
 * Offsets count from the start of `raw`. Throws as `parseDataUrl`.
 */
export function parseResource(raw: string): DataRequest {
  return Object.freeze(parseAt(raw, 0));
}

/** The resource word of a raw target part (up to the first `/`, `?` or the end), as written: `entity`, `schema`, ... */
export function resourceWord(rest: string): string {
  return /^[^/?]*/.exec(rest)?.[0] ?? '';
}

function parseAt(source: string, from: number): DataRequest {
  const word = resourceWord(source.slice(from));
  const { pathEnd, queryStart } = splitQuery(source, from);
  const parse = RESOURCES.get(word);
  if (parse === undefined) {
    throw new UnknownResourceError(
      `There is no resource "${word.slice(0, 60)}" here; data resources are ${[...RESOURCES.keys()].join(', ')}.`,
      from,
      word,
    );
  }
  const bodyStart = Math.min(from + word.length + 1, pathEnd);
  const cursor = new TokenCursor(source, tokenize(source, bodyStart, pathEnd, { plus: 'error' }));
  const resource = Object.freeze(parse(cursor));
  if (!cursor.at('end')) throw trailingText(cursor);
  return { resource, query: queryStart === null ? Object.freeze([]) : parseQuery(source, queryStart) };
}

const RESOURCES: ReadonlyMap<string, (cursor: TokenCursor) => DataResource> = new Map([
  ['entity', parseEntity],
  ['attribute', parseAttribute],
  ['attributegroup', parseAttributeGroup],
  ['aggregate', parseAggregate],
  ['entity_rid', parseEntityRid],
]);

function parseEntity(cursor: TokenCursor): DataResource {
  const path = parsePath(cursor, Number.POSITIVE_INFINITY);
  return { kind: 'entity', path, sort: parseModifiers(cursor) };
}

function parseAttribute(cursor: TokenCursor): DataResource {
  const path = parsePathBeforeProjection(cursor);
  return { kind: 'attribute', path, projection: parseAttributeList(cursor), sort: parseModifiers(cursor) };
}

function parseAttributeGroup(cursor: TokenCursor): AttributeGroupResource {
  const path = parsePathBeforeProjection(cursor);
  const keys = parseKeyList(cursor);
  const projection: readonly GroupItem[] = cursor.skip(';') ? parseGroupList(cursor) : Object.freeze([]);
  return { kind: 'attributegroup', path, keys, projection, sort: parseModifiers(cursor) };
}

function parseAggregate(cursor: TokenCursor): DataResource {
  const path = parsePathBeforeProjection(cursor);
  const projection = parseAggregateList(cursor);
  const start = cursor.token;
  // spec/catalog-data.md 1.2: modifiers parse here and are then refused, so that their own faults are named first
  if (parseModifiers(cursor) !== null) {
    throw cursor.error('an aggregate is one row: there is nothing to sort or to page', start);
  }
  return { kind: 'aggregate', path, projection };
}

/** spec/catalog-data.md 6.5: an empty row id or a further segment is no resource (404), other faults are syntax. */
function parseEntityRid(cursor: TokenCursor): DataResource {
  if (cursor.at('end') || cursor.at('/')) throw noSuchRow(cursor);
  const rid = toWord(cursor.expect('string', 'expected a row id'));
  if (cursor.at('/')) throw noSuchRow(cursor);
  return { kind: 'entity_rid', rid };
}

function noSuchRow(cursor: TokenCursor): UnknownResourceError {
  const { offset, text } = cursor.token;
  return new UnknownResourceError('entity_rid is followed by exactly one row id: entity_rid/1-X140.', offset, text);
}

/** A raw slash never stands inside a filter or list, so the last one is where the projection begins. */
function parsePathBeforeProjection(cursor: TokenCursor): Path {
  let end = cursor.index;
  for (let at = cursor.index; cursor.peekAt(at).kind !== 'end'; at += 1) {
    if (cursor.peekAt(at).kind === '/') end = at;
  }
  const path = parsePath(cursor, end);
  if (cursor.at('@')) throw cursor.error(MODIFIERS_LAST);
  cursor.expect('/', 'expected "/" and then the columns to answer: .../table/column,column');
  return path;
}

const MODIFIERS_LAST = 'modifiers stand at the very end of the path, behind the projection';

function trailingText(cursor: TokenCursor): Error {
  switch (cursor.token.kind) {
    case '/':
      return cursor.error(MODIFIERS_LAST);
    case ';':
      return cursor.error('only attributegroup has a second list after ";"');
    default:
      return cursor.error('expected ",", a modifier such as @sort(...), or the end');
  }
}
