import { AppError } from '@holdfast/http-kit';
import { type Connection, type Sql, sql } from '@holdfast/pg-kit';
import type { PartUpload } from '../blobs/blob-store.js';
import { type DefinedPlace, findDefined } from '../directory/find-place.js';
import type { NameRecord } from '../directory/records.js';
import type { StagedBlob } from '../directory/staged-blobs.js';
import { parseBlobKey } from '../naming/blob-key.js';
import type { CanonicalPath } from '../naming/canonical-path.js';
import type { JobState } from './job-states.js';

/** An upload job. */
export interface JobRecord {
  readonly id: string;
  readonly nameId: string;
  readonly job: string;
  readonly chunkLength: number;
  readonly contentLength: number;
  readonly contentType: string | null;
  readonly disposition: string | null;
  readonly md5: Buffer | null;
  readonly sha256: Buffer | null;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly owner: readonly string[];
  readonly state: JobState;
  /** The blob whose parts the chunks are; null when each chunk is a blob of its own. */
  readonly whole: JobBlob | null;
  readonly created: Date;
  readonly touched: Date;
}

/** A blob that comes in parts. */
export interface JobBlob extends StagedBlob, PartUpload {
  /** The parts were, or may have been, made one object; then none can be replaced any more. */
  readonly completed: boolean;
}

/** Where a job is in the URL. */
export interface JobAddress {
  readonly path: CanonicalPath;
  readonly job: string;
}

/** A job with the object it is for. */
export interface FoundJob {
  readonly place: DefinedPlace;
  readonly job: JobRecord;
}

/**
 * @param lock whether the job is to be locked until the end of the transaction
 * @throws {AppError} `not_found` when there is no such object or job, or no longer
 */
export async function findJob(
  connection: Connection,
  address: JobAddress,
  lock: 'locked' | 'unlocked' = 'unlocked',
): Promise<FoundJob> {
  const place = await findDefined(connection, address.path);
  const [row] = await connection.query<JobRow>(
    sql`${selectJob} where j.name_id = ${place.target.id} and j.job = ${address.job}${lock === 'locked' ? sql` for update of j` : sql``}`,
  );
  if (row === undefined) throw new AppError('not_found', 'There is no such upload job, or no longer.');
  return { place, job: jobOf(row) };
}

/** The jobs of an object, in the order in which they were created. */
export async function listJobs(connection: Connection, object: NameRecord): Promise<readonly JobRecord[]> {
  const rows = await connection.query<JobRow>(sql`${selectJob} where j.name_id = ${object.id} order by j.id`);
  return rows.map(jobOf);
}

const selectJob: Sql = sql`select j.id, j.name_id, j.job, j.chunk_length::float8 as chunk_length,
  j.content_length::float8 as content_length, j.content_type, j.disposition, j.md5, j.sha256, j.if_match, j.if_none_match,
  j.acl_owner, j.state, extract(epoch from j.created_at)::float8 as created, extract(epoch from j.touched_at)::float8 as touched,
  j.completed, b.id as blob_id, b.key as blob_key, b.upload_id
  from os_job j left join os_blob b on b.id = j.blob_id`;

interface JobRow {
  readonly id: string;
  readonly name_id: string;
  readonly job: string;
  readonly chunk_length: number;
  readonly content_length: number;
  readonly content_type: string | null;
  readonly disposition: string | null;
  readonly md5: Buffer | null;
  readonly sha256: Buffer | null;
  readonly if_match: string | null;
  readonly if_none_match: string | null;
  readonly acl_owner: readonly string[];
  readonly state: JobState;
  readonly completed: boolean;
  readonly blob_id: string | null;
  readonly blob_key: string | null;
  readonly upload_id: string | null;
  readonly created: number;
  readonly touched: number;
}

function jobOf(row: JobRow): JobRecord {
  return {
    id: row.id,
    nameId: row.name_id,
    job: row.job,
    chunkLength: row.chunk_length,
    contentLength: row.content_length,
    contentType: row.content_type,
    disposition: row.disposition,
    md5: row.md5,
    sha256: row.sha256,
    ifMatch: row.if_match ?? undefined,
    ifNoneMatch: row.if_none_match ?? undefined,
    owner: row.acl_owner,
    state: row.state,
    whole: wholeOf(row),
    created: new Date(row.created * 1000),
    touched: new Date(row.touched * 1000),
  };
}

function wholeOf({ blob_id: id, blob_key: key, upload_id: uploadId, completed }: JobRow): JobBlob | null {
  if (id === null || key === null || uploadId === null) return null;
  return { id, key: parseBlobKey(key), uploadId, completed };
}
