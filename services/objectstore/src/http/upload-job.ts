import { AppError, readBody, sendBody, sendEmpty, sendJson } from '@holdfast/http-kit';
import { authorize } from '../authorize/rights.js';
import { listsAt } from '../directory/lists-at.js';
import { shownVersion } from '../naming/canonical-path.js';
import { cancelJob } from '../uploads/cancel-job.js';
import { finalizeJob, inspectFinalize } from '../uploads/finalize-job.js';
import { findOutcome } from '../uploads/finalizing.js';
import { jobDocument } from '../uploads/job-document.js';
import { findJob, type JobAddress } from '../uploads/job-record.js';
import { admitChange } from './admit-change.js';
import type { Exchange } from './exchange.js';
import { refuseRange } from './read-answer.js';

/** `;upload/<job>`: status, finalizing and cancelling of a job (spec/objectstore.md 10.3, 10.5, 10.6). */
export async function handleUploadJob(exchange: Exchange, address: JobAddress): Promise<void> {
  switch (exchange.method) {
    case 'POST':
      return postFinalize(exchange, address);
    case 'DELETE':
      await cancelJob(exchange.parts.database, address, exchange.caller, exchange.signal);
      sendEmpty(exchange.response, 204);
      return;
    default:
      return getJob(exchange, address);
  }
}

async function getJob(exchange: Exchange, address: JobAddress): Promise<void> {
  const { request, response, parts, caller, signal, prefix } = exchange;
  const document = await parts.database.withConnection(signal, async (connection) => {
    const found = await findJob(connection, address);
    authorize('read-job', { ...listsAt(found.place), job: { owner: found.job.owner } }, caller);
    return jobDocument(connection, found, prefix, parts.settings.upload);
  });
  refuseRange(exchange);
  response.setHeader('Vary', 'Authorization, Cookie');
  sendJson(request, response, 200, document);
}

async function postFinalize(exchange: Exchange, address: JobAddress): Promise<void> {
  const { request, response, prefix } = exchange;
  admitChange(exchange, 'create');
  const version = await finish(exchange, address).catch((error: unknown) => finishedBefore(exchange, address, error));
  const location = shownVersion(prefix, address.path, version);
  response.setHeader('Location', location);
  response.setHeader('ETag', `"${version}"`);
  sendBody(request, response, 201, 'text/uri-list', `${location}\n`);
}

async function finish({ request, response, parts, caller, signal }: Exchange, address: JobAddress): Promise<string> {
  await parts.database.withConnection(signal, (connection) => inspectFinalize(connection, address, caller));
  // clients send nothing or {}: it means nothing
  await readBody(request, parts.settings.maxJsonBytes);
  // assembling may take longer than a connection may be silent
  response.setTimeout(0);
  return finalizeJob(parts, address, caller, signal);
}

/** A lost answer must not look like a lost upload (10.1), unless clients count on 404. */
async function finishedBefore(
  { parts, caller, signal }: Exchange,
  address: JobAddress,
  error: unknown,
): Promise<string> {
  const gone = error instanceof AppError && error.code === 'not_found';
  if (!gone || parts.profile.repeatedFinalize !== 'created') throw error;
  return parts.database.withConnection(signal, (connection) => findOutcome(connection, address, caller));
}
