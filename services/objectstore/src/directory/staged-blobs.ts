import { AppError } from '@holdfast/http-kit';
import { type Connection, type Database, sql } from '@holdfast/pg-kit';
import { type BlobKey, type NewBlobKey, parseBlobKey } from '../naming/blob-key.js';

/** A blob whose bytes are on their way: swept when its lease runs out before a version has it. */
export interface StagedBlob {
  readonly id: string;
  readonly key: BlobKey;
}

/** How long bytes may be on their way without a sign of life. */
export const LEASE_SECONDS = 600;

/**
 * Step 1 of spec/objectstore.md 13.5, in a transaction of its own: from now on the sweeper can find the bytes. It need not wait for
 * PostgreSQL's disk: should PostgreSQL crash and forget the row, the bytes cannot be published, and the weekly comparison finds them.
 */
export async function stageBlob(
  database: Database,
  adapter: string,
  { id, key }: NewBlobKey,
  signal: AbortSignal,
): Promise<StagedBlob> {
  await database.withConnection(signal, (connection) =>
    connection.execute(sql`insert into os_blob (id, adapter, key, state, lease_until)
      select ${id}::uuid, ${adapter}, ${key}, 'staged', now() + ${LEASE_SECONDS} * interval '1 second'
      from set_config('synchronous_commit', 'off', true)`),
  );
  return { id, key };
}

/** Says that the bytes are still coming. */
export async function renewLease(database: Database, blob: StagedBlob): Promise<void> {
  await database.withConnection(null, (connection) =>
    connection.execute(sql`update os_blob set lease_until = now() + ${LEASE_SECONDS} * interval '1 second'
      where id = ${blob.id} and state = 'staged'`),
  );
}

/**
 * Gives a staged blob to the version made in the same transaction.
 * @throws {AppError} `storage_unavailable` when the lease was lost and the sweeper has taken the bytes
 */
export async function publishBlob(
  connection: Connection,
  blob: StagedBlob,
  content: { readonly bytes: number; readonly md5: Buffer; readonly sha256: Buffer },
): Promise<void> {
  const published = await connection.execute(sql`update os_blob
    set state = 'live', lease_until = null, bytes = ${content.bytes}, md5 = ${content.md5}, sha256 = ${content.sha256}
    where id = ${blob.id} and state = 'staged'`);
  if (published !== 1)
    throw new AppError('storage_unavailable', 'The upload took too long without a sign of life; send it again.');
}

/**
 * Dooms a blob that no version got, so that nobody can publish it any more.
 * @returns false when it is not staged: a version has it, or it is being removed already
 */
export async function doomStaged(database: Database, blob: StagedBlob): Promise<boolean> {
  const doomed = await database.withConnection(null, (connection) =>
    connection.execute(sql`update os_blob set state = 'doomed', lease_until = null, doomed_at = '-infinity'
      where id = ${blob.id} and state = 'staged'`),
  );
  return doomed === 1;
}

/** Dooms every staged blob whose lease is over. Nothing ever pointed at them, so they need no grace. */
export async function doomExpired(connection: Connection): Promise<number> {
  return connection.execute(sql`update os_blob set state = 'doomed', lease_until = null, doomed_at = '-infinity'
    where state = 'staged' and lease_until < now()`);
}

/** A blob to be removed. */
export interface DoomedBlob extends StagedBlob {
  /** Whether it never was whole, so that there may be pieces of it; then with the id of its upload of parts, if one is known. */
  readonly unfinished: { readonly uploadId: string | null } | undefined;
}

/** Keeps a blob staged for as long as its upload job lasts, which is what removes it. */
export async function leaveToJob(connection: Connection, blob: StagedBlob, uploadId: string): Promise<void> {
  const left = await connection.execute(sql`update os_blob set lease_until = 'infinity', upload_id = ${uploadId}
    where id = ${blob.id} and state = 'staged'`);
  if (left !== 1) throw new AppError('storage_unavailable', 'The upload could not be begun in time; try again.');
}

/** Doomed blobs that may be removed, the longest doomed first, without those that were tried already. */
export async function findDoomed(
  connection: Connection,
  options: {
    readonly adapter: string;
    readonly graceSeconds: number;
    readonly limit: number;
    readonly except: readonly string[];
  },
): Promise<readonly DoomedBlob[]> {
  const rows = await connection.query<{ id: string; key: string; upload_id: string | null; unfinished: boolean }>(sql`
    select id, key, upload_id, doomed_at = '-infinity' as unfinished from os_blob
    where state = 'doomed' and adapter = ${options.adapter}
      and doomed_at < now() - ${options.graceSeconds} * interval '1 second' and id <> all(${options.except}::uuid[])
    order by doomed_at limit ${options.limit}`);
  return rows.map(({ id, key, upload_id: uploadId, unfinished }) => ({
    id,
    key: parseBlobKey(key),
    unfinished: unfinished ? { uploadId } : undefined,
  }));
}

/** Forgets blobs whose bytes are gone. */
export async function forgetBlobs(connection: Connection, ids: readonly string[]): Promise<void> {
  await connection.execute(sql`delete from os_blob where id = any(${ids}::uuid[]) and state = 'doomed'`);
}
