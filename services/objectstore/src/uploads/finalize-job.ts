import { AppError } from '@holdfast/http-kit';
import { type Connection, type Database, retryOnCollision, sql } from '@holdfast/pg-kit';
import { authorize, type Caller } from '../authorize/rights.js';
import type { StoredContent } from '../blobs/blob-store.js';
import { conditionsOf } from '../directory/conditions.js';
import type { DefinedPlace } from '../directory/find-place.js';
import { findCurrentVersion } from '../directory/find-version.js';
import { insertVersion } from '../directory/insert-version.js';
import { listsAt } from '../directory/lists-at.js';
import { lockDefined } from '../directory/lock-name.js';
import { removeJobs } from '../directory/remove-jobs.js';
import type { StagedBlob } from '../directory/staged-blobs.js';
import { type BlobKey, newVersionKey, parseBlobKey } from '../naming/blob-key.js';
import { assembleContent, type ReceivingParts } from '../transfer/receive-content.js';
import { chunkCount } from './chunk-layout.js';
import { completeParts } from './complete-parts.js';
import { type FinalizeLease, findOutcome, RENEW_MILLISECONDS, takeJob } from './finalizing.js';
import { type FoundJob, findJob, type JobAddress, type JobBlob, type JobRecord } from './job-record.js';
import { reopenParts } from './reopen-parts.js';

/** What finishing needs of the service. */
export interface FinalizingParts extends ReceivingParts {
  readonly stopSignal: AbortSignal;
}

/**
 * Finishes a job: its chunks become one version of the object, as a PUT would have made it (spec/objectstore.md 10.5). Whatever is
 * refused leaves the job open with its chunks. What was begun goes on when the client has gone: joining a large content may take longer
 * than clients and proxies wait, and who asks again must find it further on.
 * @param signal fires when the client has gone: then nobody waits for another finisher any more
 * @returns the version id
 * @throws {AppError} `not_found`, `forbidden`, `precondition_failed`, `chunks_missing`, `hash_mismatch`, `job_busy`
 */
export async function finalizeJob(
  parts: FinalizingParts,
  address: JobAddress,
  caller: Caller,
  signal: AbortSignal,
): Promise<string> {
  const { database } = parts;
  const job = await database.withConnection(signal, (connection) => inspectFinalize(connection, address, caller));
  const lease = await takeJob(database, job, signal);
  if (lease === null) return database.withConnection(signal, (connection) => findOutcome(connection, address, caller));
  const renewing = setInterval(() => {
    lease.renew().catch((error: unknown) => parts.log.warn({ err: error }, 'lease of a job not renewed'));
  }, RENEW_MILLISECONDS).unref();
  try {
    // of its own, so that nothing is left hanging on one that lives as long as the process
    return await finish(parts, address, lease, caller, AbortSignal.any([parts.stopSignal]));
  } catch (error) {
    await lease
      .giveBack()
      .catch((failure: unknown) => parts.log.warn({ err: failure }, 'a job is left to the sweeper'));
    throw error;
  } finally {
    clearInterval(renewing);
  }
}

/**
 * Finds a job for a client who may finish it; what can be known before its body.
 * @throws {AppError} `not_found`, `auth_required`, `forbidden`
 */
export async function inspectFinalize(connection: Connection, address: JobAddress, caller: Caller): Promise<JobRecord> {
  const { job } = await findJob(connection, address);
  authorize('finalize-job', { job: { owner: job.owner } }, caller);
  return job;
}

async function finish(
  parts: ReceivingParts,
  address: JobAddress,
  lease: FinalizeLease,
  caller: Caller,
  signal: AbortSignal,
): Promise<string> {
  const { database } = parts;
  // no chunk can change any more: what is found now is what will be assembled
  const { job } = await database.withConnection(signal, async (connection) => {
    const found = await findJob(connection, address);
    await inspect(connection, found, caller);
    await refuseMissing(connection, found.job);
    return found;
  });
  if (job.whole !== null) return finishParts(parts, { address, job, lease, caller, blob: job.whole }, signal);
  const pieces = {
    keys: chunkKeys(database, job, signal),
    count: chunkCount(job),
    pieceBytes: job.chunkLength,
    bytes: job.contentLength,
    verify: (content: StoredContent) => refuseOtherHash(job, content),
  };
  return assembleContent(parts, newVersionKey(new Date()), pieces, signal, (blob, stored) =>
    commit(database, { address, job, lease, caller, blob, stored }, signal),
  );
}

