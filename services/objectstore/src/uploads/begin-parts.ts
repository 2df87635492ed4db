import type { PartStore, PartUpload } from '../blobs/blob-store.js';
import { type StagedBlob, stageBlob } from '../directory/staged-blobs.js';
import { newVersionKey } from '../naming/blob-key.js';
import { discardStaged, type ReceivingParts, storeRefusal } from '../transfer/receive-content.js';

/** A staged blob whose upload of parts has begun. */
export type BegunParts = StagedBlob & PartUpload;

/** Begins a blob that comes in parts; whoever begins it leaves it to a job or discards it. */
export async function beginParts(
  parts: ReceivingParts,
  store: PartStore,
  filling: 'sent' | 'copied',
  signal: AbortSignal,
): Promise<BegunParts> {
  const blob = await stageBlob(parts.database, parts.store.adapter, newVersionKey(new Date()), signal);
  try {
    return { ...blob, uploadId: await store.begin(blob.key, filling, signal) };
  } catch (error) {
    await discardStaged(parts, blob);
    throw storeRefusal(error, signal);
  }
}
