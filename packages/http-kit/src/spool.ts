import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';

/** An answer kept until it may be sent: because it must not leave before a commit, or is not to hold what it is read from. */
export interface Spool {
  readonly bytes: number;
  /** The content, where it all fits into memory; else null. */
  readonly whole: Buffer | null;
  /** The content, once. */
  read(): Readable;
  /** Frees it; to be called in any case. */
  discard(): Promise<void>;
}

/** Where a spool keeps what it takes. */
export interface SpoolPlace {
  /** Bytes kept in memory; what is longer goes on in a file. */
  readonly memoryBytes: number;
  /** Where that file is made; it has no name any more once it is open. */
  readonly directory: string;
}

/** Takes a stream to its end. */
export async function spool(source: AsyncIterable<Buffer>, { memoryBytes, directory }: SpoolPlace): Promise<Spool> {
  const memory: Buffer[] = [];
  let file: FileHandle | null = null;
  let bytes = 0;
  let inMemory = 0;
  try {
    for await (const chunk of source) {
      bytes += chunk.byteLength;
      if (file === null && inMemory + chunk.byteLength <= memoryBytes) {
        memory.push(chunk);
        inMemory += chunk.byteLength;
      } else {
        file ??= await namelessFile(directory);
        await writeFully(file, chunk);
      }
    }
  } catch (error) {
    await file?.close();
    throw error;
  }
  const rest = file;
  return {
    bytes,
    whole: rest === null ? Buffer.concat(memory) : null,
    read: () => (rest === null ? Readable.from(memory) : Readable.from(concatenate(memory, rest))),
    discard: async () => {
      await rest?.close();
    },
  };
}

async function namelessFile(directory: string): Promise<FileHandle> {
  const path = join(directory, `holdfast-spool-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

async function writeFully(file: FileHandle, chunk: Buffer): Promise<void> {
  let written = 0;
  while (written < chunk.byteLength) written += (await file.write(chunk, written)).bytesWritten;
}

async function* concatenate(memory: readonly Buffer[], file: FileHandle): AsyncGenerator<Buffer> {
  yield* memory;
  yield* file.createReadStream({ autoClose: false, start: 0 });
}
