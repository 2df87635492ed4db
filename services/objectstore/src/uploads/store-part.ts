import { AppError } from '@holdfast/http-kit';
import { type Database, retryOnCollision, sql } from '@holdfast/pg-kit';
import { type BlobSource, type PartStore, type StoredContent, UploadGone } from '../blobs/blob-store.js';
import { type ReceivingParts, storeRefusal } from '../transfer/receive-content.js';
import { takeJob } from './finalizing.js';
import { findJob, type JobBlob } from './job-record.js';
import { nextJobState } from './job-states.js';
import { type PartLease, RENEW_PART_MILLISECONDS, takePart } from './part-lease.js';
import { reopenParts } from './reopen-parts.js';
import type { ChunkAddress } from './store-chunk.js';

/**
 * Stores a chunk as a part of the blob it will be in (spec/objectstore.md 13.3). Transfers of one chunk run one after the other. One that
 * fails leaves the record of an earlier one: the store has replaced its bytes only if it got all of the new ones, which the completion finds out.
 * @param begin called once the body may come
 * @throws {AppError} `not_found`, `job_busy`, `storage_unavailable`
 */
export async function storePart(
  parts: ReceivingParts,
  store: PartStore,
  address: ChunkAddress,
  source: BlobSource & { readonly expectedBytes: number },
  begin: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { database, log } = parts;
  await reopenCompleted(parts, store, address, signal);
  const lease = await takePart(database, address, address.number, signal);
  const renewing = setInterval(() => {
    lease.renew().catch((error: unknown) => log.warn({ err: error }, 'lease of a part not renewed'));
  }, RENEW_PART_MILLISECONDS).unref();
  try {
    const upload = openUpload(lease);
    begin();
    const stored = await store.put(upload, address.number, source, signal).catch((error: unknown) => {
      if (error instanceof UploadGone) log.error({ err: error }, 'the store has forgotten an upload of parts');
      throw storeRefusal(error, signal);
    });
    await recordPart(database, address, lease, stored);
  } catch (error) {
    await lease.giveUp().catch((failure: unknown) => log.warn({ err: failure }, 'lease of a part left to its end'));
    throw error;
  } finally {
    clearInterval(renewing);
  }
}

/** Parts of a completed blob cannot be replaced: it is made parts again first. */
async function reopenCompleted(
  parts: ReceivingParts,
  store: PartStore,
  address: ChunkAddress,
  signal: AbortSignal,
): Promise<void> {
  const { job } = await parts.database.withConnection(signal, (connection) => findJob(connection, address));
  if (job.whole?.completed !== true) return;
  nextJobState(job.state, 'chunk');
  const lease = await takeJob(parts.database, job, signal);
  if (lease === null) throw new AppError('not_found', 'There is no such upload job, or no longer.');
  try {
    const again = await parts.database.withConnection(signal, (connection) => findJob(connection, address));
    const { whole } = again.job;
    if (whole?.completed === true) await reopenParts({ parts, store, job: again.job, whole, lease }, signal);
  } finally {
    await lease.giveBack();
  }
}

function openUpload({ job }: PartLease): JobBlob {
  if (job.whole === null || job.whole.completed)
    throw new AppError('job_busy', 'The job is being finished; ask again in a moment.', {
      headers: { 'Retry-After': '5' },
    });
  return job.whole;
}

/** Not cut short when the client goes: what the store has is recorded. */
async function recordPart(
  database: Database,
  address: ChunkAddress,
  lease: PartLease,
  stored: StoredContent & { readonly tag: string },
): Promise<void> {
  await retryOnCollision(() =>
    database.transaction({}, async (connection) => {
      const { job } = await findJob(connection, address, 'locked');
      if (!(await lease.end(connection)))
        throw new AppError('storage_unavailable', 'The chunk took too long without a sign of life; send it again.');
      await connection.execute(sql`insert into os_chunk (job_id, n, part_tag, bytes, md5, sha256)
        values (${job.id}, ${address.number}, ${stored.tag}, ${stored.bytes}, ${stored.md5}, ${stored.sha256})
        on conflict (job_id, n) do update set part_tag = excluded.part_tag, bytes = excluded.bytes, md5 = excluded.md5,
          sha256 = excluded.sha256`);
      await connection.execute(sql`update os_job set touched_at = now() where id = ${job.id}`);
    }),
  );
}
