import { Readable } from 'node:stream';
import type { BlobKey } from '../naming/blob-key.js';
import type { BlobSource, StoredContent } from './blob-store.js';
import { type ChunkReader, chunkReader } from './chunk-reader.js';
import { type ContentMeter, contentMeter } from './measure-content.js';
import type { PartBuffers } from './part-buffers.js';
import type { S3Bucket, TaggedPart } from './s3-bucket.js';

const MIB = 1024 * 1024;

/** Content up to this goes in one request (spec/objectstore.md 13.3). */
const MOST_SINGLE = 16 * MIB;

/** Content up to this is held: its checksum can be sent ahead, and the request can be repeated. */
const MOST_HELD = 64 * 1024;

/** Bytes that may wait for the socket. */
const WAITING_BYTES = MIB;

/** Length of parts of content of unknown length; few parts of it are ever needed. */
export const HELD_PART_BYTES = 8 * MIB;

/** Uploads a stream, in one request or in parts, one after the other: memory does not depend on its length. */
export async function upload(
  bucket: S3Bucket,
  buffers: PartBuffers,
  key: BlobKey,
  source: BlobSource,
  signal: AbortSignal,
): Promise<StoredContent> {
  const meter = contentMeter(source);
  const reader = chunkReader(meter.through());
  const bytes = source.expectedBytes;
  try {
    if (bytes === null) await uploadUnknown(bucket, buffers, key, reader, signal);
    else if (bytes <= MOST_HELD) await uploadHeld(bucket, key, reader, bytes, signal);
    else if (bytes <= MOST_SINGLE)
      await streaming(reader, bytes, signal, (body, abort) => bucket.putObject(key, { body, bytes }, abort));
    else await uploadInParts(bucket, key, reader, bytes, signal);
    return meter.result();
  } catch (error) {
    // a source that is waiting for its client ends when that does
    reader.close().catch(() => undefined);
    throw error;
  }
}

/** Uploads one part of known length as a stream. */
export async function uploadPart(
  bucket: S3Bucket,
  place: { readonly key: BlobKey; readonly uploadId: string; readonly number: number },
  meter: ContentMeter,
  bytes: number,
  signal: AbortSignal,
): Promise<string> {
  const reader = chunkReader(meter.through());
  try {
    return await streaming(reader, bytes, signal, (body, abort) =>
      bucket.putPart(place.key, place.uploadId, place.number, { body, bytes }, abort),
    );
  } catch (error) {
    reader.close().catch(() => undefined);
    throw error;
  }
}

/** Runs the work inside an upload of parts: completed when it succeeds, else aborted. */
export async function inUpload(
  bucket: S3Bucket,
  key: BlobKey,
  filling: 'sent' | 'copied',
  signal: AbortSignal,
  work: (uploadId: string) => Promise<readonly TaggedPart[]>,
): Promise<void> {
  const uploadId = await bucket.begin(key, filling, signal);
  try {
    await bucket.complete(key, uploadId, await work(uploadId), signal);
  } catch (error) {
    // the sweeper comes later and tries again
    await bucket.abort(key, uploadId).catch(() => undefined);
    throw error;
  }
}

async function uploadHeld(
  bucket: S3Bucket,
  key: BlobKey,
  reader: ChunkReader,
  bytes: number,
  signal: AbortSignal,
): Promise<void> {
  const chunks: Buffer[] = [];
  await orAborted(signal, async () => {
    for await (const chunk of reader.take(MOST_HELD + 1)) chunks.push(chunk);
    await reader.ended();
  });
  await bucket.putObject(key, { body: Buffer.concat(chunks), bytes }, signal);
}

async function uploadInParts(
  bucket: S3Bucket,
  key: BlobKey,
  reader: ChunkReader,
  bytes: number,
  signal: AbortSignal,
): Promise<void> {
  const size = partBytes(bytes);
  await inUpload(bucket, key, 'sent', signal, async (uploadId) => {
    const parts: TaggedPart[] = [];
    for (let at = 0; at < bytes; at += size) {
      const number = parts.length + 1;
      const part = Math.min(size, bytes - at);
      const tag = await streaming(reader, part, signal, (body, abort) =>
        bucket.putPart(key, uploadId, number, { body, bytes: part }, abort),
      );
      parts.push({ number, tag });
    }
    return parts;
  });
}

/** Length of the parts of content of this length: some thousand parts at most, the store's limit being 10,000. */
export function partBytes(bytes: number): number {
  return Math.max(MOST_SINGLE, Math.ceil(bytes / 9000 / MIB) * MIB);
}

async function uploadUnknown(
  bucket: S3Bucket,
  buffers: PartBuffers,
  key: BlobKey,
  reader: ChunkReader,
  signal: AbortSignal,
): Promise<void> {
  const collect = (number: number) => orAborted(signal, () => buffers.collect(reader, unknownPartBytes(number)));
  const first = await collect(1);
  const rest = async (uploadId: string): Promise<readonly TaggedPart[]> => {
    const parts: TaggedPart[] = [];
    for (let part = first; ; part = await collect(parts.length + 1)) {
      const number = parts.length + 1;
      try {
        const tag = await bucket.putPart(key, uploadId, number, { body: part.body(), bytes: part.bytes }, signal);
        parts.push({ number, tag });
      } finally {
        await part.release();
      }
      if (await orAborted(signal, () => reader.ended())) return parts;
    }
  };
  try {
    if (await orAborted(signal, () => reader.ended())) {
      await bucket.putObject(
        key,
        { body: first.bytes === 0 ? Buffer.alloc(0) : first.body(), bytes: first.bytes },
        signal,
      );
      await first.release();
      return;
    }
  } catch (error) {
    await first.release();
    throw error;
  }
  await inUpload(bucket, key, 'sent', signal, rest);
}

/** Parts grow, so that 10,000 of them hold the largest object there may be. */
function unknownPartBytes(number: number): number {
  if (number <= 1000) return HELD_PART_BYTES;
  return number <= 5000 ? 64 * MIB : 1024 * MIB;
}

/**
 * Hands the next bytes of a reader to a request as its body. The client library does not cope with a body that fails: one that breaks
 * would leave the request waiting, or an error without a listener. So the body stays silent, the request is aborted here, and the
 * error of the source is the one that counts.
 */
async function streaming<Result>(
  reader: ChunkReader,
  bytes: number,
  signal: AbortSignal,
  send: (body: Readable, abort: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const broken = new AbortController();
  let fault: unknown = null;
  const pieces = reader.take(bytes);
  const body = new Readable({
    highWaterMark: WAITING_BYTES,
    read() {
      pieces.next().then(
        (step) => this.push(step.done === true ? null : step.value),
        (error: unknown) => {
          fault = error;
          broken.abort(error);
        },
      );
    },
    destroy: (_error, done) => done(null),
  });
  try {
    return await send(body, AbortSignal.any([signal, broken.signal]));
  } catch (error) {
    throw fault ?? (signal.aborted ? signal.reason : error);
  } finally {
    body.destroy();
  }
}

/** Does not wait for a source that is silent when the signal fires. */
async function orAborted<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  signal.throwIfAborted();
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
  });
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
