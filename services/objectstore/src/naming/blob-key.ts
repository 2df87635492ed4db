import { randomUUID } from 'node:crypto';

declare const keyBrand: unique symbol;

/** Where the bytes of one blob are. Made by the service, never from a name of a user (spec/objectstore.md 13.2). */
export type BlobKey = string & { readonly [keyBrand]: true };

/** A key with the id of its blob. */
export interface NewBlobKey {
  readonly id: string;
  readonly key: BlobKey;
}

/** A fresh key for the content of a version: `b/<yyyy>/<mm>/<2 hex>/<uuid>`. */
export function newVersionKey(now: Date): NewBlobKey {
  const id = randomUUID();
  const month = String(now.getUTCMonth() + 1).padStart(2, '0');
  return { id, key: parseBlobKey(`b/${now.getUTCFullYear()}/${month}/${id.slice(0, 2)}/${id}`) };
}

/** A fresh key for one chunk of an upload job: `c/<job>/<n>/<uuid>`. */
export function newChunkKey(job: string, n: number): NewBlobKey {
  const id = randomUUID();
  return { id, key: parseBlobKey(`c/${job}/${n}/${id}`) };
}

/**
 * A key that was stored.
 * @throws {TypeError} when it is not of a form the service makes: nothing else may become part of a file name or object key
 */
export function parseBlobKey(text: string): BlobKey {
  if (!/^(b\/\d{4}\/\d\d\/[0-9a-f]{2}|c\/[A-Z2-7]{26}\/\d+)\/[0-9a-f-]{36}$/.test(text))
    throw new TypeError('not a blob key');
  return text as BlobKey;
}

/** A key found in a store with the id in it; null for what the service did not make. */
export function idOfKey(text: string): NewBlobKey | null {
  try {
    return { id: text.slice(-36), key: parseBlobKey(text) };
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Whether a key is that of a chunk, which goes with its job. */
export function isChunkKey(key: string): boolean {
  return key.startsWith('c/');
}
