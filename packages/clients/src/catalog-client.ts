import type { JsonRow } from '@holdfast/tabular';
import { type DataAnswer, dataAnswer } from './data-answer.js';
import type { HttpClient, HttpRequest, RequestBody } from './http-client.js';
import { encodeName, queryString, tableName } from './url-path.js';

/** How a call may be ended. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** What the service says about itself (seed document 1, service advertisement). */
export interface Advertisement {
  readonly version: string;
  readonly features: Readonly<Record<string, unknown>>;
}

/** The description of a catalog (spec/catalog-model.md 3.3). */
export interface CatalogDescription {
  readonly id: string;
  /** Snapshot id of the latest change, or of the snapshot addressed. */
  readonly snaptime: string;
  readonly rights: Readonly<Record<string, boolean>>;
  readonly annotations: Readonly<Record<string, unknown>>;
  /** Everything else the service told. */
  readonly [member: string]: unknown;
}

/** Media type of rows asked for or sent. */
export type RowFormat = 'text/csv' | 'application/json' | 'application/x-json-stream';

/** How a query is answered. */
export interface QueryOptions extends CallOptions {
  /** Default `application/json`. */
  readonly accept?: RowFormat;
  /** Snapshot id: the query sees the catalog as it was then. */
  readonly snapshot?: string;
}

/** Rows to send: objects (sent as a JSON stream), or bytes in a format that `contentType` names. */
export type RowsInput =
  | { readonly kind: 'objects'; readonly rows: Iterable<object> | AsyncIterable<object> }
  | { readonly kind: 'bytes'; readonly contentType: RowFormat; readonly content: RequestBody };

/** How rows are created (spec/catalog-data.md 7). */
export interface CreateOptions extends CallOptions {
  /** Columns filled with their defaults, whatever the input says. */
  readonly defaults?: readonly string[];
  /** System columns taken from the input. */
  readonly nondefaults?: readonly string[];
  readonly onconflict?: 'abort' | 'skip';
  /** Format of the answer; default: that of the input. */
  readonly accept?: RowFormat;
}

