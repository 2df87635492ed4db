import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract as tarExtract } from 'tar-stream';
import unbzip2 from 'unbzip2-stream';
import type { BagSource, SourceEntry } from './bag-source.js';
import { hasBzip2, throughBzip2 } from './bzip2.js';

const BLOCK = 512;

/** A bag in a tar, read from its beginning each time it is gone through. */
export function tarSource(path: string, compression: 'none' | 'gzip' | 'bzip2'): BagSource {
  return { kind: 'archive', entries: () => walk(path, compression) };
}

async function* walk(
  path: string,
  compression: 'none' | 'gzip' | 'bzip2',
): AsyncGenerator<SourceEntry, void, undefined> {
  const extract = tarExtract();
  let failure: Error | undefined;
  let tail = Buffer.alloc(0);
  const reading = feed(path, compression, async (chunks) => {
    for await (const chunk of chunks) {
      tail = Buffer.concat([tail, chunk.subarray(-BLOCK)]).subarray(-BLOCK);
      if (extract.destroyed) return;
      if (!extract.write(chunk)) await drained(extract);
    }
    // cut off between two entries a tar looks sound but for this
    if (tail.length < BLOCK || tail.some((byte) => byte !== 0)) throw new Error('the tar ends without its end mark');
    extract.end(undefined);
  }).catch((error: Error) => {
    failure = error;
    extract.destroy(error);
  });
  try {
    for await (const entry of extract) {
      const { name, type, size } = entry.header;
      let taken = false;
      yield {
        path: name.replace(/^(?:\.\/)+/, '').replace(/\/+$/, ''),
        kind: kindOf(type, name),
        bytes: size,
        problem: `is a link to ${JSON.stringify(entry.header.linkname)}`,
        read: async () => {
          taken = true;
          return bytesOf(entry);
        },
      };
      if (!taken) entry.resume();
    }
  } catch (error) {
    throw failure ?? error;
  } finally {
    extract.destroy();
    await reading;
  }
}

async function feed(
  path: string,
  compression: 'none' | 'gzip' | 'bzip2',
  sink: (chunks: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  const file = createReadStream(path);
  switch (compression) {
    case 'none':
      return pipeline(file, sink);
    case 'gzip':
      return pipeline(file, createGunzip(), sink);
    case 'bzip2':
      // the program keeps its memory bounded and is faster; the library serves where there is no program
      if (await hasBzip2()) return pipeline(file, (source) => throughBzip2('decompress', source), sink);
      return pipeline(file, (source) => Readable.from(Readable.from(source).pipe(unbzip2())), sink);
  }
}

async function drained(extract: ReturnType<typeof tarExtract>): Promise<void> {
  await new Promise<void>((resolve) => {
    const settle = () => {
      extract.off('drain', settle);
      extract.off('close', settle);
      resolve();
    };
    extract.on('drain', settle);
    extract.on('close', settle);
  });
}

async function* bytesOf(entry: AsyncIterable<unknown>): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of entry) if (chunk instanceof Uint8Array) yield chunk;
}

function kindOf(type: string, name: string): SourceEntry['kind'] {
  if (name.endsWith('/')) return 'directory';
  switch (type) {
    case 'file':
    case 'contiguous-file':
      return 'file';
    case 'directory':
      return 'directory';
    case 'link':
    case 'symlink':
      return 'link';
    default:
      return 'other';
  }
}
