import { type Connection, type Database, retryOnCollision, sql } from '@holdfast/pg-kit';
import { authorize, type Caller } from '../authorize/rights.js';
import type { StoredContent } from '../blobs/blob-store.js';
import { publishBlob, type StagedBlob } from '../directory/staged-blobs.js';
import { lengthOfChunk } from './chunk-layout.js';
import { findJob, type JobAddress, type JobRecord } from './job-record.js';
import { nextJobState } from './job-states.js';

/** One chunk of a job. */
export interface ChunkAddress extends JobAddress {
  readonly number: number;
}

/** A chunk that may be sent, as far as can be known before its body. */
export interface ExpectedChunk {
  readonly job: JobRecord;
  readonly bytes: number;
}

/**
 * Finds the job, its owner and the place of the chunk in it (spec/objectstore.md 10.4).
 * @throws {AppError} `not_found`, `auth_required`, `forbidden`, `chunk_out_of_range`
 */
export async function inspectChunk(
  connection: Connection,
  address: ChunkAddress,
  caller: Caller,
): Promise<ExpectedChunk> {
  const { job } = await findJob(connection, address);
  authorize('send-chunk', { job: { owner: job.owner } }, caller);
  return { job, bytes: lengthOfChunk(job, address.number) };
}

/**
 * Makes stored bytes the content of a chunk; they replace those of an earlier sending as a whole.
 * @throws {AppError} `not_found` when the job has gone meanwhile, `job_busy` while it is being finished
 */
export async function commitChunk(
  database: Database,
  address: ChunkAddress,
  blob: StagedBlob,
  stored: StoredContent,
  signal: AbortSignal,
): Promise<void> {
  await retryOnCollision(() =>
    database.transaction({ signal }, async (connection) => {
      const { job } = await findJob(connection, address, 'locked');
      nextJobState(job.state, 'chunk');
      await publishBlob(connection, blob, stored);
      await connection.execute(sql`update os_blob set state = 'doomed', doomed_at = now()
        where id = (select blob_id from os_chunk where job_id = ${job.id} and n = ${address.number})`);
      await connection.execute(sql`insert into os_chunk (job_id, n, blob_id, bytes, md5, sha256)
        values (${job.id}, ${address.number}, ${blob.id}, ${stored.bytes}, ${stored.md5}, ${stored.sha256})
        on conflict (job_id, n) do update set blob_id = excluded.blob_id, bytes = excluded.bytes, md5 = excluded.md5,
          sha256 = excluded.sha256`);
      await connection.execute(sql`update os_job set touched_at = now() where id = ${job.id}`);
    }),
  );
}
