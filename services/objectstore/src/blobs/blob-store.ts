import type { Readable } from 'node:stream';
import type { BlobKey } from '../naming/blob-key.js';

/** What was stored: counted and hashed while the bytes went by. */
export interface StoredContent {
  readonly bytes: number;
  readonly md5: Buffer;
  readonly sha256: Buffer;
}

/**
 * Where bytes live. A key is written once and never changed; whoever can open a key reads exactly what `put` was given.
 * `test/blob-store-contract.ts` is the suite each adapter must pass.
 */
export interface BlobStore {
  /** Name of the adapter, recorded with each blob. */
  readonly adapter: string;
  /**
   * Stores a stream durably: when this resolves, the bytes survive a power cut. When it rejects, because of the source, the store or
   * the signal, {@link open} knows nothing of the key and {@link remove} clears what is left.
   * @param expectedBytes length of the source, null when nobody knows; another length rejects with {@link WrongLength}
   */
  put(
    key: BlobKey,
    source: AsyncIterable<Buffer>,
    expectedBytes: number | null,
    signal: AbortSignal,
  ): Promise<StoredContent>;
  /**
   * Makes one blob of several, in order, and hashes it on the way; the parts stay. Otherwise as {@link put}.
   * @throws {BlobMissing} when a part is not there
   */
  assemble(
    key: BlobKey,
    parts: AsyncIterable<BlobKey>,
    expectedBytes: number,
    signal: AbortSignal,
  ): Promise<StoredContent>;
  /**
   * Opens a blob, or the bytes from `first` to `last` of it, both included.
   * @throws {BlobMissing} before any byte, when there is nothing at the key
   */
  open(key: BlobKey, range?: { readonly first: number; readonly last: number }): Promise<Readable>;
  /** Removes a blob and what a broken `put` left of it. Nothing there is success too. */
  remove(key: BlobKey): Promise<void>;
  /** Length of a blob, null when there is none. */
  stat(key: BlobKey): Promise<{ readonly bytes: number } | null>;
  /**
   * A URL under which anybody reads the blob for some time, with these headers; absent when the store has none.
   */
  presign?(
    key: BlobKey,
    headers: { readonly type: string; readonly disposition: string },
    seconds: number,
  ): Promise<string>;
  /** Rejects when the store cannot be used, for the readiness check. */
  check(signal: AbortSignal): Promise<void>;
}

/** The source had another length than was announced. */
export class WrongLength extends Error {
  constructor(expected: number, received: number) {
    super(`expected ${expected} bytes, received ${received}`);
    this.name = 'WrongLength';
  }
}

/** There is nothing at a key. */
export class BlobMissing extends Error {
  constructor(key: BlobKey) {
    super(`no blob at ${key}`);
    this.name = 'BlobMissing';
  }
}
