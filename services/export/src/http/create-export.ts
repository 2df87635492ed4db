import { randomUUID } from 'node:crypto';
import {
  AppError,
  contextOf,
  denied,
  mediaTypeOf,
  publicOrigin,
  readJson,
  sendBody,
  sendJson,
} from '@holdfast/http-kit';
import { type ClientContext, clientOf } from '@holdfast/identity';
import type { Request, Response } from 'express';
import { logLine } from '../job/export-log.js';
import type { ExportFailure, ExportRecord } from '../job/export-record.js';
import { isFinal } from '../job/export-state.js';
import { sealCredential } from '../job/sealed-credential.js';
import { jobUrl, logUrl, resultUrl, statusDocument } from '../job/status-document.js';
import { waitForExport } from '../job/wait-for-export.js';
import type { ExportKind } from '../request/export-request.js';
import { parseRequest } from '../request/parse-request.js';
import type { ApiParts } from './export-parts.js';

/** POST: checks the request, hands it to the workers, and waits for the end unless asked not to (spec/export.md 10). */
export async function createExport(
  parts: ApiParts,
  request: Request,
  response: Response,
  target: { readonly endpoint: ExportKind; readonly prefix: string },
): Promise<void> {
  const client = clientOf(request);
  refuseAnonymous(parts, client);
  const body = await readRequestBody(request, parts.config.MAX_BODY_BYTES);
  const isPublic = wantsPublic(parts, request);
  const id = randomUUID();
  const exportUrl = `${publicOrigin(request, parts.config.PUBLIC_URL)}${target.prefix}`;
  const parsed = parseRequest(body, parts.requestSettings, {
    endpoint: target.endpoint,
    clientAddress: request.ip ?? '',
    serviceUrl: `${exportUrl}/file/${id}`,
    now: new Date(),
  });
  await parts.store.create({
    id,
    owner: client.client?.id ?? null,
    ownerName: client.client?.displayName ?? null,
    readers: readersOf(parts, client, isPublic),
    kind: parsed.request.bag === null ? 'file' : 'bag',
    request: parsed.request,
    exportUrl,
    credential: await sealCredential(parts.delegation, client, id),
  });
  response.setHeader('X-Export-Id', id);
  contextOf(request).logFields.export = id;
  if (parsed.warnings.length > 0) {
    await parts.store.appendLog(id, parsed.warnings.map((warning) => logLine('WARNING', warning)).join(''));
  }
  await enqueue(parts, id);
  const preference = parsePrefer(request.get('prefer'));
  if (preference.respondAsync) await answerAccepted(parts, request, response, id, preference.waitSeconds);
  else await answerFinished(parts, request, response, id);
}

function refuseAnonymous(parts: ApiParts, client: ClientContext): void {
  if (client.client !== null || !parts.config.REQUIRE_AUTHENTICATION) return;
  throw denied(true, 'Exports need a login: send a bearer token or the session cookie.');
}

async function readRequestBody(request: Request, limit: number): Promise<unknown> {
  const type = mediaTypeOf(request.get('content-type')) ?? '';
  if (type.startsWith('multipart/') || type === 'application/x-www-form-urlencoded') {
    throw new AppError('bad_request', 'The body must be a JSON object, not a form.');
  }
  return readJson(request, limit);
}

function wantsPublic(parts: ApiParts, request: Request): boolean {
  const value = new URL(request.originalUrl, 'http://localhost').searchParams.get('public');
  if (value === null || value === 'false') return false;
  if (value !== 'true') throw new AppError('bad_request', 'The parameter public is true or false.');
  if (parts.config.ALLOW_PUBLIC) return true;
  throw new AppError('forbidden', 'This service makes no public exports; leave out the parameter public.');
}

/** Fixed when the export is made (spec/export.md 9.3). */
function readersOf(parts: ApiParts, client: ClientContext, isPublic: boolean): readonly string[] {
  const everybody = isPublic || client.client === null;
  return [
    ...(client.client === null ? [] : [client.client.id]),
    ...parts.config.ADMIN_READERS,
    ...(everybody ? ['*'] : []),
  ];
}

