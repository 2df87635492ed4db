import type { DataRequest, DataResource, QueryParams, Sort, Word } from './ast.js';
import { queryValues } from './parse-query.js';
import { PathSyntaxError } from './syntax-error.js';

export type DataMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';

/** What the query string means for one request; parameters without effect there are at their default. */
export interface DataOptions {
  /** Rows at most; null for no limit. */
  readonly limit: bigint | null;
  /** Media type or short form as given, unchecked: an unsupported one falls back to the header. */
  readonly accept: string | null;
  /** Base name of the file to offer; null when none was given. */
  readonly download: string | null;
  /** `arrays=json`: arrays in CSV as JSON text. */
  readonly jsonArrays: boolean;
  /** Columns that take the server default on POST entity. */
  readonly defaults: readonly Word[];
  /** Columns that take the input although they would be defaulted on POST entity. */
  readonly nondefaults: readonly Word[];
  readonly onConflict: 'abort' | 'skip';
}

/**
 * Reads the query parameters by the table of spec/catalog-data.md 1.4: each has effect on certain methods and resources
 * and none elsewhere, even when its value is nonsense. Also refuses what can be told without a model: `limit` or
 * modifiers on DELETE, and `@before` without a limit (3.9). Throws PathSyntaxError.
 */
export function interpretQuery(request: DataRequest, method: DataMethod): DataOptions {
  const { resource, query } = request;
  const reading = method === 'GET' || method === 'HEAD';
  const tabular = resource.kind !== 'entity_rid';
  const limited = reading && sortable(resource);
  const creating = method === 'POST' && resource.kind === 'entity';
  if (method === 'DELETE') refuseOnDelete(resource, query);

  const limit = limited ? readLimit(query) : null;
  if (limited) checkBackwardPaging(resource.sort, limit);
  return Object.freeze({
    limit,
    accept: tabular && method !== 'DELETE' ? readSingle(query, 'accept') : null,
    download: tabular && reading ? readSingle(query, 'download') : null,
    jsonArrays: tabular && reading && (queryValues(query, 'arrays') ?? []).some((value) => value.text === 'json'),
    defaults: creating ? readNames(query, 'defaults') : [],
    nondefaults: creating ? readNames(query, 'nondefaults') : [],
    onConflict: creating ? readOnConflict(query) : 'abort',
  });
}

type SortableResource = Extract<DataResource, { sort: Sort | null }>;

function sortable(resource: DataResource): resource is SortableResource {
  return 'sort' in resource;
}

/** The reference ignores these on DELETE and removes everything the path denotes; that is no surprise to give anybody. */
function refuseOnDelete(resource: DataResource, query: QueryParams): void {
  const limit = query.find((param) => param.name.text === 'limit');
  if (limit !== undefined) {
    throw new PathSyntaxError('"limit" has no meaning on DELETE; narrow the path instead.', limit.name.offset, 'limit');
  }
  if (sortable(resource) && resource.sort !== null) {
    throw new PathSyntaxError(
      '"@sort" and paging have no meaning on DELETE; narrow the path instead.',
      resource.sort.offset,
      '@sort',
    );
  }
}

function checkBackwardPaging(sort: Sort | null, limit: bigint | null): void {
  if (sort === null || sort.before === null || sort.after !== null || limit !== null) return;
  throw new PathSyntaxError(
    '"@before" answers the last rows in front of the key: say how many with the parameter limit=<number>.',
    sort.before.offset,
    '@before',
  );
}

const GREATEST_LIMIT = 2n ** 63n - 1n;

function readLimit(query: QueryParams): bigint | null {
  const value = readOnly(query, 'limit');
  if (value === null || value.text === '' || value.text.toLowerCase() === 'none') return null;
  const digits = /^0*([0-9]{1,19})$/.exec(value.text)?.[1];
  const limit = digits === undefined ? null : BigInt(digits);
  if (limit === null || limit > GREATEST_LIMIT) {
    throw invalid('limit', value, 'is a decimal number from 0 to 2^63-1, or "none"');
  }
  return limit;
}

function readSingle(query: QueryParams, name: string): string | null {
  const value = readOnly(query, name);
  return value === null || value.text === '' ? null : value.text;
}

/** The value of a parameter that takes one; saying the same twice is one value, because values are a set. */
function readOnly(query: QueryParams, name: string): Word | null {
  const [first, ...others] = queryValues(query, name) ?? [];
  if (first === undefined) return null;
  const second = others.find((other) => other.text !== first.text);
  if (second !== undefined) throw invalid(name, second, 'takes one value; write a comma inside it as %2C');
  return first;
}

function readNames(query: QueryParams, name: string): readonly Word[] {
  const seen = new Set<string>(['']);
  return (queryValues(query, name) ?? []).filter((value) => !seen.has(value.text) && seen.add(value.text));
}

/** spec/catalog-data.md 1.4: empty or repeated is refused, the same word twice included. */
function readOnConflict(query: QueryParams): 'abort' | 'skip' {
  const values = queryValues(query, 'onconflict');
  if (values === null) return 'abort';
  const [value, repeated] = values;
  const word = value?.text.toLowerCase();
  if (repeated === undefined && (word === 'abort' || word === 'skip')) return word;
  throw invalid('onconflict', repeated ?? value ?? { text: '', offset: 0 }, 'is given once, as "abort" or "skip"');
}

function invalid(name: string, value: Word, rule: string): PathSyntaxError {
  const text = value.text.length > 60 ? `${value.text.slice(0, 60)}…` : value.text;
  return new PathSyntaxError(
    `Query parameter "${name}" ${rule}; found "${text}" at position ${value.offset}.`,
    value.offset,
    value.text,
  );
}
