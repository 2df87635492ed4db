import { createHash, randomUUID } from 'node:crypto';
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
import type { Creation, ShareLimits } from '../job/export-turns.js';
import { sealCredentials } from '../job/sealed-credential.js';
import { jobUrl, logUrl, resultUrl, statusDocument } from '../job/status-document.js';
import { waitForExport } from '../job/wait-for-export.js';
import type { ExportKind } from '../request/export-request.js';
import { parseRequest } from '../request/parse-request.js';
import { type Creator, delegate } from './delegate.js';
import type { ApiParts } from './export-parts.js';

/** POST: checks the request, hands it to the workers, and waits for the end unless asked not to (spec/export.md 10). */
export async function createExport(
  parts: ApiParts,
  request: Request,
  response: Response,
  target: { readonly endpoint: ExportKind; readonly prefix: string },
): Promise<void> {
  const client = clientOf(request);
  const body = await readRequestBody(request, parts.config.MAX_BODY_BYTES);
  refuseAnonymous(parts, client, body);
  const isPublic = wantsPublic(parts, request);
  const key = idempotencyKey(request);
  const newId = randomUUID();
  const exportUrl = `${publicOrigin(request, parts.config.PUBLIC_URL)}${target.prefix}`;
  const parsed = parseRequest(body, parts.requestSettings, {
    endpoint: target.endpoint,
    clientAddress: request.ip ?? '',
    serviceUrl: `${exportUrl}/file/${newId}`,
    now: new Date(),
  });
  const server = parts.requestSettings.catalogs.find(
    ({ publicHost }) => publicHost === parsed.request.catalog.publicHost,
  );
  if (server === undefined) throw new AppError('internal', 'The catalog that was found is gone.');
  const creator = await delegate(parts.delegation, request, newId, server, parsed.login);
  const preference = parsePrefer(request.get('prefer'));
  const creation = await parts.store.create(
    {
      id: newId,
      owner: creator.id,
      ownerName: creator.name,
      readers: readersOf(parts, creator, isPublic),
      kind: parsed.request.bag === null ? 'file' : 'bag',
      request: parsed.request,
      exportUrl,
      credential: sealCredentials(parts.sealer, newId, creator.credentials, parts.delegation.seconds),
      share: creator.id ?? `anonymous ${request.ip ?? ''}`,
      detached: preference.respondAsync,
      idempotency:
        key === null || creator.id === null ? null : { key, digest: digestOf(body, target.endpoint, isPublic) },
    },
    shareLimits(parts.config),
  );
  if (creation.kind !== 'created') await parts.delegation.sessions.end(creator.credentials.session);
  const id = idOf(creation, newId);
  response.setHeader('X-Export-Id', id);
  contextOf(request).logFields.export = id;
  if (creation.kind === 'created') {
    if (parsed.warnings.length > 0) {
      await parts.store.appendLog(id, parsed.warnings.map((warning) => logLine('WARNING', warning)).join(''));
    }
    // others wait in the database until earlier exports of the same user are over
    if (creation.admitted) await enqueue(parts, id, creator);
  } else if (preference.respondAsync) await parts.store.watch(id, 'for ever');
  if (preference.respondAsync) await answerAccepted(parts, request, response, id, preference.waitSeconds);
  else await answerFinished(parts, request, response, { id, shared: key !== null });
}

/** An anonymous request may still bring a login (spec/export.md 9.2). */
function refuseAnonymous(parts: ApiParts, client: ClientContext, body: unknown): void {
  if (client.client !== null || !parts.config.REQUIRE_AUTHENTICATION) return;
  const username = memberOf(memberOf(body, 'catalog'), 'username');
  if (username !== undefined && username !== null && username !== '') return;
  throw denied(true, 'Exports need a login: send a bearer token or the session cookie.');
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

const LONGEST_KEY = 200;

function idempotencyKey(request: Request): string | null {
  const key = request.get('idempotency-key');
  if (key === undefined) return null;
  if (key !== '' && key.length <= LONGEST_KEY) return key;
  throw new AppError('bad_request', `The header Idempotency-Key has 1 to ${LONGEST_KEY} characters.`);
}

/** What makes two requests the same. A password is no part of it, so that nothing made of one is stored. */
function digestOf(body: unknown, endpoint: ExportKind, isPublic: boolean): string {
  const text = JSON.stringify([endpoint, isPublic, body], (name, value: unknown) =>
    name === 'password' ? null : value,
  );
  return createHash('sha256').update(text).digest('hex');
}

function shareLimits(config: ApiParts['config']): ShareLimits {
  return {
    concurrent: config.PER_USER_CONCURRENT,
    queued: config.PER_USER_QUEUED,
    results: config.MAX_RESULTS_PER_USER,
  };
}

function idOf(creation: Creation, newId: string): string {
  switch (creation.kind) {
    case 'created':
      return newId;
    case 'repeated':
      return creation.id;
    case 'key_in_use':
      throw new AppError('conflict', 'This Idempotency-Key came with another request before; use a new one.');
    case 'too_many':
      throw new AppError('too_many', 'You have as many unfinished exports as you may have; wait for one to end.', {
        headers: { 'Retry-After': '30' },
      });
  }
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
function readersOf(parts: ApiParts, creator: Creator, isPublic: boolean): readonly string[] {
  const everybody = isPublic || creator.id === null;
  return [...(creator.id === null ? [] : [creator.id]), ...parts.config.ADMIN_READERS, ...(everybody ? ['*'] : [])];
}

/** An export that cannot be queued has failed at once: nobody shall find it running an hour later. */
async function enqueue(parts: ApiParts, id: string, creator: Creator): Promise<void> {
  try {
    await parts.queue.add(id, 1);
  } catch (error) {
    const failure: ExportFailure = {
      status: 503,
      code: 'unavailable',
      detail: 'The queue of exports cannot be reached.',
    };
    await parts.store.failQueued(id, failure, parts.config.RETENTION_HOURS * 3_600);
    await parts.delegation.sessions.end(creator.credentials.session);
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
  sendJson(request, response, 202, statusDocument(record, await parts.store.outputs(id), parts.shownStatus));
}

async function answerFinished(
  parts: ApiParts,
  request: Request,
  response: Response,
  { id, shared }: { readonly id: string; readonly shared: boolean },
): Promise<void> {
  const { signal } = contextOf(request);
  let record: ExportRecord | null;
  try {
    record = await waitForExport(parts, id, { signal, shared });
  } catch (error) {
    if (signal.aborted && !parts.stopSignal.aborted) cancelLater(parts, request, id);
    throw error;
  }
  if (record === null) throw cancelled();
  await sendOutcome(parts, request, response, record);
}

/** Unless somebody else waits for the export, or nobody ever meant to (spec/export.md 10.1). */
function cancelLater(parts: ApiParts, request: Request, id: string): void {
  const { log } = contextOf(request);
  setTimeout(() => {
    parts.store.cancelUnwatched(id, parts.config.RETENTION_HOURS * 3_600).then(
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