/** An export that cannot be queued has failed at once: nobody shall find it running an hour later. */
async function enqueue(parts: ApiParts, id: string): Promise<void> {
  try {
    await parts.queue.add(id, 1);
  } catch (error) {
    const failure: ExportFailure = {
      status: 503,
      code: 'unavailable',
      detail: 'The queue of exports cannot be reached.',
    };
    await parts.store.failQueued(id, failure, parts.config.RETENTION_HOURS * 3_600);
    throw error;
  }
}

async function answerAccepted(
  parts: ApiParts,
  request: Request,
  response: Response,
  id: string,
  waitSeconds: number,
): Promise<void> {
  const { signal } = contextOf(request);
  const record = await waitForExport(parts, id, { signal, limit: waitSeconds * 1_000 });
  if (record === null) throw cancelled();
  response.setHeader('Preference-Applied', 'respond-async');
  if (isFinal(record.state) && waitSeconds > 0) return sendOutcome(parts, request, response, record);
  response.setHeader('Location', jobUrl(record));
  response.setHeader('Retry-After', '2');
  sendJson(request, response, 202, statusDocument(record, await parts.store.outputs(id)));
}

async function answerFinished(parts: ApiParts, request: Request, response: Response, id: string): Promise<void> {
  const { signal } = contextOf(request);
  let record: ExportRecord | null;
  try {
    record = await waitForExport(parts, id, { signal });
  } catch (error) {
    if (signal.aborted && !parts.stopSignal.aborted) cancelLater(parts, request, id);
    throw error;
  }
  if (record === null) throw cancelled();
  await sendOutcome(parts, request, response, record);
}

/** Nobody waits for the export any more (spec/export.md 10.1). */
function cancelLater(parts: ApiParts, request: Request, id: string): void {
  const { log } = contextOf(request);
  setTimeout(() => {
    parts.store.cancel(id, parts.config.RETENTION_HOURS * 3_600).then(
      (done) => done && log.info({ export: id }, 'cancelled: the client has gone'),
      (error: unknown) => log.warn({ err: error, export: id }, 'could not cancel'),
    );
  }, parts.cancelAfter).unref();
}

async function sendOutcome(parts: ApiParts, request: Request, response: Response, record: ExportRecord): Promise<void> {
  response.setHeader('Link', `<${logUrl(record)}>; rel="describedby", <${jobUrl(record)}>; rel="monitor"`);
  if (record.state === 'cancelled') throw cancelled();
  if (record.state !== 'completed') throw outcomeError(record.error);
  const outputs = await parts.store.outputs(record.id);
  const urls = outputs.map(({ path }) => resultUrl(record, path));
  const [only] = urls;
  if (urls.length === 1 && only !== undefined) response.setHeader('Location', only);
  response.setHeader('Cache-Control', 'no-store');
  // no newline at the end: existing clients split at newlines and take the second line if there is one
  sendBody(request, response, parts.profile.exportSuccessStatus, 'text/uri-list', urls.join('\n'));
}

function outcomeError(failure: ExportFailure | null): AppError {
  if (failure === null) return new AppError('internal', 'The export failed without saying why.');
  const { code, detail } = failure;
  const headers: Record<string, string> = {};
  if (failure.status === 503) headers['Retry-After'] = '30';
  if (failure.status === 401) headers['WWW-Authenticate'] = 'Bearer';
  return new AppError(code, detail, { headers });
}

function cancelled(): AppError {
  return new AppError('cancelled', 'The export was cancelled while this request waited for it.');
}

/** `Prefer: respond-async, wait=10` (RFC 7240). At most a minute is waited. */
function parsePrefer(header: string | undefined): { readonly respondAsync: boolean; readonly waitSeconds: number } {
  const preferences = (header ?? '')
    .toLowerCase()
    .split(/[,;]/)
    .map((part) => part.trim());
  const wait = preferences
    .map((part) => /^wait\s*=\s*"?(\d{1,6})"?$/.exec(part)?.[1])
    .find((found) => found !== undefined);
  return { respondAsync: preferences.includes('respond-async'), waitSeconds: Math.min(Number(wait ?? 0), 60) };
}
