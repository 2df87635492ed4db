import { AppError } from '@holdfast/http-kit';
import { sql } from '@holdfast/pg-kit';
import { OtherParts, type PartStore, type StoredContent, UploadGone } from '../blobs/blob-store.js';
import { type ReceivingParts, storeRefusal } from '../transfer/receive-content.js';
import type { FinalizeLease } from './finalizing.js';
import type { JobBlob, JobRecord } from './job-record.js';
import { jobBusy } from './job-states.js';
import { beginAnew } from './reopen-parts.js';

/**
 * Makes the blob of a job of its parts and reads it once for length and hashes (spec/objectstore.md 13.3). That it may be one object
 * now is written down before, so that whoever comes after a crash knows it.
 * @throws {AppError} `chunks_missing` when the store has lost some
 */
export async function completeParts(
  parts: ReceivingParts,
  store: PartStore,
  job: JobRecord,
  whole: JobBlob,
  lease: FinalizeLease,
  signal: AbortSignal,
): Promise<StoredContent> {
  const tags = await markCompleted(parts, job, lease);
  try {
    await store.complete(whole, tags, job, signal);
    return await store.measure(whole.key, signal);
  } catch (error) {
    if (error instanceof UploadGone) {
      await beginAnew(parts, store, job, whole, lease, signal);
      throw lost();
    }
    if (error instanceof OtherParts) {
      await keepPresent(parts, store, job, whole, lease, signal);
      throw lost();
    }
    throw storeRefusal(error, signal);
  }
}

async function markCompleted(parts: ReceivingParts, job: JobRecord, lease: FinalizeLease): Promise<readonly string[]> {
  return parts.database.transaction({}, async (connection) => {
    if (!(await lease.hold(connection))) throw jobBusy();
    await connection.execute(sql`update os_job set completed = true where id = ${job.id}`);
    const rows = await connection.query<{ part_tag: string }>(
      sql`select part_tag from os_chunk where job_id = ${job.id} order by n`,
    );
    return rows.map(({ part_tag: tag }) => tag);
  });
}

/** Forgets the chunks that the store has otherwise than recorded; the upload is still open. */
async function keepPresent(
  parts: ReceivingParts,
  store: PartStore,
  job: JobRecord,
  whole: JobBlob,
  lease: FinalizeLease,
  signal: AbortSignal,
): Promise<void> {
  const present = [...(await store.present(whole, signal))];
  await parts.database.transaction({}, async (connection) => {
    if (!(await lease.hold(connection))) throw jobBusy();
    await connection.execute(sql`delete from os_chunk c where c.job_id = ${job.id} and not exists (
      select from unnest(${present.map(([number]) => number)}::bigint[], ${present.map(([, tag]) => tag)}::text[]) as p(n, tag)
      where p.n = c.n and p.tag = c.part_tag)`);
    await connection.execute(sql`update os_job set completed = false where id = ${job.id}`);
  });
}

function lost(): AppError {
  return new AppError(
    'chunks_missing',
    'The blob store has lost chunks of this job, or has others than were acknowledged; ask for its status and send what is missing again.',
  );
}
