import { pipeline } from 'node:stream/promises';
import { type HttpAnswer, HttpError, printDisposition, TransportError } from '@holdfast/clients';
import { AppError, contextOf, decideRange, evaluatePreconditions, sendBody, sendEmpty } from '@holdfast/http-kit';
import { clientOf } from '@holdfast/identity';
import type { Request, Response } from 'express';
import type { ExportOutput, ExportRecord } from '../job/export-record.js';
import type { ExportStore } from '../job/export-store.js';
import { readableExport } from './export-access.js';
import type { ApiParts } from './export-parts.js';

/**
 * GET, HEAD of a result: read from the object store as the service, whose readers were fixed when the export was made, or shown where it is.
 * HEAD is answered here in either case: an existing client asks it first and does not follow.
 */
export async function readResult(
  parts: ApiParts,
  request: Request,
  response: Response,
  target: { readonly id: string; readonly path: string | null },
): Promise<void> {
  const record = await readableExport(parts.store, target.id, clientOf(request));
  response.setHeader('X-Export-Id', record.id);
  const output = await chooseOutput(parts.store, record, target.path);
  const etag = `"${output.versionPath.split(':').at(-1) ?? ''}"`;
  setResultHeaders(response, output, etag);
  switch (preconditions(request, etag)) {
    case 'not_modified':
      return sendEmpty(response, 304);
    case 'if_match_failed':
    case 'if_none_match_failed':
      throw new AppError('precondition_failed', 'The result has another entity tag.');
    case 'proceed':
      break;
  }
  response.setHeader('Content-Type', output.contentType);
  if (request.method === 'HEAD') {
    response.setHeader('Content-Length', output.bytes);
    return sendEmpty(response, 200);
  }
  if (parts.redirectOrigin !== null) return sendPlace(response, `${parts.redirectOrigin}${output.versionPath}`);
  await sendContent(parts, request, response, output, etag);
}

/** The object store lets the readers of the export read its results. */
function sendPlace(response: Response, url: string): void {
  for (const name of ['Content-Disposition', 'Content-Type', 'Accept-Ranges', 'ETag']) response.removeHeader(name);
  response.setHeader('Location', url);
  sendEmpty(response, 303);
}

/** GET, HEAD of the log, also while the export runs (spec/export.md 10.4). */
export async function readLog(parts: ApiParts, request: Request, response: Response, id: string): Promise<void> {
  const record = await readableExport(parts.store, id, clientOf(request));
  response.setHeader('X-Export-Id', record.id);
  response.setHeader('Cache-Control', 'private, no-store');
  sendBody(request, response, 200, parts.profile.errorTextType, await parts.store.log(id));
}

async function chooseOutput(store: ExportStore, record: ExportRecord, path: string | null): Promise<ExportOutput> {
  switch (record.state) {
    case 'queued':
    case 'running':
      throw new AppError('not_found', 'The export is still at work.', { headers: { 'Retry-After': '2' } });
    case 'failed':
    case 'cancelled':
      throw new AppError(
        'not_found',
        `The export has no results. Its log ends with:\n${await endOfLog(store, record.id)}`,
      );
    case 'completed':
      break;
  }
  const outputs = await store.outputs(record.id);
  const [only] = outputs;
  if (path === null && outputs.length > 1) {
    throw new AppError('bad_request', `The export has ${outputs.length} results; say which by its file name.`);
  }
  const output = path === null ? only : outputs.find((candidate) => candidate.path === path.normalize('NFC'));
  if (output !== undefined) return output;
  throw new AppError(
    'not_found',
    path === null ? 'The export has no results.' : 'The export has no result of that name.',
  );
}

async function endOfLog(store: ExportStore, id: string): Promise<string> {
  return (await store.log(id)).slice(-4_096);
}

function setResultHeaders(response: Response, output: ExportOutput, etag: string): void {
  // exactly this shape, without a disposition type: an existing client refuses others (spec/export.md 10.3)
  response.setHeader('Content-Disposition', printDisposition(output.path.split('/').at(-1) ?? output.path));
  response.setHeader('ETag', etag);
  response.setHeader('Accept-Ranges', 'bytes');
  response.setHeader('Cache-Control', 'private, no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  // what was exported is never run in our origin
  response.setHeader('Content-Security-Policy', 'sandbox');
}

function preconditions(request: Request, etag: string) {
  return evaluatePreconditions({
    method: request.method,
    ifMatch: request.get('if-match'),
    ifNoneMatch: request.get('if-none-match'),
    etag,
  });
}

async function sendContent(
  parts: ApiParts,
  request: Request,
  response: Response,
  output: ExportOutput,
  etag: string,
): Promise<void> {
  const ifRange = request.get('if-range');
  const header = ifRange === undefined || ifRange.trim() === etag ? request.get('range') : undefined;
  const decision = decideRange(header, output.bytes);
  if (decision.kind === 'unsatisfiable') {
    throw new AppError('range_not_satisfiable', `The result has ${output.bytes} bytes.`, {
      headers: { 'Content-Range': `bytes */${output.bytes}` },
    });
  }
  const { signal } = contextOf(request);
  const range = decision.kind === 'single' ? decision.range : null;
  const answer = await open(parts, output, range === null ? null : `bytes=${range.first}-${range.last}`, signal);
  response.statusCode = range === null ? 200 : 206;
  if (range !== null) response.setHeader('Content-Range', `bytes ${range.first}-${range.last}/${output.bytes}`);
  response.setHeader('Content-Length', range === null ? output.bytes : range.last - range.first + 1);
  await pipeline(answer.body, response, { signal });
}

async function open(
  parts: ApiParts,
  output: ExportOutput,
  range: string | null,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  try {
    return await parts.results.get(output.versionPath, { signal, ...(range === null ? {} : { range }) });
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) {
      throw new AppError('not_found', 'The result is not kept any more.', { cause: error });
    }
    if (error instanceof HttpError || error instanceof TransportError) {
      throw new AppError('storage_unavailable', 'The object store cannot give the result at the moment; try again.', {
        cause: error,
        headers: { 'Retry-After': '5' },
      });
    }
    throw error;
  }
}