/** The catalog service. */
export interface CatalogClient {
  advertisement(options?: CallOptions): Promise<Advertisement>;
  createCatalog(
    input?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<Catalog & { readonly id: string }>;
  /** @param id of a catalog or alias; nothing is asked of the server yet */
  catalog(id: string): Catalog;
}

/** One catalog. */
export interface Catalog {
  describe(options?: CallOptions & { readonly snapshot?: string }): Promise<CatalogDescription>;
  remove(options?: CallOptions): Promise<void>;
  /** The whole model. */
  schema(options?: CallOptions & { readonly snapshot?: string }): Promise<unknown>;
  /** Creates schemas, tables and foreign keys in one request; answers their full documents. */
  createModel(documents: readonly object[], options?: CallOptions): Promise<readonly unknown[]>;
  /** @param path below the catalog, encoded: `/entity/zoo:animal/legs=4` */
  query(path: string, options?: QueryOptions): Promise<DataAnswer>;
  /** The rows of a query as objects, one at a time. */
  rows(path: string, options?: Omit<QueryOptions, 'accept'>): AsyncGenerator<JsonRow>;
  createEntities(table: TableReference, rows: RowsInput, options?: CreateOptions): Promise<DataAnswer>;
  /** @param path `/entity/S:T` or `/attributegroup/S:T/key;columns` */
  update(path: string, rows: RowsInput, options?: CallOptions): Promise<DataAnswer>;
  /** Deletes what a path stands for. */
  deleteRows(path: string, options?: CallOptions): Promise<void>;
}

/** A table by its names, or one name that is unique in the catalog. */
export type TableReference = string | { readonly schema: string; readonly table: string };

/**
 * A client of the catalog service.
 * @param prefix where the service answers, default `/data`
 */
export function catalogClient(http: HttpClient, prefix = '/data'): CatalogClient {
  const catalog = (id: string): Catalog => catalogAt(http, `${prefix}/catalog/${encodeName(id)}`);
  return {
    advertisement: async (options) => {
      const { version, features } = await document(http, { method: 'GET', path: `${prefix}/`, ...options });
      return { version: String(version), features: asRecord(features) };
    },
    createCatalog: async (input, options) => {
      const created = await document(http, {
        method: 'POST',
        path: `${prefix}/catalog`,
        ...(input === undefined ? {} : json(input)),
        ...options,
      });
      const id = String(created.id);
      return { ...catalog(id), id };
    },
    catalog,
  };
}

function catalogAt(http: HttpClient, base: string): Catalog {
  const at = (snapshot: string | undefined): string =>
    snapshot === undefined ? base : `${base}@${encodeName(snapshot)}`;
  const query: Catalog['query'] = async (path, { accept = 'application/json', snapshot, signal } = {}) =>
    dataAnswer(
      await http.request({
        method: 'GET',
        path: `${at(snapshot)}${path}`,
        headers: { accept },
        ...(signal === undefined ? {} : { signal }),
      }),
    );
  return {
    describe: async ({ snapshot, ...options } = {}) =>
      description(await document(http, { method: 'GET', path: at(snapshot), ...options })),
    remove: async (options) => {
      await (await http.request({ method: 'DELETE', path: base, ...options })).discard();
    },
    schema: async ({ snapshot, ...options } = {}) =>
      (await http.request({ method: 'GET', path: `${at(snapshot)}/schema`, ...options })).json(),
    createModel: async (documents, options) => {
      const answer = await http.request({ method: 'POST', path: `${base}/schema`, ...json(documents), ...options });
      const created = await answer.json();
      return Array.isArray(created) ? created : [created];
    },
    query,
    rows: async function* (path, options = {}) {
      yield* (await query(path, { ...options, accept: 'application/x-json-stream' })).rows();
    },
    createEntities: (table, rows, { defaults, nondefaults, onconflict, accept, ...options } = {}) => {
      const parameters = queryString({
        defaults: names(defaults),
        nondefaults: names(nondefaults),
        onconflict,
      });
      return sendRows(http, { method: 'POST', path: `${base}/entity/${tableName(table)}${parameters}` }, rows, {
        accept,
        ...options,
      });
    },
    update: (path, rows, options) => sendRows(http, { method: 'PUT', path: `${base}${path}` }, rows, options ?? {}),
    deleteRows: async (path, options) => {
      await (await http.request({ method: 'DELETE', path: `${base}${path}`, ...options })).discard();
    },
  };
}

async function sendRows(
  http: HttpClient,
  request: Pick<HttpRequest, 'method' | 'path'>,
  rows: RowsInput,
  options: CallOptions & { readonly accept?: RowFormat | undefined },
): Promise<DataAnswer> {
  const { accept, ...rest } = options;
  const contentType = rows.kind === 'bytes' ? rows.contentType : 'application/x-json-stream';
  return dataAnswer(
    await http.request({
      ...request,
      ...rest,
      headers: { 'content-type': contentType, accept: accept ?? contentType },
      body: rows.kind === 'bytes' ? rows.content : jsonLines(rows.rows),
    }),
  );
}

async function* jsonLines(rows: Iterable<object> | AsyncIterable<object>): AsyncGenerator<string> {
  let lines = '';
  for await (const row of rows) {
    lines += `${JSON.stringify(row)}\n`;
    if (lines.length < 32 * 1024) continue;
    yield lines;
    lines = '';
  }
  if (lines !== '') yield lines;
}

async function document(http: HttpClient, request: HttpRequest): Promise<Readonly<Record<string, unknown>>> {
  return asRecord(await (await http.request(request)).json());
}

function description(answer: Readonly<Record<string, unknown>>): CatalogDescription {
  const rights = Object.entries(asRecord(answer.rights)).map(([name, value]) => [name, value === true] as const);
  return {
    ...answer,
    id: String(answer.id),
    snaptime: String(answer.snaptime),
    rights: Object.fromEntries(rights),
    annotations: asRecord(answer.annotations),
  };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function names(columns: readonly string[] | undefined): string | undefined {
  return columns === undefined || columns.length === 0 ? undefined : columns.map(encodeName).join(',');
}

function json(value: unknown): Pick<HttpRequest, 'headers' | 'body'> {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}