/** The chunks are in the store as parts of one blob already. */
async function finishParts(
  parts: ReceivingParts,
  finishing: Omit<Finished, 'stored' | 'blob'> & { readonly blob: JobBlob },
  signal: AbortSignal,
): Promise<string> {
  const { job, lease, blob } = finishing;
  const store = parts.store.parts;
  if (store === undefined)
    throw new AppError('storage_unavailable', 'The job was begun with direct parts, which are switched off now.');
  const held = { parts, store, job, whole: blob, lease };
  const stored = await completeParts(held, signal);
  try {
    refuseOtherHash(job, stored);
  } catch (error) {
    await reopenParts(held, signal);
    throw error;
  }
  return commit(parts.database, { ...finishing, stored }, signal);
}

/** Rights and preconditions, which may have changed since the job was created. */
async function inspect(connection: Connection, { place, job }: FoundJob, caller: Caller): Promise<void> {
  authorize('add-version', listsAt(place), caller);
  const conditions = conditionsOf({ ifMatch: job.ifMatch, ifNoneMatch: job.ifNoneMatch });
  if (!conditions.present) return;
  const current = await findCurrentVersion(connection, place.target);
  conditions.check(current === null ? null : `"${current.version}"`);
}

/** Most ranges of missing chunks that a refusal names. */
const RANGES_NAMED = 5;

async function refuseMissing(connection: Connection, job: JobRecord): Promise<void> {
  const gaps = await connection.query<{ first: number; last: number }>(
    sql`select before + 1 as first, n - 1 as last
        from (select n::float8 as n, lag(n, 1, -1::bigint) over (order by n)::float8 as before
              from (select n from os_chunk where job_id = ${job.id} union all select ${chunkCount(job)}::bigint) as marks) as pairs
        where n > before + 1 order by n limit ${RANGES_NAMED}`,
  );
  if (gaps.length === 0) return;
  const ranges = gaps.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(', ');
  throw new AppError(
    'chunks_missing',
    `Send the missing chunks first: ${ranges}${gaps.length === RANGES_NAMED ? ', …' : ''}.`,
  );
}

const PAGE_ROWS = 1000;

/** Keys of the chunks in order, page by page: no connection is held while bytes are read. */
async function* chunkKeys(database: Database, job: JobRecord, signal: AbortSignal): AsyncGenerator<BlobKey> {
  for (let from = 0; from < chunkCount(job); from += PAGE_ROWS) {
    const rows = await database.withConnection(signal, (connection) =>
      connection.query<{ key: string }>(
        sql`select b.key from os_chunk c join os_blob b on b.id = c.blob_id
            where c.job_id = ${job.id} and c.n >= ${from} and c.n < ${from + PAGE_ROWS} order by c.n`,
      ),
    );
    for (const { key } of rows) yield parseBlobKey(key);
  }
}

function refuseOtherHash(job: JobRecord, stored: StoredContent): void {
  if ((job.md5?.equals(stored.md5) ?? true) && (job.sha256?.equals(stored.sha256) ?? true)) return;
  throw new AppError(
    'hash_mismatch',
    'The content has another hash than the job declares. Send the damaged chunks again, or cancel the job.',
  );
}

interface Finished {
  readonly address: JobAddress;
  readonly job: JobRecord;
  readonly lease: FinalizeLease;
  readonly caller: Caller;
  readonly blob: StagedBlob;
  readonly stored: StoredContent;
}

/** The version is there and the job is not, in one transaction; its outcome is kept for a client that missed the answer. */
async function commit(database: Database, finished: Finished, signal: AbortSignal): Promise<string> {
  const { address, job, lease, caller, blob, stored } = finished;
  return retryOnCollision(() =>
    database.transaction({ signal }, async (connection) => {
      const place: DefinedPlace = await lockDefined(connection, address.path);
      if (!(await lease.hold(connection)))
        throw new AppError('job_busy', 'Somebody else has taken over finishing the job; ask again in a moment.');
      await inspect(connection, { place, job }, caller);
      const content = {
        blob,
        ...stored,
        md5Declared: job.md5 !== null,
        sha256Declared: job.sha256 !== null,
        contentType: job.contentType,
        disposition: job.disposition,
      };
      const version = await insertVersion(connection, place.target, false, content, caller);
      await removeJobs(connection, sql`j.id = ${job.id}`);
      await connection.execute(sql`insert into os_job_outcome (name_id, job, version, acl_owner)
        values (${place.target.id}, ${job.job}, ${version}, ${job.owner}::text[])`);
      return version;
    }),
  );
}
