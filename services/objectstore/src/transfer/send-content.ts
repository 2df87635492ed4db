import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError, type ByteRange } from '@holdfast/http-kit';
import type { BlobStore } from '../blobs/blob-store.js';
import type { BlobKey } from '../naming/blob-key.js';

/**
 * Opens bytes of a blob for an answer whose header has not been sent.
 * @throws {AppError} `internal` when a live version has no bytes, `storage_unavailable` otherwise
 */
export async function openContent(store: BlobStore, key: BlobKey, range?: ByteRange): Promise<Readable> {
  try {
    return await store.open(key, range);
  } catch (error) {
    if (error instanceof Error && error.name === 'BlobMissing')
      throw new AppError('internal', 'The content of this version is missing; tell the operator.', { cause: error });
    throw new AppError('storage_unavailable', 'The blob store cannot be read; try again.', { cause: error });
  }
}

/**
 * Sends an opened stream at the pace of the client. When either side breaks, or the source ends early, the connection is destroyed, so
 * that a cut body never looks complete (spec/objectstore.md 6.3).
 * @param bytes the announced length
 */
export async function sendStream(
  source: Readable,
  response: ServerResponse,
  bytes: number,
  signal: AbortSignal,
): Promise<void> {
  // beside the pipe: a stage between would cost more than it counts
  let sent = 0;
  source.on('data', (chunk: Buffer) => {
    sent += chunk.byteLength;
  });
  await pipeline(source, response, { signal, end: false });
  if (sent !== bytes) {
    response.destroy();
    throw new Error(`the source of an answer gave ${sent} bytes instead of ${bytes}`);
  }
  response.end();
}
