import { grants, visibleJobs } from '@holdfast/acl';
import { AppError, denied, mediaTypeOf, negotiate, readJson, sendBody } from '@holdfast/http-kit';
import { refused } from '../authorize/rights.js';
import { findDefined } from '../directory/find-place.js';
import { listsAt } from '../directory/lists-at.js';
import { inspectPut, type PutRequest } from '../directory/put-name.js';
import { type CanonicalPath, shownPath } from '../naming/canonical-path.js';
import { createJob } from '../uploads/create-job.js';
import { listJobs } from '../uploads/job-record.js';
import { parseJobRequest } from '../uploads/job-request.js';
import { admitChange } from './admit-change.js';
import { conditionsIn, type Exchange } from './exchange.js';
import { LISTING_TYPES, listingForm } from './listing-form.js';
import { refuseRange } from './read-answer.js';

/** `;upload`: the upload jobs of an object (spec/objectstore.md 10.2, 10.3). */
export async function handleUpload(exchange: Exchange, path: CanonicalPath): Promise<void> {
  return exchange.method === 'POST' ? postJob(exchange, path) : getJobs(exchange, path);
}

async function postJob(exchange: Exchange, path: CanonicalPath): Promise<void> {
  const { request, response, parts, caller, signal, prefix } = exchange;
  const { settings } = parts;
  admitChange(exchange, 'create');
  if (mediaTypeOf(request.get('content-type')) !== 'application/json')
    throw new AppError('bad_request', 'Send the job as a JSON object with Content-Type: application/json.');
  const put: PutRequest = {
    path,
    intent: { kind: 'object', parents: exchange.parents, onObject: 'create-job', revive: false },
    caller,
    conditions: conditionsIn(exchange),
    initialAcls: undefined,
  };
  await parts.database.withConnection(signal, (connection) => inspectPut(connection, put));
  if (caller.id === null) throw denied(true, 'Log in first: an upload job needs a known owner.');
  const creation = {
    put,
    ifMatch: request.get('if-match'),
    ifNoneMatch: request.get('if-none-match'),
    request: parseJobRequest(await readJson(request, settings.maxJsonBytes), {
      minChunkBytes: settings.upload.minChunkBytes,
      maxChunkBytes: settings.maxRequestBytes,
      maxObjectBytes: settings.maxObjectBytes,
      maxChunks: settings.upload.maxChunks,
    }),
    counts: settings.upload,
    quotas: settings.quotas,
  };
  const location = jobPath(prefix, path, await createJob(parts, creation, signal));
  response.setHeader('Location', location);
  sendBody(request, response, 201, 'text/uri-list', `${location}\n`);
}

async function getJobs(exchange: Exchange, path: CanonicalPath): Promise<void> {
  const { request, response, parts, caller, signal, prefix } = exchange;
  const jobs = await parts.database.withConnection(signal, async (connection) => {
    const place = await findDefined(connection, path);
    if (place.target.kind !== 'object') throw new AppError('not_found', 'A namespace has no upload jobs.');
    const visible = visibleJobs(listsAt(place), caller.roles);
    if (visible === 'none') throw refused(caller);
    const all = await listJobs(connection, place.target);
    return visible === 'all' ? all : all.filter((job) => grants(job.owner, caller.roles));
  });
  refuseRange(exchange);
  const title = `${shownPath(prefix, path)};upload`;
  const form = listingForm(negotiate(request.get('accept'), LISTING_TYPES) ?? LISTING_TYPES[0], title);
  const items = jobs.map(({ job }) => form.item(jobPath(prefix, path, job))).join(form.separator);
  response.setHeader('Vary', 'Accept, Authorization, Cookie');
  sendBody(request, response, 200, form.type, form.head + items + form.tail);
}

function jobPath(prefix: string, path: CanonicalPath, job: string): string {
  return `${shownPath(prefix, path)};upload/${job}`;
}
