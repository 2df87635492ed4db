import { BagWriteError, PayloadPaths } from '@holdfast/bagit';
import { AppError } from '@holdfast/http-kit';
import { type CatalogServer, findCatalogServer } from './catalog-host.js';
import { badRequest, type ObjectReader, readObject } from './document-reader.js';
import type { ExportKind, ExportQuery, ExportRequest } from './export-request.js';
import {
  type Lookup,
  namesOf,
  parseTemplate,
  render,
  resolveName,
  unknownVariable,
  variableText,
} from './interpolation.js';
import { safeOutputPath, tableOutputPath } from './output-path.js';
import { type BagDefaults, parseBag } from './parse-bag.js';
import { parseQuery } from './parse-query.js';
import { checkQueryPath, checkQueryPathStart } from './query-path.js';

/** What parsing needs to know beside the body. */
export interface RequestSettings {
  readonly catalogs: readonly CatalogServer[];
  readonly maxQueries: number;
  /** What `/file` does with a `bag` member. */
  readonly fileWithBag: 'ignore' | 'bag';
  readonly bagDefaults: BagDefaults;
  /** Names of processors that the operator has added. */
  readonly externalProcessors: ReadonlySet<string>;
}

/** Facts of the request that interpolation knows from the start. */
export interface RequestFacts {
  /** Segment the request was sent to. */
  readonly endpoint: ExportKind;
  readonly clientAddress: string;
  /** `{exportUrl}/file/<id>`. */
  readonly serviceUrl: string;
  readonly now: Date;
}

/** A name and a password. */
export interface Login {
  readonly username: string;
  readonly password: string;
}

/** The request made uniform, and what its log should say about it. */
export interface ParsedRequest {
  readonly request: ExportRequest;
  /** A login that the caller wants to be used for the catalog; it must not be stored. Null: none is asked for. */
  readonly login: Login | null;
  readonly warnings: readonly string[];
}

/**
 * Reads the body of an export request in either form and decides everything that can be decided before the catalog is asked
 * (spec/export.md 2, 3, 4, 6). Pure.
 * @throws {AppError} with the JSON pointer of the fault
 */
