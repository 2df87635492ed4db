import type { Readable } from 'node:stream';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { type BlobKey, idOfKey } from '../naming/blob-key.js';
import { BlobMissing, type BlobStore, type StoredItem } from './blob-store.js';
import { partBuffers } from './part-buffers.js';
import { isAbsent, type S3Bucket, s3Bucket } from './s3-bucket.js';
import { openS3Client, type S3Options } from './s3-client.js';
import { assemble, s3Parts } from './s3-parts.js';
import { HELD_PART_BYTES, upload } from './s3-upload.js';

/**
 * Blobs as objects of a bucket (spec/objectstore.md 13.3).
 * @throws when the bucket cannot be used
 */
export async function openS3Store(options: S3Options): Promise<BlobStore> {
  const client = openS3Client(options);
  const bucket = s3Bucket(client, options);
  await refuseUnusable(bucket, options);
  const buffers = partBuffers(options.partBuffers, HELD_PART_BYTES, options.spoolDirectory);
  const open: BlobStore['open'] = async (key, range) => found(key, () => bucket.getObject(key, range));
  const put: BlobStore['put'] = (key, source, signal) => upload(bucket, buffers, key, source, signal);
  return {
    adapter: 's3',
    put,
    assemble: (key, pieces, signal) => assemble(bucket, { open, put }, key, pieces, signal),
    open,
    remove: async (key, unfinished) => {
      if (unfinished !== undefined) await abortUploads(bucket, key, unfinished.uploadId);
      await bucket.remove(key);
    },
    stat: (key) => bucket.head(key),
    list: () => listItems(bucket),
    check: (signal) => bucket.check(signal),
    presign: (key, { type, disposition }, expiresIn) =>
      getSignedUrl(
        client,
        new GetObjectCommand({
          Bucket: options.bucket,
          Key: options.keyPrefix + key,
          ResponseContentType: type,
          ResponseContentDisposition: disposition,
        }),
        { expiresIn },
      ),
    ...(options.directParts ? { parts: s3Parts(bucket, open) } : {}),
    close: () => client.destroy(),
  };
}

async function refuseUnusable(bucket: S3Bucket, options: S3Options): Promise<void> {
  try {
    await bucket.check(AbortSignal.timeout(30_000));
  } catch (error) {
    throw new Error(`The bucket "${options.bucket}" cannot be used: make it first, and check endpoint and keys.`, {
      cause: error,
    });
  }
}

async function found(key: BlobKey, get: () => Promise<Readable>): Promise<Readable> {
  try {
    return await get();
  } catch (error) {
    if (isAbsent(error)) throw new BlobMissing(key);
    throw error;
  }
}

/** Some stores list the uploads of one key only when it is asked for exactly; that is all that is needed here. */
async function abortUploads(bucket: S3Bucket, key: BlobKey, uploadId: string | null): Promise<void> {
  if (uploadId !== null) await bucket.abort(key, uploadId);
  for await (const upload of bucket.uploads(key)) {
    if (upload.key === key) await bucket.abort(key, upload.uploadId);
  }
}

async function* listItems(bucket: S3Bucket): AsyncGenerator<StoredItem> {
  for await (const { key: text, modified } of bucket.objects()) {
    const made = idOfKey(text);
    if (made !== null) yield { id: made.id, modified, remove: () => bucket.remove(made.key) };
  }
  for await (const { key: text, uploadId, begun } of bucket.uploads(null)) {
    const made = idOfKey(text);
    if (made !== null) yield { id: made.id, modified: begun, remove: () => bucket.abort(made.key, uploadId) };
  }
}
