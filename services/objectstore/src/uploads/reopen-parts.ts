import { type Connection, sql } from '@holdfast/pg-kit';
import { type PartStore, UploadGone } from '../blobs/blob-store.js';
import { leaveToJob } from '../directory/staged-blobs.js';
import { discardStaged, type ReceivingParts, storeRefusal } from '../transfer/receive-content.js';
import { type BegunParts, beginParts } from './begin-parts.js';
import type { FinalizeLease } from './finalizing.js';
import type { JobBlob, JobRecord } from './job-record.js';
import { jobBusy } from './job-states.js';

/** A job whose chunks are parts of one blob, and that nobody else changes meanwhile. */
export interface HeldParts {
  readonly parts: ReceivingParts;
  readonly store: PartStore;
  readonly job: JobRecord;
  readonly whole: JobBlob;
  readonly lease: FinalizeLease;
}

/**
 * Makes a completed blob parts again, by copies inside the store, so that chunks can be sent anew (spec/objectstore.md 10.5.4, 13.3).
 * When the store has nothing left of the upload, the job begins anew without chunks.
 */
export async function reopenParts(held: HeldParts, signal: AbortSignal): Promise<void> {
  const { parts, store, job, whole } = held;
  if ((await parts.store.stat(whole.key))?.bytes === job.contentLength)
    return replaceUpload(held, 'copied', signal, (begun) => store.cut(whole.key, begun, job, signal));
  try {
    // it was to be completed, but never was
    await store.present(whole, signal);
  } catch (error) {
    if (!(error instanceof UploadGone)) throw storeRefusal(error, signal);
    return beginAnew(held, signal);
  }
  await inJob(held, async (connection) => {
    await connection.execute(sql`update os_job set completed = false where id = ${job.id}`);
  });
}

/** Changes what is recorded of a held job. */
export async function inJob<Result>(
  { parts, lease }: HeldParts,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  return parts.database.transaction({}, async (connection) => {
    if (!(await lease.hold(connection))) throw jobBusy();
    return work(connection);
  });
}

/** Gives a job a new upload without any part: the store has lost the old one. */
export async function beginAnew(held: HeldParts, signal: AbortSignal): Promise<void> {
  await replaceUpload(held, 'sent', signal, async () => []);
}

async function replaceUpload(
  held: HeldParts,
  filling: 'sent' | 'copied',
  signal: AbortSignal,
  fill: (begun: BegunParts) => Promise<readonly string[]>,
): Promise<void> {
  const begun = await beginParts(held.parts, held.store, filling, signal);
  try {
    await swap(held, begun, await fill(begun));
  } catch (error) {
    await discardStaged(held.parts, begun);
    throw error;
  }
}

async function swap(held: HeldParts, begun: BegunParts, tags: readonly string[]): Promise<void> {
  const { job, whole: old } = held;
  await inJob(held, async (connection) => {
    await leaveToJob(connection, begun, begun.uploadId);
    await connection.execute(sql`delete from os_chunk where job_id = ${job.id} and n >= ${tags.length}`);
    await connection.execute(sql`update os_chunk c set part_tag = t.tag
      from unnest(${tags}::text[]) with ordinality as t(tag, number) where c.job_id = ${job.id} and c.n = t.number - 1`);
    await connection.execute(sql`update os_job set blob_id = ${begun.id}, completed = false where id = ${job.id}`);
    await connection.execute(sql`update os_blob set state = 'doomed', lease_until = null, doomed_at = '-infinity'
      where id = ${old.id} and state = 'staged'`);
  });
}
