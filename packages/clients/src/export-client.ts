import type { CallOptions } from './catalog-client.js';
import type { HttpAnswer, HttpClient } from './http-client.js';
import { encodeName } from './url-path.js';

/** What an export makes: a file for each query, or one bag. */
export type ExportKind = 'file' | 'bag';

/** An export that has ended well. */
export interface FinishedExport {
  readonly id: string;
  /** Where the results are, in the order of the queries. */
  readonly urls: readonly string[];
}

/** How far an export is (spec/export.md 10.2). */
export interface ExportStatus {
  readonly id: string;
  readonly state: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';
  readonly results: readonly ExportResult[];
  readonly error: { readonly status: number; readonly code: string; readonly detail: string } | null;
  /** Everything else the service told. */
  readonly [member: string]: unknown;
}

/** One file of an export. */
export interface ExportResult {
  readonly url: string;
  readonly path: string;
  readonly bytes: number;
  readonly [member: string]: unknown;
}

/** The export service. Requests are the documents of spec/export.md 2. */
export interface ExportClient {
  /** Exports and waits for the end, however long that takes. @throws {HttpError} when the export failed */
  run(kind: ExportKind, request: object, options?: CallOptions): Promise<FinishedExport>;
  /** Hands an export over and does not wait. */
  start(kind: ExportKind, request: object, options?: CallOptions): Promise<ExportStatus>;
  status(id: string, options?: CallOptions): Promise<ExportStatus>;
  /** Cancels an export, or discards a finished one. */
  cancel(id: string, options?: CallOptions): Promise<void>;
  log(id: string, options?: CallOptions): Promise<string>;
  /** Reads a result. @param url one of those the service named, or its path */
  fetch(url: string, options?: CallOptions & { readonly range?: string }): Promise<HttpAnswer>;
}

/**
 * A client of the export service.
 * @param prefix where the service answers, default `/export`
 */
export function exportClient(http: HttpClient, prefix = '/export'): ExportClient {
  return {
    run: async (kind, request, options) => {
      const answer = await post(http, `${prefix}/${kind}`, request, {}, options);
      const text = await answer.text();
      const urls = text === '' ? [] : text.split('\n');
      return { id: answer.headers['x-export-id'] ?? '', urls };
    },
    start: async (kind, request, options) => {
      const answer = await post(http, `${prefix}/${kind}`, request, { prefer: 'respond-async' }, options);
      return statusOf(await answer.json());
    },
    status: async (id, options) =>
      statusOf(
        await (await http.request({ method: 'GET', path: `${prefix}/job/${encodeName(id)}`, ...options })).json(),
      ),
    cancel: async (id, options) => {
      await (await http.request({ method: 'DELETE', path: `${prefix}/job/${encodeName(id)}`, ...options })).discard();
    },
    log: async (id, options) =>
      (await http.request({ method: 'GET', path: `${prefix}/file/${encodeName(id)}/log`, ...options })).text(),
    fetch: (url, { range, ...options } = {}) => {
      const target = new URL(url, http.origin);
      if (target.origin !== http.origin) {
        // the credential is for this server alone
        throw new TypeError(`${target.origin} is another server than ${http.origin}, which this client speaks to.`);
      }
      return http.request({
        method: 'GET',
        path: `${target.pathname}${target.search}`,
        headers: { range },
        redirects: 3,
        ...options,
      });
    },
  };
}

function post(
  http: HttpClient,
  path: string,
  request: object,
  headers: Readonly<Record<string, string>>,
  options: CallOptions | undefined,
): Promise<HttpAnswer> {
  return http.request({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(request),
    // an export of a large catalog takes hours, and nothing comes before its end
    idleTimeout: 0,
    ...options,
  });
}

const STATES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;

function statusOf(document: unknown): ExportStatus {
  const members = record(document);
  const state = STATES.find((known) => known === members.state);
  if (state === undefined || typeof members.id !== 'string') {
    throw new TypeError('The export service answered something that is not a status document.');
  }
  const results = Array.isArray(members.results) ? members.results.map(resultOf) : [];
  return { ...members, id: members.id, state, results, error: errorOf(members.error) };
}

function resultOf(value: unknown): ExportResult {
  const members = record(value);
  return { ...members, url: String(members.url), path: String(members.path), bytes: Number(members.bytes) };
}

function errorOf(value: unknown): ExportStatus['error'] {
  if (typeof value !== 'object' || value === null) return null;
  const { status, code, detail } = record(value);
  return { status: Number(status), code: String(code), detail: String(detail) };
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
