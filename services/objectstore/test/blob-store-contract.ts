import { createHash, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BlobMissing, type BlobStore, WrongLength } from '../src/blobs/blob-store.js';
import { type BlobKey, newChunkKey, newVersionKey } from '../src/naming/blob-key.js';

/** A store under test. */
export interface OpenedStore {
  readonly store: BlobStore;
  close(): Promise<void>;
}

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

    it.each([0, 1, 65_536, 5 * 1024 * 1024 + 1])(
      'gives back the %d bytes it was given, and their hashes',
      async (size) => {
        const { key } = newVersionKey(new Date());
        const bytes = randomBytes(size);
        const stored = await store.put(key, pieces(bytes), size, never);
        expect(stored.bytes).toBe(size);
        expect(stored.md5.equals(createHash('md5').update(bytes).digest())).toBe(true);
        expect(stored.sha256.equals(createHash('sha256').update(bytes).digest())).toBe(true);
        expect((await read(await store.open(key))).equals(bytes)).toBe(true);
        expect(await store.stat(key)).toEqual({ bytes: size });
      },
    );

    it('takes a stream of unknown length', async () => {
      const { key } = newVersionKey(new Date());
      expect((await store.put(key, pieces(Buffer.from('hello')), null, never)).bytes).toBe(5);
      expect((await read(await store.open(key))).toString()).toBe('hello');
    });

    it('gives a range, first and last byte included', async () => {
      const { key } = newVersionKey(new Date());
      await store.put(key, pieces(Buffer.from('0123456789')), 10, never);
      expect((await read(await store.open(key, { first: 2, last: 4 }))).toString()).toBe('234');
      expect((await read(await store.open(key, { first: 9, last: 9 }))).toString()).toBe('9');
    });

    it.each([
      ['shorter', 6],
      ['longer', 4],
    ])('keeps nothing of a source that is %s than announced', async (_, announced) => {
      const { key } = newVersionKey(new Date());
      await expect(store.put(key, pieces(Buffer.from('hello')), announced, never)).rejects.toBeInstanceOf(WrongLength);
      await expectNothing(store, key);
    });

    it('keeps nothing of a source that breaks', async () => {
      const { key } = newVersionKey(new Date());
      await expect(store.put(key, broken(), null, never)).rejects.toThrow('the source broke');
      await expectNothing(store, key);
    });

    it('keeps nothing of a put that is aborted, and does not wait for the source', async () => {
      const { key } = newVersionKey(new Date());
      const abort = new AbortController();
      const putting = store.put(
        key,
        stalled(() => abort.abort(new Error('enough'))),
        null,
        abort.signal,
      );
      await expect(putting).rejects.toThrow();
      await expectNothing(store, key);
    });

    it('says before any byte that there is nothing', async () => {
      const { key } = newVersionKey(new Date());
      await expect(store.open(key)).rejects.toBeInstanceOf(BlobMissing);
      await expectNothing(store, key);
    });

    it('removes, and again, and goes on with reading what is open', async () => {
      const { key } = newVersionKey(new Date());
      const bytes = randomBytes(3 * 1024 * 1024);
      await store.put(key, pieces(bytes), bytes.byteLength, never);
      const reading = await store.open(key);
      await store.remove(key);
      await store.remove(key);
      expect((await read(reading)).equals(bytes)).toBe(true);
      await expectNothing(store, key);
    });

    it('makes one blob of several and leaves those as they are', async () => {
      const parts = ['one', '', 'three'].map((text) => ({
        text,
        key: newChunkKey('ABCDEFGHIJKLMNOPQRSTUVWXYZ', 0).key,
      }));
      for (const { key, text } of parts) await store.put(key, pieces(Buffer.from(text)), text.length, never);
      const { key } = newVersionKey(new Date());
      const stored = await store.assemble(key, keysOf(parts), 8, never);
      expect(stored.bytes).toBe(8);
      expect(stored.md5.equals(createHash('md5').update('onethree').digest())).toBe(true);
      expect((await read(await store.open(key))).toString()).toBe('onethree');
      for (const part of parts) expect((await read(await store.open(part.key))).toString()).toBe(part.text);
    });

    it('makes nothing of parts that are not all there, or of another length', async () => {
      const there = newVersionKey(new Date()).key;
      await store.put(there, pieces(Buffer.from('one')), 3, never);
      const { key } = newVersionKey(new Date());
      const missing = [{ key: there }, { key: newVersionKey(new Date()).key }];
      await expect(store.assemble(key, keysOf(missing), 6, never)).rejects.toBeInstanceOf(BlobMissing);
      await expectNothing(store, key);
      await expect(store.assemble(key, keysOf([{ key: there }]), 4, never)).rejects.toBeInstanceOf(WrongLength);
      await expectNothing(store, key);
    });

    it('is ready', async () => {
      await store.check(never);
    });
  });
}

async function expectNothing(store: BlobStore, key: BlobKey): Promise<void> {
  expect(await store.stat(key)).toBeNull();
  await expect(store.open(key)).rejects.toBeInstanceOf(BlobMissing);
  await store.remove(key);
}

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.byteLength; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

async function* keysOf(parts: readonly { readonly key: BlobKey }[]): AsyncGenerator<BlobKey> {
  for (const { key } of parts) yield key;
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
