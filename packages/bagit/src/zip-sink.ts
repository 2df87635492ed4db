import type { Writable } from 'node:stream';
import { constants, crc32, createDeflateRaw, type DeflateRaw } from 'node:zlib';
import type { BagSink, EntryWriter } from './bag-sink.js';
import { endStream, writeChunk } from './stream-write.js';
import { centralHeader, dataDescriptor, endRecords, localHeader, type ZipEntry } from './zip-format.js';

/** Below this a declared length needs no eight-byte sizes, even if deflate made the content larger. */
const SMALL = 0xf000_0000;

/** Content that deflate cannot make smaller. */
const COMPRESSED =
  /\.(?:7z|avif|br|bz2|docx|flac|gif|gz|heic|jpe?g|jp2|m4a|mkv|mov|mp3|mp4|ogg|parquet|png|pptx|rar|tgz|webm|webp|xlsx|xz|zip|zst)$/i;

/**
 * A zip file written in one pass and without knowing lengths: sizes follow the content, with eight bytes when it could be
 * large. In memory are one deflate window and the central directory, some 100 bytes for each entry.
 */
export class ZipSink implements BagSink {
  readonly needsLength = false;
  readonly #destination: Writable;
  readonly #time: Date;
  #offset = 0;
  #entries = 0;
  readonly #central: Buffer[] = [];

  constructor(destination: Writable, time: Date) {
    this.#destination = destination;
    this.#time = time;
  }

  async directory(path: string): Promise<void> {
    const entry = this.#entry(`${path}/`, 'store', false);
    await this.#write(localHeader(entry));
    await this.#close(entry, { crc: 0, compressed: 0, size: 0 });
  }

  open(path: string, length: number | undefined): EntryWriter {
    const method = COMPRESSED.test(path) ? 'store' : 'deflate';
    return new ZipEntryWriter(
      (chunk) => this.#write(chunk),
      async () => {
        const entry = this.#entry(path, method, length === undefined || length >= SMALL);
        await this.#write(localHeader(entry));
        return entry;
      },
      (entry, sizes) => this.#close(entry, sizes),
      method,
    );
  }

  async finish(): Promise<void> {
    const offset = this.#offset;
    for (const header of this.#central) await this.#write(header);
    await this.#write(endRecords(this.#entries, offset, this.#offset - offset));
    await endStream(this.#destination);
  }

  async abort(reason: Error): Promise<void> {
    this.#destination.destroy(reason);
  }

  #entry(name: string, method: ZipEntry['method'], zip64: boolean): ZipEntry {
    return {
      name: Buffer.from(name),
      method,
      zip64,
      directory: name.endsWith('/'),
      time: this.#time,
      offset: this.#offset,
    };
  }

  async #write(chunk: Uint8Array): Promise<void> {
    this.#offset += chunk.byteLength;
    await writeChunk(this.#destination, chunk);
  }

  async #close(entry: ZipEntry, sizes: Parameters<typeof dataDescriptor>[1]): Promise<void> {
    await this.#write(dataDescriptor(entry, sizes));
    this.#central.push(centralHeader(entry, sizes));
    this.#entries += 1;
  }
}

class ZipEntryWriter implements EntryWriter {
  started = false;
  readonly #output: (chunk: Uint8Array) => Promise<void>;
  readonly #begin: () => Promise<ZipEntry>;
  readonly #close: (entry: ZipEntry, sizes: Parameters<typeof dataDescriptor>[1]) => Promise<void>;
  readonly #deflate: DeflateRaw | undefined;
  #entry: ZipEntry | undefined;
  #pump: Promise<void> = Promise.resolve();
  #crc = 0;
  #size = 0;
  #compressed = 0;

  constructor(
    output: (chunk: Uint8Array) => Promise<void>,
    begin: () => Promise<ZipEntry>,
    close: (entry: ZipEntry, sizes: Parameters<typeof dataDescriptor>[1]) => Promise<void>,
    method: ZipEntry['method'],
  ) {
    this.#output = output;
    this.#begin = begin;
    this.#close = close;
    this.#deflate = method === 'deflate' ? createDeflateRaw({ level: constants.Z_BEST_SPEED }) : undefined;
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.#entry === undefined) this.#entry = await this.#start();
    this.#crc = crc32(chunk, this.#crc);
    this.#size += chunk.byteLength;
    if (this.#deflate === undefined) {
      this.#compressed += chunk.byteLength;
      await this.#output(chunk);
      return;
    }
    try {
      await writeChunk(this.#deflate, chunk);
    } catch (error) {
      // deflate was closed because the output failed: that is the reason to tell
      await this.#pump;
      throw error;
    }
  }

  async end(): Promise<void> {
    const entry = this.#entry ?? (await this.#start());
    this.#deflate?.end();
    await this.#pump;
    await this.#close(entry, { crc: this.#crc, compressed: this.#compressed, size: this.#size });
  }

  async #start(): Promise<ZipEntry> {
    this.started = true;
    const entry = await this.#begin();
    if (this.#deflate !== undefined) {
      this.#pump = this.#drain(this.#deflate);
      this.#pump.catch(() => {});
    }
    return entry;
  }

  async #drain(deflate: DeflateRaw): Promise<void> {
    for await (const chunk of deflate) {
      this.#compressed += chunk.byteLength;
      await this.#output(chunk);
    }
  }
}
