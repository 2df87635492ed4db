import { pipeline } from 'node:stream/promises';
import { FILE_SUFFIXES, MEDIA_TYPES, type TabularFormat } from '@holdfast/tabular';
import type { CatalogState } from '../model/catalog-state.js';
import type { CatalogRequest } from './catalog-request.js';
import { catalogTag } from './entity-tags.js';
import { answeredByPreconditions, setTag } from './tagged-answer.js';

/** What a data answer depends on beside its URL (spec/catalog-data.md 8.7). */
const DATA_VARY = 'Accept, Cookie, Authorization';

/** Rows, and everything at snapshots, are kept only to be shown again after the tag was compared (8.7; spec/catalog-access.md 9.3). */
export const CACHE_CONTROL = 'private, no-cache';

/** Bytes of an answer kept back so that a short one has its length and an early failure a clean status. */
const SPOOL_BYTES = 256 * 1024;

/**
 * Evaluates the preconditions of a data request against the state it began with (spec/catalog-data.md 8.4).
 * @returns true when the answer was 304 and is already sent
 * @throws {AppError} `precondition_failed`
 */
export function answeredByPrecondition(context: CatalogRequest, state: CatalogState): boolean {
  const { request, response, profile } = context;
  if (request.method === 'GET' || request.method === 'HEAD') response.setHeader('Cache-Control', CACHE_CONTROL);
  return answeredByPreconditions(request, response, profile, catalogTag(context, 'data', state), DATA_VARY);
}

/** `ETag`, `Vary` and `Cache-Control` of a data answer that shows this state. */
export function setValidators(context: CatalogRequest, state: CatalogState): void {
  const { request, response } = context;
  setTag(response, catalogTag(context, 'data', state), DATA_VARY);
  if (request.method === 'GET' || request.method === 'HEAD') response.setHeader('Cache-Control', CACHE_CONTROL);
}

/** Media type, and the file name a client may have asked for (spec/catalog-data.md 4.6). */
export function setContentHeaders(context: CatalogRequest, format: TabularFormat, download: string | null): void {
  const { response } = context;
  response.setHeader('Content-Type', MEDIA_TYPES[format]);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  if (download !== null) {
    const name = encodeURIComponent(download + FILE_SUFFIXES[format]).replace(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
    response.setHeader('Content-Disposition', `attachment; filename*=UTF-8''${name}`);
  }
}

/**
 * Sends rows as they come. A short answer is complete before its first byte leaves, so that it has a length and errors have
 * their status; of a long one an error breaks the connection.
 * @param started called when the first bytes are there
 * @returns whether all rows were taken; to HEAD the beginning of a long answer is enough
 */
export async function sendRows(
  context: CatalogRequest,
  bytes: AsyncIterable<Buffer>,
  started: () => void,
): Promise<'complete' | 'rest not needed'> {
  const { request, response } = context;
  const held: Buffer[] = [];
  let size = 0;
  const source = bytes[Symbol.asyncIterator]();
  for (;;) {
    const step = await source.next();
    started();
    if (step.done === true) {
      response.setHeader('Content-Length', size);
      response.status(200).end(request.method === 'HEAD' ? undefined : Buffer.concat(held, size));
      return 'complete';
    }
    held.push(step.value);
    size += step.value.byteLength;
    if (size > SPOOL_BYTES) break;
  }
  if (request.method === 'HEAD') {
    await source.return?.();
    response.status(200).end();
    return 'rest not needed';
  }
  response.status(200);
  await pipeline(chain(held, source), response);
  return 'complete';
}

async function* chain(held: readonly Buffer[], source: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* held;
  yield* { [Symbol.asyncIterator]: () => source };
}
