import { constants } from 'node:fs';
import { access, type FileHandle, link, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type BlobKey, isChunkKey } from '../naming/blob-key.js';
import { BlobMissing, type BlobPieces, type BlobStore, type StoredContent, type StoredItem } from './blob-store.js';
import { contentMeter } from './measure-content.js';

/** Bytes per read: fewer calls than Node's 64 KiB, still small beside the socket's buffers. */
const READ_BYTES = 256 * 1024;

/** Ranges up to this many bytes are read in one call. */
const MOST_READ_AT_ONCE = 64 * 1024;

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
  const publish = filePublisher(root);
  const put: BlobStore['put'] = async (key, source, signal) => {
    const meter = contentMeter(source);
    const part = await open(partOf(key), 'wx', 0o600);
    try {
      await pipeline(meter.through, fileWriter(part), { signal });
      const stored = meter.result();
      await part.datasync();
      await part.close();
      await publish(partOf(key), fileOf(key));
      return stored;
    } catch (error) {
      await part.close().catch(() => undefined);
      await rm(partOf(key), { force: true });
      throw error;
    }
  };
  async function* concatenated(keys: AsyncIterable<BlobKey>): AsyncGenerator<Buffer> {
    for await (const key of keys) {
      const file = await openForReading(fileOf(key), key);
      yield* file.createReadStream({ highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>;
    }
  }
  /** A single piece is durable already: it only gets a second name, and is read for its hashes. */
  const adopt = async (key: BlobKey, pieces: BlobPieces, signal: AbortSignal): Promise<StoredContent> => {
    const keys: BlobKey[] = [];
    for await (const piece of pieces.keys) keys.push(piece);
    const meter = contentMeter({ bytes: concatenated(each(keys)), expectedBytes: pieces.bytes, verify: pieces.verify });
    for await (const _chunk of meter.through()) signal.throwIfAborted();
    try {
      for (const piece of keys) await link(fileOf(piece), partOf(key));
      await publish(partOf(key), fileOf(key));
      return meter.result();
    } catch (error) {
      await rm(partOf(key), { force: true });
      throw error;
    }
  };
  return {
    adapter: 'filesystem',
    put,
    assemble: (key, pieces, signal) =>
      pieces.count === 1
        ? adopt(key, pieces, signal)
        : put(key, { bytes: concatenated(pieces.keys), expectedBytes: pieces.bytes, verify: pieces.verify }, signal),
    open: async (key, range) => {
      const file = await openForReading(fileOf(key), key);
      if (range !== undefined && range.last - range.first < MOST_READ_AT_ONCE) return readAtOnce(file, range);
      const part = range === undefined ? {} : { start: range.first, end: range.last };
      return file.createReadStream({ ...part, highWaterMark: READ_BYTES });
    },
    remove: async (key) => {
      await rm(partOf(key), { force: true });
      await rm(fileOf(key), { force: true });
      if (isChunkKey(key)) await removeEmpty(dirname(fileOf(key)), root);
    },
    stat: async (key) => {
      try {
        return { bytes: (await stat(fileOf(key))).size };
      } catch (error) {
        if (isAbsent(error)) return null;
        throw error;
      }
    },
    list: () => listFiles(root),
    close: () => undefined,
    check: () => access(tmp, constants.W_OK),
  };
}

/** Little is read in one go: a stream would cost more than the bytes. */
async function readAtOnce(
  file: FileHandle,
  { first, last }: { readonly first: number; readonly last: number },
): Promise<Readable> {
  try {
    const buffer = Buffer.allocUnsafe(last - first + 1);
    const { bytesRead } = await file.read(buffer, 0, buffer.byteLength, first);
    if (bytesRead !== buffer.byteLength) throw new Error('a blob is shorter than its row says');
    return Readable.from([buffer], { objectMode: false });
  } finally {
    await file.close();
  }
}

/** Gives a file that is durable its final name, durably. */
function filePublisher(root: string): (from: string, to: string) => Promise<void> {
  // directories of versions stay for ever, so each is made once
  const made = new Set<string>();
  return async (from, to) => {
    const directory = dirname(to);
    for (let attempt = 1; ; attempt += 1) {
      if (!made.has(directory)) await makeDirectory(directory);
      try {
        await rename(from, to);
        break;
      } catch (error) {
        // directories of chunks go when they are empty, perhaps just now; so may one that an operator has tidied up
        if (!isAbsent(error) || attempt === MOST_ATTEMPTS) throw error;
        made.delete(directory);
      }
    }
    await syncDirectory(directory);
    if (!isChunkKey(relative(root, to))) made.add(directory);
  };
}

const MOST_ATTEMPTS = 5;

/** Directories of a job and its chunks, when nothing is in them any more. */
async function removeEmpty(path: string, root: string): Promise<void> {
  for (let at = path; relative(root, at).includes(sep); at = dirname(at)) {
    try {
      await rmdir(at);
    } catch {
      return;
    }
  }
}

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

/** Files with ids as names: blobs, and what is under way in `tmp`. */
async function* listFiles(root: string): AsyncGenerator<StoredItem> {
  for (const top of ['b', 'c', 'tmp']) yield* filesIn(join(root, top));
}

async function* filesIn(path: string): AsyncGenerator<StoredItem> {
  const entries = await readdir(path, { withFileTypes: true }).catch(unlessAbsent([]));
  for (const entry of entries) {
    const file = join(path, entry.name);
    if (entry.isDirectory()) yield* filesIn(file);
    else if (/^[0-9a-f-]{36}$/.test(entry.name)) {
      const found = await stat(file).catch(unlessAbsent(null));
      if (found !== null) yield { id: entry.name, modified: found.mtime, remove: () => rm(file, { force: true }) };
    }
  }
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
async function makeDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  // only the directories that have got a new entry
  for (let above = dirname(path); above !== dirname(first); above = dirname(above)) await syncDirectory(above);
  await syncDirectory(dirname(first));
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function unlessAbsent<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (isAbsent(error)) return value;
    throw error;
  };
}

function isAbsent(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT';
}
