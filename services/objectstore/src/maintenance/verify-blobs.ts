import type { Database } from '@holdfast/pg-kit';
import { BlobMissing, type BlobStore } from '../blobs/blob-store.js';
import { contentMeter } from '../blobs/measure-content.js';
import { parseBlobKey } from '../naming/blob-key.js';
import { type LiveBlob, liveBlobs, stillLive, unknownItems } from './reconcile.js';

/** What is wrong with a blob. */
export interface BlobFault {
  readonly kind: 'missing' | 'damaged' | 'orphaned' | 'unreadable';
  readonly id: string;
  readonly detail: string;
}

/** How far a verification is. */
export interface VerifyProgress {
  readonly blobs: number;
  readonly bytes: number;
  readonly faults: number;
}

/** What a verification tells while it goes on. */
export interface VerifyListener {
  fault(fault: BlobFault): void;
  progress(progress: VerifyProgress): void;
}

/**
 * Reads every blob and compares it with length and hashes of its row; then looks for bytes without a row. Changes nothing. The service may go on
 * meanwhile.
 * @returns the final count
 */
export async function verifyBlobs(
  database: Database,
  store: BlobStore,
  listener: VerifyListener,
  signal: AbortSignal,
): Promise<VerifyProgress> {
  let [blobs, bytes, faults] = [0, 0, 0];
  const report = (fault: BlobFault | null): void => {
    if (fault === null) return;
    faults += 1;
    listener.fault(fault);
  };
  for await (const blob of liveBlobs(database, store.adapter, signal)) {
    const fault = await verify(store, blob);
    // what was deleted meanwhile is nobody's loss
    if (fault !== null && (await stillLive(database, blob.id))) report(fault);
    blobs += 1;
    bytes += blob.bytes;
    listener.progress({ blobs, bytes, faults });
  }
  for await (const item of unknownItems(database, store, signal))
    report({ kind: 'orphaned', id: item.id, detail: `no row knows it; it is of ${item.modified.toISOString()}` });
  return { blobs, bytes, faults };
}

async function verify(store: BlobStore, blob: LiveBlob): Promise<BlobFault | null> {
  const { id } = blob;
  try {
    const bytes = (await store.open(parseBlobKey(blob.key))) as AsyncIterable<Buffer>;
    const meter = contentMeter({ bytes, expectedBytes: null });
    for await (const _chunk of meter.through());
    const stored = meter.result();
    if (stored.bytes !== blob.bytes)
      return { kind: 'damaged', id, detail: `it has ${stored.bytes} bytes instead of ${blob.bytes}` };
    if (blob.sha256?.equals(stored.sha256) === false || blob.md5?.equals(stored.md5) === false)
      return { kind: 'damaged', id, detail: 'its hash is another' };
    return null;
  } catch (error) {
    if (error instanceof BlobMissing) return { kind: 'missing', id, detail: 'there is nothing in the store' };
    return { kind: 'unreadable', id, detail: error instanceof Error ? error.message : String(error) };
  }
}
