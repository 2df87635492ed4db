import { type Database, sql } from '@holdfast/pg-kit';
import { type PartStore, UploadGone } from '../blobs/blob-store.js';
import { leaveToJob, type StagedBlob } from '../directory/staged-blobs.js';
import { discardStaged, type ReceivingParts, storeRefusal } from '../transfer/receive-content.js';
import { type BegunParts, beginParts } from './begin-parts.js';
import type { FinalizeLease } from './finalizing.js';
import type { JobBlob, JobRecord } from './job-record.js';
import { jobBusy } from './job-states.js';

/**
 * Makes a completed blob parts again, by copies inside the store, so that chunks can be sent anew (spec/objectstore.md 10.5.4, 13.3).
 * When the store has nothing left of the upload, the job begins anew without chunks.
 */
export async function reopenParts(
  parts: ReceivingParts,
  store: PartStore,
  job: JobRecord,
  whole: JobBlob,
  lease: FinalizeLease,
  signal: AbortSignal,
): Promise<void> {
  if ((await parts.store.stat(whole.key))?.bytes === job.contentLength)
    return replaceUpload(parts, store, job, whole, lease, 'copied', signal, (begun) =>
      store.cut(whole.key, begun, job, signal),
    );
  try {
    // it was to be completed, but never was
    await store.present(whole, signal);
  } catch (error) {
    if (!(error instanceof UploadGone)) throw storeRefusal(error, signal);
    return beginAnew(parts, store, job, whole, lease, signal);
  }
  await parts.database.transaction({}, async (connection) => {
    if (!(await lease.hold(connection))) throw jobBusy();
    await connection.execute(sql`update os_job set completed = false where id = ${job.id}`);
  });
}

/** Gives a job a new upload without any part: the store has lost the old one. */
export async function beginAnew(
  parts: ReceivingParts,
  store: PartStore,
  job: JobRecord,
  whole: JobBlob,
  lease: FinalizeLease,
  signal: AbortSignal,
): Promise<void> {
  await replaceUpload(parts, store, job, whole, lease, 'sent', signal, async () => []);
}

async function replaceUpload(
  parts: ReceivingParts,
  store: PartStore,
  job: JobRecord,
  whole: JobBlob,
  lease: FinalizeLease,
  filling: 'sent' | 'copied',
  signal: AbortSignal,
  fill: (begun: BegunParts) => Promise<readonly string[]>,
): Promise<void> {
  const begun = await beginParts(parts, store, filling, signal);
  try {
    const tags = await fill(begun);
    await swap(parts.database, job, whole, begun, lease, tags);
  } catch (error) {
    await discardStaged(parts, begun);
    throw error;
  }
}

async function swap(
  database: Database,
  job: JobRecord,
  old: StagedBlob,
  begun: BegunParts,
  lease: FinalizeLease,
  tags: readonly string[],
): Promise<void> {
  await database.transaction({}, async (connection) => {
    if (!(await lease.hold(connection))) throw jobBusy();
    await leaveToJob(connection, begun, begun.uploadId);
    await connection.execute(sql`delete from os_chunk where job_id = ${job.id} and n >= ${tags.length}`);
    await connection.execute(sql`update os_chunk c set part_tag = t.tag
      from unnest(${tags}::text[]) with ordinality as t(tag, number) where c.job_id = ${job.id} and c.n = t.number - 1`);
    await connection.execute(sql`update os_job set blob_id = ${begun.id}, completed = false where id = ${job.id}`);
    await connection.execute(sql`update os_blob set state = 'doomed', lease_until = null, doomed_at = '-infinity'
      where id = ${old.id} and state = 'staged'`);
  });
}
