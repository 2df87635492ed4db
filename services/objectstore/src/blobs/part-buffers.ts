import { randomUUID } from 'node:crypto';
import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { ChunkReader } from './chunk-reader.js';

/** A part of unknown length that has been collected, so that its length is known. */
export interface CollectedPart {
  readonly bytes: number;
  /** In memory, or a stream of the file it was put into. */
  body(): Buffer | Readable;
  release(): Promise<void>;
}

/** Collects parts in a few buffers that the whole process shares, and in files when those are in use or too small. */
export interface PartBuffers {
  /** Takes the next bytes of a reader, at most so many. */
  collect(reader: ChunkReader, limit: number): Promise<CollectedPart>;
}

/**
 * @param count buffers kept in memory
 * @param bufferBytes length of each
 * @param directory where the others go; a file there has no name once it is open
 */
export function partBuffers(count: number, bufferBytes: number, directory: string): PartBuffers {
  const free: Buffer[] = [];
  let made = 0;
  const take = (): Buffer | null => {
    const buffer = free.pop();
    if (buffer !== undefined) return buffer;
    if (made === count) return null;
    made += 1;
    return Buffer.allocUnsafeSlow(bufferBytes);
  };
  return {
    collect: async (reader, limit) => {
      const buffer = limit <= bufferBytes ? take() : null;
      if (buffer === null) return collectInFile(reader, limit, directory);
      try {
        return await collectInMemory(reader, limit, buffer, () => free.push(buffer));
      } catch (error) {
        free.push(buffer);
        throw error;
      }
    },
  };
}

async function collectInMemory(
  reader: ChunkReader,
  limit: number,
  buffer: Buffer,
  giveBack: () => void,
): Promise<CollectedPart> {
  let bytes = 0;
  for await (const chunk of reader.take(limit)) bytes += chunk.copy(buffer, bytes);
  return { bytes, body: () => buffer.subarray(0, bytes), release: async () => giveBack() };
}

async function collectInFile(reader: ChunkReader, limit: number, directory: string): Promise<CollectedPart> {
  const path = join(directory, `holdfast-part-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    let bytes = 0;
    for await (const chunk of reader.take(limit)) {
      await file.write(chunk, 0, chunk.byteLength, bytes);
      bytes += chunk.byteLength;
    }
    return {
      bytes,
      body: () => file.createReadStream({ start: 0, end: bytes - 1, autoClose: false }),
      release: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}
