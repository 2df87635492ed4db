import { AppError, refuseContentCoding, sendContinue, sendEmpty } from '@holdfast/http-kit';
import type { StoredContent } from '../blobs/blob-store.js';
import { newChunkKey } from '../naming/blob-key.js';
import { receiveContent } from '../transfer/receive-content.js';
import { requestBytes } from '../transfer/request-bytes.js';
import { parseChunkNumber } from '../uploads/chunk-layout.js';
import type { JobAddress } from '../uploads/job-record.js';
import { nextJobState } from '../uploads/job-states.js';
import { commitChunk, inspectChunk } from '../uploads/store-chunk.js';
import { storePart } from '../uploads/store-part.js';
import { declaredHashes, refuseOtherContent } from './content-headers.js';
import type { Exchange } from './exchange.js';

/** PUT of `;upload/<job>/<n>`: one chunk (spec/objectstore.md 10.4). */
export async function handleUploadChunk(exchange: Exchange, address: JobAddress, numberText: string): Promise<void> {
  const { request, response, parts, caller, signal } = exchange;
  const chunk = { ...address, number: parseChunkNumber(numberText) };
  refuseContentCoding(request);
  const hashes = declaredHashes(request);
  const expected = await parts.database.withConnection(signal, (connection) => inspectChunk(connection, chunk, caller));
  const bytes = acceptedLength(exchange);
  if (bytes !== expected.bytes)
    throw new AppError('chunk_length', `Chunk ${chunk.number} of this job has ${expected.bytes} bytes, not ${bytes}.`);
  nextJobState(expected.job.state, 'chunk');
  const source = {
    bytes: requestBytes(request, bytes),
    expectedBytes: bytes,
    // a damaged body never replaces what was sent before
    verify: (content: StoredContent) => {
      refuseOtherContent(request, hashes, content);
    },
  };
  if (expected.job.whole !== null && parts.store.parts !== undefined)
    await storePart(parts, parts.store.parts, chunk, source, () => sendContinue(request), signal);
  else {
    sendContinue(request);
    await receiveContent(parts, newChunkKey(address.job, chunk.number), source, signal, (blob, stored) =>
      commitChunk(parts.database, chunk, blob, stored, signal),
    );
  }
  sendEmpty(response, 204);
}

function acceptedLength({ request, parts }: Exchange): number {
  const header = request.get('content-length');
  if (header === undefined) throw new AppError('length_required', 'Send the chunk with Content-Length.');
  const most = parts.settings.maxRequestBytes;
  if (Number(header) > most) throw new AppError('too_large', `A chunk may have ${most} bytes at most.`);
  return Number(header);
}
