import type { Writable } from 'node:stream';
import { constants, crc32, createDeflateRaw, type DeflateRaw, deflateRawSync } from 'node:zlib';
import type { BagSink, EntryWriter } from './bag-sink.js';
import { endStream, writeChunk } from './stream-write.js';
import { centralHeader, dataDescriptor, endRecords, localHeader, type ZipEntry, type ZipSizes } from './zip-format.js';

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
    return new ZipEntryWriter({
      method,
      begin: async (size) => {
        const known = size ?? length;
        const entry = this.#entry(path, method, known === undefined || known >= SMALL);
        await this.#write(localHeader(entry));
        return entry;
      },
      output: (chunk) => this.#write(chunk),
      close: (entry, sizes) => this.#close(entry, sizes),
    });
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

  async #close(entry: ZipEntry, sizes: ZipSizes): Promise<void> {
    await this.#write(dataDescriptor(entry, sizes));
    this.#central.push(centralHeader(entry, sizes));
    this.#entries += 1;
  }
}

/** Content up to this is compressed in one piece: no deflate stream, and its size is known to the header. */
const ONE_PIECE = 65_536;
const FAST = { level: constants.Z_BEST_SPEED };

interface ZipEntryPorts {
  readonly method: ZipEntry['method'];
  /** writes the local header; `size` where the whole content is there already */
  readonly begin: (size: number | undefined) => Promise<ZipEntry>;
  readonly output: (chunk: Uint8Array) => Promise<void>;
  readonly close: (entry: ZipEntry, sizes: ZipSizes) => Promise<void>;
}

class ZipEntryWriter implements EntryWriter {
  started = false;
  readonly #ports: ZipEntryPorts;
  /** the beginning of the content, until there is more than one piece of it */
  #held: Uint8Array[] = [];
  #open:
    | { readonly entry: ZipEntry; readonly deflate: DeflateRaw | undefined; readonly pump: Promise<void> }
    | undefined;
  #crc = 0;
  #size = 0;
  #compressed = 0;

  constructor(ports: ZipEntryPorts) {
    this.#ports = ports;
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#crc = crc32(chunk, this.#crc);
    this.#size += chunk.byteLength;
    if (this.#open === undefined) {
      this.#held.push(chunk);
      if (this.#size <= ONE_PIECE) return;
      await this.#start();
      for (const held of this.#held) await this.#put(held);
      this.#held = [];
    } else {
      await this.#put(chunk);
    }
  }

  async end(): Promise<void> {
    if (this.#open === undefined) {
      this.started = true;
      const content = Buffer.concat(this.#held);
      const packed = this.#ports.method === 'deflate' ? deflateRawSync(content, FAST) : content;
      const entry = await this.#ports.begin(content.byteLength);
      await this.#ports.output(packed);
      await this.#ports.close(entry, { crc: this.#crc, compressed: packed.byteLength, size: this.#size });
      return;
    }
    const { entry, deflate, pump } = this.#open;
    deflate?.end();
    await pump;
    await this.#ports.close(entry, { crc: this.#crc, compressed: this.#compressed, size: this.#size });
  }

  async #start(): Promise<void> {
    this.started = true;
    const entry = await this.#ports.begin(undefined);
    const deflate = this.#ports.method === 'deflate' ? createDeflateRaw(FAST) : undefined;
    const pump = deflate === undefined ? Promise.resolve() : this.#drain(deflate);
    // awaited at the end; until then a failure must not count as unhandled
    pump.catch(() => {});
    this.#open = { entry, deflate, pump };
  }

  async #put(chunk: Uint8Array): Promise<void> {
    const deflate = this.#open?.deflate;
    if (deflate === undefined) {
      this.#compressed += chunk.byteLength;
      await this.#ports.output(chunk);
      return;
    }
    try {
      await writeChunk(deflate, chunk);
    } catch (error) {
      // deflate was closed because the output failed: that is the reason to tell
      await this.#open?.pump;
      throw error;
    }
  }

  async #drain(deflate: DeflateRaw): Promise<void> {
    for await (const chunk of deflate) {
      this.#compressed += chunk.byteLength;
      await this.#ports.output(chunk);
    }
  }
}
