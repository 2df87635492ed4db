import { AppError, contextOf, denied, negotiate, sendEmpty, sendJson } from '@holdfast/http-kit';
import { clientOf } from '@holdfast/identity';
import type { Request, Response } from 'express';
import { tryDispatch } from '../job/dispatch.js';
import type { ExportRecord } from '../job/export-record.js';
import { isFinal } from '../job/export-state.js';
import { jobSummary, statusDocument } from '../job/status-document.js';
import { ownExport, readableExport } from './export-access.js';
import type { ApiParts } from './export-parts.js';
import { sendJobEvents } from './job-events.js';

/** GET, HEAD of a job: how far it is, or how it goes on from here. */
export async function readJob(parts: ApiParts, request: Request, response: Response, id: string): Promise<void> {
  const record = await readableExport(parts.store, id, clientOf(request));
  response.setHeader('X-Export-Id', id);
  response.setHeader('Cache-Control', 'no-store');
  const wanted = negotiate(request.get('accept'), ['application/json', 'text/event-stream']);
  response.setHeader('Vary', 'Accept, Authorization, Cookie');
  if (wanted === 'text/event-stream' && request.method === 'GET')
    return sendJobEvents(parts, request, response, record);
  if (!isFinal(record.state)) response.setHeader('Retry-After', '2');
  sendJson(request, response, 200, statusDocument(record, await parts.store.outputs(id), parts.shownStatus));
}

/** DELETE of a job: cancels it, or discards what it made (spec/export.md 13.5). */
export async function deleteJob(parts: ApiParts, request: Request, response: Response, id: string): Promise<void> {
  const record = await ownExport(parts.store, id, clientOf(request), parts.config.ADMIN_READERS);
  response.setHeader('X-Export-Id', id);
  const session = record.state === 'queued' ? await parts.delegation.sessions.of(record) : null;
  const wasUnfinished = await parts.store.cancel(id, parts.config.RETENTION_HOURS * 3_600);
  if (wasUnfinished) {
    // a worker that has it ends the session itself when it has let go of the upstreams
    await parts.delegation.sessions.end(session);
    await tryDispatch({ ...parts, concurrent: parts.config.PER_USER_CONCURRENT }, contextOf(request).log);
  } else await discard(parts, record, contextOf(request).signal);
  sendEmpty(response, 204);
}

async function discard(parts: ApiParts, record: ExportRecord, signal: AbortSignal): Promise<void> {
  // something of a run that was broken off may still arrive at the store: the sweeper comes when it cannot any more
  if (!(await parts.store.isSettled(record.id))) return parts.store.expire(record.id);
  try {
    await parts.remover.removeAll({ id: record.id, day: record.created.slice(0, 10) }, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new AppError('storage_unavailable', 'The object store could not discard the results; try again.', {
      cause: error,
    });
  }
  await parts.store.remove(record.id);
}

/** Exports of one page of the list. */
const DEFAULT_PAGE = 100;
const LARGEST_PAGE = 1_000;

/** GET, HEAD of the jobs: the caller's own exports, newest first (spec/export.md 2.1). */
export async function listJobs(parts: ApiParts, request: Request, response: Response): Promise<void> {
  const { client } = clientOf(request);
  if (client === null) throw denied(true, 'The list of exports needs a login.');
  const { searchParams } = new URL(request.originalUrl, 'http://localhost');
  const limit = pageSize(searchParams.get('limit'));
  const after = searchParams.get('after');
  const found = await parts.store.list(client.id, limit + 1, after === null ? null : exportId(after));
  if (found === null) throw new AppError('bad_request', 'The export named by after is gone; begin without after.');
  const page = found.slice(0, limit);
  const last = page.at(-1);
  response.setHeader('Cache-Control', 'no-store');
  if (found.length > limit && last !== undefined) {
    response.setHeader('Link', `<${last.exportUrl}/job?limit=${limit}&after=${last.id}>; rel="next"`);
  }
  sendJson(
    request,
    response,
    200,
    page.map((record) => jobSummary(record, parts.shownStatus)),
  );
}

function pageSize(text: string | null): number {
  if (text === null) return DEFAULT_PAGE;
  const size = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (size < 1) throw new AppError('bad_request', 'The parameter limit is a whole number from 1.');
  return Math.min(size, LARGEST_PAGE);
}

function exportId(text: string): string {
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase();
  throw new AppError('bad_request', 'The parameter after is the id of an export.');
}
