import type { Logger } from '@holdfast/http-kit';
import { AppError } from '@holdfast/http-kit';
import type { Database } from '@holdfast/pg-kit';
import {
  type BlobPieces,
  type BlobSource,
  type BlobStore,
  type StoredContent,
  WrongLength,
} from '../blobs/blob-store.js';
import {
  doomStaged,
  forgetBlobs,
  LEASE_SECONDS,
  renewLease,
  type StagedBlob,
  stageBlob,
} from '../directory/staged-blobs.js';
import type { BlobKey, NewBlobKey } from '../naming/blob-key.js';

/** What receiving needs of the service. */
export interface ReceivingParts {
  readonly database: Database;
  readonly store: BlobStore;
  readonly log: Logger;
}

/**
 * Stores a stream as a staged blob and hands it to the transaction that makes it visible (spec/objectstore.md 13.5). No
 * database connection is held while bytes flow. If anything fails the bytes are removed at once; if this process dies, the
 * sweeper removes them when the lease is over.
 * @param newKey where they go
 * @param signal fires when the client has gone
 * @param publish makes the blob live, or throws
 */
export async function receiveContent<Result>(
  parts: ReceivingParts,
  newKey: NewBlobKey,
  source: BlobSource,
  signal: AbortSignal,
  publish: Publish<Result>,
): Promise<Result> {
  return stageAndPublish(parts, newKey, signal, (key) => parts.store.put(key, source, signal), publish);
}

/** {@link receiveContent} for bytes that came before. */
export async function assembleContent<Result>(
  parts: ReceivingParts,
  newKey: NewBlobKey,
  pieces: BlobPieces,
  signal: AbortSignal,
  publish: Publish<Result>,
): Promise<Result> {
  return stageAndPublish(parts, newKey, signal, (key) => parts.store.assemble(key, pieces, signal), publish);
}

type Publish<Result> = (blob: StagedBlob, stored: StoredContent) => Promise<Result>;

async function stageAndPublish<Result>(
  parts: ReceivingParts,
  newKey: NewBlobKey,
  signal: AbortSignal,
  write: (key: BlobKey) => Promise<StoredContent>,
  publish: Publish<Result>,
): Promise<Result> {
  const blob = await stageBlob(parts.database, parts.store.adapter, newKey, signal);
  const lease = setInterval(() => renew(parts, blob), (LEASE_SECONDS * 1000) / 3).unref();
  try {
    const stored = await write(blob.key).catch((error: unknown) => {
      throw storeRefusal(error, signal);
    });
    return await publish(blob, stored);
  } catch (error) {
    await discardStaged(parts, blob);
    throw error;
  } finally {
    clearInterval(lease);
  }
}

/** What a client is told of a store, or source, that failed. */
export function storeRefusal(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof AppError) return error;
  if (signal.aborted) return signal.reason;
  if (error instanceof WrongLength)
    return new AppError('bad_request', `The body has another length than Content-Length says: ${error.message}.`);
  return new AppError('storage_unavailable', 'The blob store did not take the content; try again.', { cause: error });
}

function renew(parts: ReceivingParts, blob: StagedBlob): void {
  // a lease that runs out shows at the commit
  renewLease(parts.database, blob).catch((error: unknown) => parts.log.warn({ err: error }, 'lease not renewed'));
}

/** Removal that nobody waits for to know the outcome: whatever fails here is left to the sweeper. */
export async function discardStaged(parts: ReceivingParts, blob: StagedBlob): Promise<void> {
  try {
    // a version may have the blob although the answer of the commit got lost: then it is no longer staged
    if (!(await doomStaged(parts.database, blob))) return;
    await parts.store.remove(blob.key, { uploadId: null });
    await parts.database.withConnection(null, (connection) => forgetBlobs(connection, [blob.id]));
  } catch (error) {
    parts.log.warn({ err: error }, 'a broken upload is left to the sweeper');
  }
}
