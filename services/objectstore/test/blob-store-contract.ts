import { createHash, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BlobMissing, type BlobPieces, type BlobStore, WrongLength } from '../src/blobs/blob-store.js';
import { type BlobKey, newChunkKey, newVersionKey } from '../src/naming/blob-key.js';

/** A store under test. */
export interface OpenedStore {
  readonly store: BlobStore;
  close(): Promise<void>;
}

const MIB = 1024 * 1024;

const never = new AbortController().signal;

/** What every adapter must do, whatever it keeps the bytes in. */
export function blobStoreContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`the contract of blob stores: ${name}`, () => {
    let opened: OpenedStore;
    let store: BlobStore;
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened.close());

    it.each([0, 1, 65_536, 65_537, 5 * MIB + 1, 16 * MIB, 16 * MIB + 1, 40 * MIB])(
      'gives back the %d bytes it was given, and their hashes',
      async (size) => {
        const { key } = newVersionKey(new Date());
        const bytes = randomBytes(size);
        const stored = await store.put(key, { bytes: pieces(bytes), expectedBytes: size }, never);
        expect(stored.bytes).toBe(size);
        expect(stored.md5.equals(createHash('md5').update(bytes).digest())).toBe(true);
        expect(stored.sha256.equals(createHash('sha256').update(bytes).digest())).toBe(true);
        expect((await read(await store.open(key))).equals(bytes)).toBe(true);
        expect(await store.stat(key)).toEqual({ bytes: size });
      },
    );

    it.each([0, 8 * MIB, 8 * MIB + 1, 30 * MIB])('takes a stream of unknown length: %d bytes', async (size) => {
      const { key } = newVersionKey(new Date());
      const bytes = randomBytes(size);
      expect((await store.put(key, { bytes: pieces(bytes), expectedBytes: null }, never)).bytes).toBe(size);
      expect((await read(await store.open(key))).equals(bytes)).toBe(true);
    });

    it('takes a short stream of unknown length', async () => {
      const { key } = newVersionKey(new Date());
      expect((await store.put(key, { bytes: pieces(Buffer.from('hello')), expectedBytes: null }, never)).bytes).toBe(5);
      expect((await read(await store.open(key))).toString()).toBe('hello');
    });

    it('gives a range, first and last byte included', async () => {
      const { key } = newVersionKey(new Date());
      await store.put(key, { bytes: pieces(Buffer.from('0123456789')), expectedBytes: 10 }, never);
      expect((await read(await store.open(key, { first: 2, last: 4 }))).toString()).toBe('234');
      expect((await read(await store.open(key, { first: 9, last: 9 }))).toString()).toBe('9');
    });

    it.each([
      ['shorter', 6],
      ['longer', 4],
    ])('keeps nothing of a source that is %s than announced', async (_, announced) => {
      const { key } = newVersionKey(new Date());
      await expect(
        store.put(key, { bytes: pieces(Buffer.from('hello')), expectedBytes: announced }, never),
      ).rejects.toBeInstanceOf(WrongLength);
      await expectNothing(store, key);
    });

    it('keeps nothing of a source that breaks', async () => {
      const { key } = newVersionKey(new Date());
      await expect(store.put(key, { bytes: broken(), expectedBytes: null }, never)).rejects.toThrow('the source broke');
      await expectNothing(store, key);
    });

    it.each([
      ['unknown', null],
      ['small', 1000],
      ['large', 30 * 1024 * 1024],
    ])(
      'keeps nothing of a put of %s length that is aborted, and does not wait for the source',
      async (_, announced) => {
        const { key } = newVersionKey(new Date());
        const abort = new AbortController();
        const putting = store.put(
          key,
          { bytes: stalled(() => abort.abort(new Error('enough'))), expectedBytes: announced },
          abort.signal,
        );
        await expect(putting).rejects.toThrow();
        await expectNothing(store, key);
      },
    );

    it('says before any byte that there is nothing', async () => {
      const { key } = newVersionKey(new Date());
      await expect(store.open(key)).rejects.toBeInstanceOf(BlobMissing);
      await expectNothing(store, key);
    });

    it('removes, and again, and goes on with reading what is open', async () => {
      const { key } = newVersionKey(new Date());
      const bytes = randomBytes(3 * 1024 * 1024);
      await store.put(key, { bytes: pieces(bytes), expectedBytes: bytes.byteLength }, never);
      const reading = await store.open(key);
      await store.remove(key);
      await store.remove(key);
      expect((await read(reading)).equals(bytes)).toBe(true);
      await expectNothing(store, key);
    });

    it.each([
      ['one', [5]],
      ['small ones', [3, 0, 5]],
      ['some of 5 MiB', [5 * MIB, 5 * MIB, 7]],
      ['some just below 5 MiB', [5 * MIB - 1, 5 * MIB - 1, 5 * MIB - 1]],
    ])('makes one blob of several and leaves those as they are: %s', async (_, lengths) => {
      const parts = lengths.map((length) => ({ bytes: randomBytes(length), key: chunkKey() }));
      for (const { key, bytes } of parts)
        await store.put(key, { bytes: pieces(bytes), expectedBytes: bytes.byteLength }, never);
      const whole = Buffer.concat(parts.map(({ bytes }) => bytes));
      const { key } = newVersionKey(new Date());
      const stored = await store.assemble(key, joined(parts, lengths[0] ?? 0, whole.byteLength), never);
      expect(stored.bytes).toBe(whole.byteLength);
      expect(stored.md5.equals(createHash('md5').update(whole).digest())).toBe(true);
      expect((await read(await store.open(key))).equals(whole)).toBe(true);
      for (const part of parts) expect((await read(await store.open(part.key))).equals(part.bytes)).toBe(true);
      // and goes on without them
      for (const part of parts) await store.remove(part.key);
      expect((await read(await store.open(key))).equals(whole)).toBe(true);
    });

    it('makes nothing of parts that are not all there, of another length, or of other content than they should have', async () => {
      const there = newVersionKey(new Date()).key;
      await store.put(there, { bytes: pieces(Buffer.from('one')), expectedBytes: 3 }, never);
      const { key } = newVersionKey(new Date());
      const missing = [{ key: there }, { key: newVersionKey(new Date()).key }];
      await expect(store.assemble(key, joined(missing, 3, 6), never)).rejects.toBeInstanceOf(BlobMissing);
      await expectNothing(store, key);
      await expect(store.assemble(key, joined([{ key: there }], 3, 4), never)).rejects.toBeInstanceOf(WrongLength);
      await expectNothing(store, key);
      const wrong = { ...joined([{ key: there }], 3, 3), verify: refuse };
      await expect(store.assemble(key, wrong, never)).rejects.toThrow('not this');
      await expectNothing(store, key);
    });

    it.each([1, 65_537, 17 * MIB])('keeps nothing of %d bytes that are refused at their end', async (size) => {
      const { key } = newVersionKey(new Date());
      const source = { bytes: pieces(randomBytes(size)), expectedBytes: size, verify: refuse };
      await expect(store.put(key, source, never)).rejects.toThrow('not this');
      await expectNothing(store, key);
    });

    it('tells what it has', async () => {
      const made = newVersionKey(new Date());
      await store.put(made.key, { bytes: pieces(Buffer.from('listed')), expectedBytes: 6 }, never);
      const items = [];
      for await (const item of store.list()) if (item.id === made.id) items.push(item);
      expect(items).toHaveLength(1);
      expect(Math.abs((items[0]?.modified.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
      await items[0]?.remove();
      await expectNothing(store, made.key);
    });

    it('is ready', async () => {
      await store.check(never);
    });
  });
}

async function expectNothing(store: BlobStore, key: BlobKey): Promise<void> {
  expect(await store.stat(key)).toBeNull();
  await expect(store.open(key)).rejects.toBeInstanceOf(BlobMissing);
  await store.remove(key, { uploadId: null });
}

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.byteLength; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

function joined(parts: readonly { readonly key: BlobKey }[], pieceBytes: number, bytes: number): BlobPieces {
  return { keys: keysOf(parts), count: parts.length, pieceBytes, bytes };
}

async function* keysOf(parts: readonly { readonly key: BlobKey }[]): AsyncGenerator<BlobKey> {
  for (const { key } of parts) yield key;
}

function chunkKey(): BlobKey {
  return newChunkKey('ABCDEFGHIJKLMNOPQRSTUVWXYZ', 0).key;
}

function refuse(): never {
  throw new Error('not this');
}

async function* broken(): AsyncGenerator<Buffer> {
  yield Buffer.from('some');
  throw new Error('the source broke');
}

async function* stalled(onStart: () => void): AsyncGenerator<Buffer> {
  yield Buffer.from('some');
  onStart();
  await new Promise((resolve) => setTimeout(resolve, 50));
  yield Buffer.from('more');
}

async function read(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