export function parseRequest(body: unknown, settings: RequestSettings, facts: RequestFacts): ParsedRequest {
  const root = readObject(body, '');
  const catalog = root.object('catalog');
  if (catalog === null) throw badRequest('/catalog', 'is missing.');
  const { server, hostname, id, snapshot, login } = parseCatalog(catalog, settings);
  const variables = initialVariables(root, hostname, facts);
  const initial: Lookup = (name) => {
    const text = variables.get(name);
    return text === undefined ? null : { text, source: 'request' };
  };
  refuseProcessors(root);
  root.raw('public');
  const bag = parseBagMember(root, settings, facts, initial);
  const { queries, warnings } = parseQueries(catalog, settings);
  checkQueries(queries, initial);
  const request: ExportRequest = {
    catalog: { publicHost: server.publicHost, hostname, id, snapshot },
    variables: Object.fromEntries(variables),
    queries,
    bag,
  };
  const unknown = root.unread().filter((pointer) => !/^\/catalog\/(?:queries|query_processors)\//.test(pointer));
  return {
    request,
    login,
    warnings: [...unknown.map((pointer) => `${pointer} is not known and was ignored`), ...warnings],
  };
}

function parseCatalog(catalog: ObjectReader, settings: RequestSettings) {
  const host = catalog.string('host');
  const pointer = `${catalog.pointer}/host`;
  if (host === null || host === '') throw badRequest(pointer, 'is missing.');
  const server = findCatalogServer(host, settings.catalogs, pointer);
  const login = loginOf(catalog);
  const [id = '', snapshot = null] = catalogId(catalog).split('@', 2);
  return { server, hostname: host.replace(/^https?:\/\//, '').replace(/\/$/, ''), id, snapshot, login };
}

function catalogId(catalog: ObjectReader): string {
  const pointer = `${catalog.pointer}/catalog_id`;
  const path = catalog.string('path');
  const given = catalog.raw('catalog_id');
  if (given === undefined) {
    const inPath = /\/catalog\/([^/?#]+)\/?$/.exec(path ?? '')?.[1];
    return inPath === undefined ? '1' : checkedId(inPath, `${catalog.pointer}/path`);
  }
  if (typeof given !== 'string' && !Number.isSafeInteger(given))
    throw badRequest(pointer, 'must be a string or a whole number.');
  return checkedId(String(given), pointer);
}

function checkedId(id: string, pointer: string): string {
  // one segment as it stands in the URL: unreserved characters, and one @ before a snapshot
  if (!/^[A-Za-z0-9._~-]+(?:@[A-Za-z0-9._~-]+)?$/.test(id) || /^\.{1,2}$/.test(id)) {
    throw badRequest(pointer, 'must be the id of a catalog, or id@snapshot.');
  }
  return id;
}

/** Tokens are never taken: they belong into the request's own header (spec/export.md 2.3). */
function loginOf(catalog: ObjectReader): Login | null {
  for (const name of ['token', 'oauth2_token']) {
    if (catalog.has(name)) {
      throw badRequest(`${catalog.pointer}/${name}`, 'is refused: send the credential as a cookie or bearer token.');
    }
  }
  const username = catalog.string('username') ?? '';
  const password = catalog.string('password') ?? '';
  if (username === '') return null;
  if (password === '') throw badRequest(`${catalog.pointer}/password`, 'is missing: username needs it.');
  return { username, password };
}

function initialVariables(root: ObjectReader, hostname: string, facts: RequestFacts): Map<string, string> {
  const variables = new Map([
    ['request_ip', facts.clientAddress],
    ['service_url', facts.serviceUrl],
    ['deriva_service_url', facts.serviceUrl],
  ]);
  const env = root.object('env');
  for (const name of env?.names() ?? []) {
    const value = env?.raw(name) ?? null;
    if (typeof value === 'object' && value !== null)
      throw badRequest(`/env/${name}`, 'must be a string, number, boolean or null.');
    variables.set(name, variableText(value));
  }
  variables.set('hostname', hostname);
  return variables;
}

/** None is enabled, and one that is asked for is never passed over in silence (spec/export.md 12). */
function refuseProcessors(root: ObjectReader): void {
  for (const name of ['transform_processors', 'post_processors']) {
    const list = root.array(name) ?? [];
    if (list.length > 0) throw badRequest(`/${name}`, 'asks for processors that are not enabled here; leave it out.');
  }
}

function parseBagMember(
  root: ObjectReader,
  settings: RequestSettings,
  facts: RequestFacts,
  initial: Lookup,
): ExportRequest['bag'] {
  // a browser client always sends it, also with file exports, where it must not count (spec/export.md 2.2)
  if (facts.endpoint === 'file' && settings.fileWithBag === 'ignore') {
    root.raw('bag');
    return null;
  }
  const bag = root.object('bag');
  if (bag !== null) return parseBag(bag, settings.bagDefaults, initial, facts.now);
  if (facts.endpoint === 'bag') throw badRequest('/bag', 'is missing.');
  return null;
}

function parseQueries(
  catalog: ObjectReader,
  settings: RequestSettings,
): { readonly queries: ExportQuery[]; readonly warnings: readonly string[] } {
  const lists = (['queries', 'query_processors'] as const).flatMap((name) => {
    const list = catalog.array(name);
    return list === null ? [] : [{ name, list }];
  });
  const [found] = lists;
  if (found === undefined) throw badRequest(`${catalog.pointer}/queries`, 'is missing.');
  if (lists.length > 1) throw badRequest(catalog.pointer, 'has both queries and query_processors; say one of them.');
  const pointer = `${catalog.pointer}/${found.name}`;
  if (found.list.length === 0) throw badRequest(pointer, 'must have at least one query.');
  if (found.list.length > settings.maxQueries)
    throw badRequest(pointer, `may have ${settings.maxQueries} queries at most.`);
  const parsed = found.list.map((value, index) =>
    parseQuery(value, `${pointer}/${index}`, settings.externalProcessors),
  );
  return {
    queries: parsed.flatMap(({ query }) => (query === null ? [] : [query])),
    warnings: parsed.flatMap((each) => each.warnings),
  };
}

/** Everything about templates and paths that is visible before the first query runs. */
function checkQueries(queries: readonly ExportQuery[], initial: Lookup): void {
  const known = new Set<string>();
  let anything = false;
  const paths = new PayloadPaths();
  for (const query of queries) {
    const isKnown = (name: string): boolean =>
      anything ||
      resolveName(name, (part) => (known.has(part) ? { text: '', source: 'data' } : initial(part))) !== null;
    checkQueryPathTemplate(query, initial, isKnown);
    if (query.kind === 'table') checkTableOutput(query, initial, isKnown, paths);
    if (query.kind === 'fetch' || query.kind === 'download') checkAssetOutput(query, initial);
    if (query.kind === 'external') checkExternalOutput(query, initial, isKnown);
    if (query.kind !== 'env') continue;
    if (query.keys === null) anything = true;
    for (const key of query.keys ?? []) known.add(key);
  }
}

function checkQueryPathTemplate(query: ExportQuery, initial: Lookup, isKnown: (name: string) => boolean): void {
  const pointer = `${query.pointer}/query_path`;
  const template = parseTemplate(query.queryPath, pointer);
  for (const name of namesOf(template)) if (!isKnown(name)) throw unknownVariable(name, pointer);
  const constant = constantText(query.queryPath, pointer, initial);
  if (constant === null) checkQueryPathStart(template, pointer);
  else checkQueryPath(constant, pointer);
}

function checkTableOutput(
  query: Extract<ExportQuery, { readonly kind: 'table' }>,
  initial: Lookup,
  isKnown: (name: string) => boolean,
  paths: PayloadPaths,
): void {
  const pointer = `${query.pointer}/output_path`;
  for (const name of namesOf(parseTemplate(query.outputPath, pointer))) {
    if (!isKnown(name)) throw unknownVariable(name, pointer);
  }
  const constant = constantText(query.outputPath, pointer, initial);
  if (constant === null) return;
  const path = tableOutputPath(constant, query.format, pointer);
  claim(paths, path, pointer);
}

/** Rows give variables of their own here: only what is constant can be checked. */
function checkAssetOutput(query: Extract<ExportQuery, { readonly kind: 'fetch' | 'download' }>, initial: Lookup): void {
  for (const [text, name] of [
    [query.outputPath, 'output_path'],
    [query.outputFilename ?? '', 'output_filename'],
  ] as const) {
    const pointer = `${query.pointer}/${name}`;
    const constant = constantText(text, pointer, initial);
    if (constant !== null && constant !== '') safeOutputPath(constant, pointer);
  }
}

function checkExternalOutput(
  query: Extract<ExportQuery, { readonly kind: 'external' }>,
  initial: Lookup,
  isKnown: (name: string) => boolean,
): void {
  for (const [text, name] of [
    [query.outputPath, 'output_path'],
    [query.outputFilename ?? '', 'output_filename'],
  ] as const) {
    const pointer = `${query.pointer}/${name}`;
    for (const variable of namesOf(parseTemplate(text, pointer))) {
      if (!isKnown(variable)) throw unknownVariable(variable, pointer);
    }
    const constant = constantText(text, pointer, initial);
    if (constant !== null && constant !== '') safeOutputPath(constant, pointer);
  }
}

/** The text with its variables, if all of them are known from the start; templates that cannot be read are refused. */
function constantText(text: string, pointer: string, initial: Lookup): string | null {
  const template = parseTemplate(text, pointer);
  if (namesOf(template).some((name) => resolveName(name, initial) === null)) return null;
  return render(template, initial, pointer);
}

function claim(paths: PayloadPaths, path: string, pointer: string): void {
  try {
    paths.claim(path);
  } catch (error) {
    if (error instanceof BagWriteError)
      throw new AppError('bad_path', `${pointer}: ${error.message}.`, { cause: error });
    throw error;
  }
}
