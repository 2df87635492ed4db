import { constants } from 'node:fs';
import { access, type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BlobKey } from '../naming/blob-key.js';
import { BlobMissing, type BlobStore } from './blob-store.js';
import { contentMeter } from './measure-content.js';

/** Bytes per read: fewer calls than Node's 64 KiB, still small beside the socket's buffers. */
const READ_BYTES = 256 * 1024;

/** Bytes that may wait for the file. */
const WRITE_BYTES = 1024 * 1024;

/**
 * Blobs as files of a directory that the service has for itself (spec/objectstore.md 13.4). Bytes are written under `tmp`, made
 * durable there and then renamed, so that a key has all its bytes or is not there.
 * @throws when the directory cannot be used, or `tmp` is on another device so that a rename would copy
 */
export async function openFilesystemStore(root: string): Promise<BlobStore> {
  const tmp = join(root, 'tmp');
  await mkdir(tmp, { recursive: true, mode: 0o700 });
  if ((await stat(root)).dev !== (await stat(tmp)).dev)
    throw new Error(`The blob directory and its "tmp" must be on one device: ${root}`);
  const fileOf = (key: BlobKey): string => join(root, key);
  const partOf = (key: BlobKey): string => join(tmp, key.slice(key.lastIndexOf('/') + 1));
  const put: BlobStore['put'] = async (key, source, expectedBytes, signal) => {
    const meter = contentMeter(expectedBytes);
    const part = await open(partOf(key), 'wx', 0o600);
    try {
      await pipeline(source, meter.through, fileWriter(part), { signal });
      const stored = meter.result();
      await part.datasync();
      await part.close();
      await makeDirectory(root, dirname(fileOf(key)));
      await rename(partOf(key), fileOf(key));
      await syncDirectory(dirname(fileOf(key)));
      return stored;
    } catch (error) {
      await part.close().catch(() => undefined);
      await rm(partOf(key), { force: true });
      throw error;
    }
  };
  async function* concatenated(parts: AsyncIterable<BlobKey>): AsyncGenerator<Buffer> {
    for await (const key of parts) {
      const file = await openForReading(fileOf(key), key);
      yield* file.createReadStream({ highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>;
    }
  }
  return {
    adapter: 'filesystem',
    put,
    assemble: (key, parts, expectedBytes, signal) => put(key, concatenated(parts), expectedBytes, signal),
    open: async (key, range) => {
      const file = await openForReading(fileOf(key), key);
      const part = range === undefined ? {} : { start: range.first, end: range.last };
      return file.createReadStream({ ...part, highWaterMark: READ_BYTES });
    },
    remove: async (key) => {
      await rm(partOf(key), { force: true });
      await rm(fileOf(key), { force: true });
    },
    stat: async (key) => {
      try {
        return { bytes: (await stat(fileOf(key))).size };
      } catch (error) {
        if (isAbsent(error)) return null;
        throw error;
      }
    },
    check: () => access(tmp, constants.W_OK),
  };
}

/**
 * Writes to an open file, which it leaves open to be made durable. What arrives while a write is under way goes into the next
 * one, so that hashing and writing overlap.
 */
function fileWriter(file: FileHandle): Writable {
  const write = (bytes: Buffer, done: (error?: Error | null) => void): void => {
    file.writeFile(bytes).then(() => done(), done);
  };
  return new Writable({
    highWaterMark: WRITE_BYTES,
    write: (chunk: Buffer, _encoding, done) => write(chunk, done),
    writev: (chunks, done) => write(Buffer.concat(chunks.map(({ chunk }: { chunk: Buffer }) => chunk)), done),
  });
}

async function openForReading(path: string, key: BlobKey): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (isAbsent(error)) throw new BlobMissing(key);
    throw error;
  }
}

/** Makes a directory; its entry and those of new directories above it are made durable too. */
async function makeDirectory(root: string, path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let above = dirname(path); above.startsWith(root); above = dirname(above)) await syncDirectory(above);
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function isAbsent(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';
}
