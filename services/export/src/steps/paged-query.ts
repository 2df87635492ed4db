import { type DataAnswer, encodeName, HttpError, type RowFormat } from '@holdfast/clients';
import { AppError } from '@holdfast/http-kit';
import { readCsvRows } from '@holdfast/tabular';
import type { Paging } from '../request/export-request.js';
import { type RecordWatch, recordWatch } from './record-watch.js';
import type { RunContext } from './run-context.js';
import { type SteadyContent, steadyContent } from './steady-content.js';

/** The answer to a query, with what is known before its bytes. */
export interface QueryContent extends SteadyContent {
  /** Of the answer, or of its first page. */
  readonly status: number;
  /** Bytes; null where the catalog does not say. */
  readonly length: number | null;
}

/** Asks a query, page by page where that is wanted and possible (spec/export.md 5.3). */
export async function queryContent(
  context: RunContext,
  queryPath: string,
  accept: RowFormat,
  paging: Paging | null,
): Promise<QueryContent> {
  if (paging !== null && mayBePaged(queryPath, accept)) {
    return pagedContent(context, queryPath, accept === 'text/csv' ? 'csv' : 'json-stream', paging);
  }
  if (paging !== null) context.log.warning(`${queryPath} cannot be read in pages and is read in one stream`);
  const source = { queryPath, path: queryPath, accept };
  const answer = await ask(context, source);
  const length = Number(answer.headers['content-length'] ?? Number.NaN);
  return {
    ...steady(context, source, answer),
    status: answer.status,
    length: Number.isSafeInteger(length) ? length : null,
  };
}

/** What is asked for. */
interface Source {
  /** The query as the request has it. */
  readonly queryPath: string;
  /** What is sent: a page of the query, or all of it. */
  readonly path: string;
  readonly accept: RowFormat;
}

/** Every answer comes by here, so that every one that does not show the snapshot is noted. */
async function ask(context: RunContext, { queryPath, path, accept }: Source): Promise<DataAnswer> {
  const { answer, live } = await context.catalog.query(path, accept);
  if (live) context.provenance.readLive(queryPath);
  return answer;
}

function steady(context: RunContext, source: Source, answer: DataAnswer): SteadyContent {
  const { log, signal } = context;
  return steadyContent(answer, { ask: () => ask(context, source), queryPath: source.path, log, signal });
}

function mayBePaged(queryPath: string, accept: RowFormat): boolean {
  if (accept === 'application/json' || !/^\/(?:entity|attribute)\//.test(queryPath)) return false;
  // a query with an order of its own cannot be given another
  return !/@(?:sort|after|before)\(/.test(queryPath.split('?')[0] ?? '');
}

type PagedFormat = 'csv' | 'json-stream';

const ACCEPT = { csv: 'text/csv', 'json-stream': 'application/x-json-stream' } as const;

/** A page that was begun. */
interface Page extends SteadyContent {
  readonly size: number;
  readonly status: number;
}

async function pagedContent(
  context: RunContext,
  queryPath: string,
  format: PagedFormat,
  paging: Paging,
): Promise<QueryContent> {
  let page = await openPage(context, queryPath, format, { ...paging, after: null });
  async function* content(): AsyncGenerator<Uint8Array> {
    for (let isFirst = true; ; isFirst = false) {
      const watch = recordWatch(format);
      for await (const chunk of page.content) {
        const rows = watch.take(chunk);
        // one header for all pages
        const passed = isFirst ? chunk : rows;
        if (passed.byteLength > 0) yield passed;
      }
      page.abandon();
      if (watch.count() < page.size) return;
      const after = await sortValues(watch, format, paging.sortColumns, queryPath);
      page = await openPage(context, queryPath, format, { size: page.size, sortColumns: paging.sortColumns, after });
    }
  }
  return { content: content(), status: page.status, length: null, abandon: () => page.abandon() };
}

interface PagePosition extends Paging {
  /** Values of the last row read, as they stand in a URL; null: the first page. */
  readonly after: readonly string[] | null;
}

/** Asks for a page; when the catalog finds it too much work, for half of it, down to one row. */
async function openPage(
  context: RunContext,
  queryPath: string,
  format: PagedFormat,
  position: PagePosition,
): Promise<Page> {
  for (let { size } = position; ; size = Math.floor(size / 2)) {
    const path = pagePath(queryPath, { ...position, size });
    try {
      const source = { queryPath, path, accept: ACCEPT[format] };
      const answer = await ask(context, source);
      return { ...steady(context, source, answer), size, status: answer.status };
    } catch (error) {
      if (size === 1 || !isTimeLimit(error)) throw error;
      context.log.warning(`a page of ${size} rows of ${queryPath} took the catalog too long`);
    }
  }
}

/** `limit` takes the place of one that is there. */
function pagePath(queryPath: string, { size, sortColumns, after }: PagePosition): string {
  const [path = '', query = ''] = queryPath.split('?', 2);
  const parameters = query.split('&').filter((part) => part !== '' && !part.startsWith('limit='));
  const sort = `@sort(${sortColumns.map(encodeName).join(',')})`;
  const from = after === null ? '' : `@after(${after.join(',')})`;
  return `${path}${sort}${from}?${[...parameters, `limit=${size}`].join('&')}`;
}

function isTimeLimit(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  if (!(cause instanceof HttpError) || cause.status !== 400) return false;
  return cause.code === 'query_too_expensive' || /run ?time limit/i.test(cause.detail);
}

async function sortValues(
  watch: RecordWatch,
  format: PagedFormat,
  columns: readonly string[],
  queryPath: string,
): Promise<readonly string[]> {
  const row = await lastRow(watch, format);
  return columns.map((column) => {
    const value = row[column];
    if (value === undefined) {
      throw new AppError(
        'bad_request',
        `${queryPath} cannot be read in pages: it does not return its sort column ${JSON.stringify(column)}.`,
      );
    }
    if (value === null) return '::null::';
    return encodeName(typeof value === 'string' ? value : JSON.stringify(value));
  });
}

async function lastRow(watch: RecordWatch, format: PagedFormat): Promise<Readonly<Record<string, unknown>>> {
  const last = watch.last() ?? Buffer.alloc(0);
  if (format === 'csv') {
    for await (const row of readCsvRows([watch.header() ?? Buffer.alloc(0), last])) return row;
    return {};
  }
  const row: unknown = JSON.parse(last.toString('utf8'));
  return typeof row === 'object' && row !== null ? Object.fromEntries(Object.entries(row)) : {};
}
