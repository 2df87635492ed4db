import type { BlobKey } from '../naming/blob-key.js';
import {
  type BlobPieces,
  type BlobStore,
  OtherParts,
  type PartLayout,
  type PartStore,
  type StoredContent,
  UploadGone,
} from './blob-store.js';
import { contentMeter } from './measure-content.js';
import { isInvalidPart, isNoSuchUpload, type S3Bucket, type TaggedPart } from './s3-bucket.js';
import { inUpload, uploadPart } from './s3-upload.js';

/** Limits of S3. */
const LEAST_PART = 5 * 1024 ** 2;
const MOST_PART = 5 * 1024 ** 3;
const MOST_PARTS = 10_000;

/** Server-side copies at one time. */
const COPIES_AT_ONCE = 4;

/** Chunks of a job as parts of an upload: nothing is written twice (spec/objectstore.md 13.3, `directParts`). */
export function s3Parts(bucket: S3Bucket, open: BlobStore['open']): PartStore {
  const present: PartStore['present'] = async ({ key, uploadId }, signal) => {
    const parts = await gone(key, () => bucket.partsOf(key, uploadId, signal));
    return new Map(parts.map(({ number, tag }) => [number - 1, tag]));
  };
  return {
    fits: ({ chunkLength, contentLength }) => contentLength > 0 && copyable(chunkLength, contentLength),
    begin: (key, filling, signal) => bucket.begin(key, filling, signal),
    put: async ({ key, uploadId }, number, source, signal) => {
      const meter = contentMeter(source);
      const place = { key, uploadId, number: number + 1 };
      const tag = await gone(key, () => uploadPart(bucket, place, meter, source.expectedBytes, signal));
      return { ...meter.result(), tag };
    },
    complete: async ({ key, uploadId }, tags, layout, signal) => {
      const parts = tags.map((tag, index) => ({ number: index + 1, tag }));
      try {
        await bucket.complete(key, uploadId, parts, signal);
      } catch (error) {
        if (isInvalidPart(error)) throw new OtherParts(key);
        if (!isNoSuchUpload(error)) throw error;
        // whoever completed it may not have lived to say so
        if ((await bucket.head(key))?.bytes !== layout.contentLength) throw new UploadGone(key);
      }
    },
    measure: async (key, signal) => measure(open, key, signal),
    cut: async (from, { key, uploadId }, layout, signal) => {
      const parts = await copied(partRanges(layout), (range, index) =>
        bucket.copyPart({ key, uploadId, number: index + 1 }, from, range, signal),
      );
      return parts.map(({ tag }) => tag);
    },
    present,
  };
}

/**
 * Joins pieces: by copies inside the store where it allows parts of their length, while they are read once for the hashes; else by
 * reading and writing (spec/objectstore.md 13.3).
 */
export async function assemble(
  bucket: S3Bucket,
  store: Pick<BlobStore, 'open' | 'put'>,
  key: BlobKey,
  pieces: BlobPieces,
  signal: AbortSignal,
): Promise<StoredContent> {
  const { keys, count, pieceBytes, bytes, verify } = pieces;
  if (count < 2 || !copyable(pieceBytes, bytes))
    return store.put(key, { bytes: concatenated(store.open, keys), expectedBytes: bytes, verify }, signal);
  const known: BlobKey[] = [];
  for await (const piece of keys) known.push(piece);
  const meter = contentMeter({ bytes: concatenated(store.open, known), expectedBytes: bytes, verify });
  await inUpload(bucket, key, 'copied', signal, async (uploadId) => {
    const copying = copied(known, (piece, index) =>
      bucket.copyPart({ key, uploadId, number: index + 1 }, piece, null, signal),
    );
    const [parts] = await Promise.all([copying, drain(meter.through(), signal)]);
    return parts;
  });
  return meter.result();
}

function copyable(pieceBytes: number, bytes: number): boolean {
  return pieceBytes >= LEAST_PART && pieceBytes <= MOST_PART && Math.ceil(bytes / pieceBytes) <= MOST_PARTS;
}

async function* concatenated(
  open: BlobStore['open'],
  keys: AsyncIterable<BlobKey> | Iterable<BlobKey>,
): AsyncGenerator<Buffer> {
  for await (const key of keys) yield* (await open(key)) as AsyncIterable<Buffer>;
}

async function measure(open: BlobStore['open'], key: BlobKey, signal: AbortSignal): Promise<StoredContent> {
  const bytes = (await open(key)) as AsyncIterable<Buffer>;
  const meter = contentMeter({ bytes, expectedBytes: null });
  await drain(meter.through(), signal);
  return meter.result();
}

async function drain(bytes: AsyncIterable<Buffer>, signal: AbortSignal): Promise<void> {
  for await (const _chunk of bytes) signal.throwIfAborted();
}

function* partRanges({ chunkLength, contentLength }: PartLayout): Generator<{ first: number; last: number }> {
  for (let first = 0; first < contentLength; first += chunkLength)
    yield { first, last: Math.min(first + chunkLength, contentLength) - 1 };
}

/** Copies some at a time; the parts come back in order. */
async function copied<Item>(
  items: Iterable<Item>,
  copy: (item: Item, index: number) => Promise<string>,
): Promise<readonly TaggedPart[]> {
  const waiting = [...items].entries();
  const parts: TaggedPart[] = [];
  const worker = async (): Promise<void> => {
    for (const [index, item] of waiting) parts.push({ number: index + 1, tag: await copy(item, index) });
  };
  await Promise.all(Array.from({ length: COPIES_AT_ONCE }, worker));
  return parts.sort((a, b) => a.number - b.number);
}

async function gone<Result>(key: BlobKey, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isNoSuchUpload(error)) throw new UploadGone(key);
    throw error;
  }
}
