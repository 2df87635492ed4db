import type { Readable } from 'node:stream';
import type { BlobKey } from '../naming/blob-key.js';

/** What was stored: counted and hashed while the bytes went by. */
export interface StoredContent {
  readonly bytes: number;
  readonly md5: Buffer;
  readonly sha256: Buffer;
}

/** Bytes on their way into a store. */
export interface BlobSource {
  readonly bytes: AsyncIterable<Buffer>;
  /** Length of the source, null when nobody knows; another length rejects with {@link WrongLength}. */
  readonly expectedBytes: number | null;
  /** Judges what has come, before the store has all of it; when it throws, nothing is stored. */
  readonly verify?: ((content: StoredContent) => void) | undefined;
}

/** Blobs to be joined. */
export interface BlobPieces {
  /** Their keys, in order. */
  readonly keys: AsyncIterable<BlobKey>;
  readonly count: number;
  /** Length of each but the last. */
  readonly pieceBytes: number;
  /** Length of all together. */
  readonly bytes: number;
  readonly verify?: ((content: StoredContent) => void) | undefined;
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
   */
  put(key: BlobKey, source: BlobSource, signal: AbortSignal): Promise<StoredContent>;
  /**
   * Makes one blob of several, in order, and hashes it on the way; the pieces may go afterwards. Otherwise as {@link put}.
   * @throws {BlobMissing} when a piece is not there
   */
  assemble(key: BlobKey, pieces: BlobPieces, signal: AbortSignal): Promise<StoredContent>;
  /**
   * Opens a blob, or the bytes from `first` to `last` of it, both included.
   * @throws {BlobMissing} before any byte, when there is nothing at the key
   */
  open(key: BlobKey, range?: { readonly first: number; readonly last: number }): Promise<Readable>;
  /**
   * Removes a blob. Nothing there is success too.
   * @param unfinished given when a `put` or an upload of parts may have been broken off: what that left is removed as well
   */
  remove(key: BlobKey, unfinished?: { readonly uploadId: string | null }): Promise<void>;
  /** Length of a blob, null when there is none. */
  stat(key: BlobKey): Promise<{ readonly bytes: number } | null>;
  /** Everything of the store's making that is there, finished or not, in no order. */
  list(): AsyncIterable<StoredItem>;
  /** Lets go of connections. */
  close(): void;
  /** Rejects when the store cannot be used, for the readiness check. */
  check(signal: AbortSignal): Promise<void>;
  /** A URL under which anybody reads the blob for some time, with these headers; absent when the store has none. */
  presign?(
    key: BlobKey,
    headers: { readonly type: string; readonly disposition: string },
    seconds: number,
  ): Promise<string>;
  /** Blobs written in parts that are sent one by one; absent when the store has no such thing. */
  readonly parts?: PartStore;
}

/** Something found in a store. */
export interface StoredItem {
  /** Id of the blob it belongs, or belonged, to. */
  readonly id: string;
  readonly modified: Date;
  remove(): Promise<void>;
}

/** An upload of parts that has begun. */
export interface PartUpload {
  readonly key: BlobKey;
  readonly uploadId: string;
}

/** How content is cut into parts. */
export interface PartLayout {
  readonly chunkLength: number;
  readonly contentLength: number;
}

/** A blob that comes in parts over time; nothing of it can be read before it is completed (spec/objectstore.md 13.3). */
export interface PartStore {
  /** Whether the store takes parts like these. */
  fits(layout: PartLayout): boolean;
  /**
   * @param filling whether the first parts come by {@link put} or by {@link cut}; later ones may come by `put` in any case
   * @returns the upload's id
   */
  begin(key: BlobKey, filling: 'sent' | 'copied', signal: AbortSignal): Promise<string>;
  /**
   * Stores one part durably; it replaces an earlier one of the number as a whole.
   * @param number counted from 0
   * @returns the tag that {@link complete} wants
   * @throws {UploadGone}
   */
  put(
    upload: PartUpload,
    number: number,
    source: BlobSource & { readonly expectedBytes: number },
    signal: AbortSignal,
  ): Promise<StoredContent & { readonly tag: string }>;
  /**
   * Makes the blob of its parts. An upload that was completed before, by somebody who did not live to say so, is success.
   * @param tags of all parts, in order
   * @throws {UploadGone} when neither the upload nor the blob is there; {@link OtherParts} when the store has others than the tags say
   */
  complete(upload: PartUpload, tags: readonly string[], layout: PartLayout, signal: AbortSignal): Promise<void>;
  /** Reads a whole blob to hash it. */
  measure(key: BlobKey, signal: AbortSignal): Promise<StoredContent>;
  /**
   * Makes a completed blob the parts of another upload; no byte comes here.
   * @returns their tags
   */
  cut(from: BlobKey, upload: PartUpload, layout: PartLayout, signal: AbortSignal): Promise<readonly string[]>;
  /** Tags of the parts the store has, by number. */
  present(upload: PartUpload, signal: AbortSignal): Promise<ReadonlyMap<number, string>>;
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

/** The store has forgotten an upload of parts. */
export class UploadGone extends Error {
  constructor(key: BlobKey) {
    super(`no upload of parts at ${key}`);
    this.name = 'UploadGone';
  }
}

/** The store has other parts of an upload than those recorded. */
export class OtherParts extends Error {
  constructor(key: BlobKey) {
    super(`other parts at ${key}`);
    this.name = 'OtherParts';
  }
}
