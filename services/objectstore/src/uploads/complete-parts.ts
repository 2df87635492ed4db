import { AppError } from '@holdfast/http-kit';
import { sql } from '@holdfast/pg-kit';
import { OtherParts, type StoredContent, UploadGone } from '../blobs/blob-store.js';
import { storeRefusal } from '../transfer/receive-content.js';
import { beginAnew, type HeldParts, inJob } from './reopen-parts.js';

/**
 * Makes the blob of a job of its parts and reads it once for length and hashes (spec/objectstore.md 13.3). That it may be one object
 * now is written down before, so that whoever comes after a crash knows it.
 * @throws {AppError} `chunks_missing` when the store has lost some
 */
export async function completeParts(held: HeldParts, signal: AbortSignal): Promise<StoredContent> {
  const { store, job, whole } = held;
  const tags = await markCompleted(held);
  try {
    await store.complete(whole, tags, job, signal);
    return await store.measure(whole.key, signal);
  } catch (error) {
    if (error instanceof UploadGone) {
      await beginAnew(held, signal);
      throw lost();
    }
    if (error instanceof OtherParts) {
      await keepPresent(held, signal);
      throw lost();
    }
    throw storeRefusal(error, signal);
  }
}

function markCompleted(held: HeldParts): Promise<readonly string[]> {
  const { job } = held;
  return inJob(held, async (connection) => {
    await connection.execute(sql`update os_job set completed = true where id = ${job.id}`);
    const rows = await connection.query<{ part_tag: string }>(
      sql`select part_tag from os_chunk where job_id = ${job.id} order by n`,
    );
    return rows.map(({ part_tag: tag }) => tag);
  });
}

/** Forgets the chunks that the store has otherwise than recorded; the upload is still open. */
async function keepPresent(held: HeldParts, signal: AbortSignal): Promise<void> {
  const { store, job, whole } = held;
  const present = [...(await store.present(whole, signal))];
  await inJob(held, async (connection) => {
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
