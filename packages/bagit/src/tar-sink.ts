import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Pack, pack as tarPack } from 'tar-stream';
import type { BagSink, EntryWriter } from './bag-sink.js';
import { throughBzip2 } from './bzip2.js';
import { writeChunk } from './stream-write.js';

/** A pax tar, plain or compressed (spec/export.md 8.4). */
export class TarSink implements BagSink {
  readonly needsLength = true;
  readonly #pack: Pack = tarPack();
  readonly #destination: Writable;
  readonly #piped: Promise<void>;
  readonly #time: Date;

  constructor(destination: Writable, compression: 'none' | 'gzip' | 'bzip2', time: Date) {
    this.#destination = destination;
    this.#time = time;
    // the errors of a pack reach its entries and the pipe
    this.#pack.on('error', () => {});
    const packed = Readable.from(this.#pack, { objectMode: false });
    this.#piped = pipe(packed, compression, destination);
    this.#piped.catch((error: Error) => this.#pack.destroy(error));
  }

  async directory(path: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const entry = this.#pack.entry(
        { name: `${path}/`, type: 'directory', mode: 0o755, mtime: this.#time, size: 0 },
        (error) => (error ? reject(error) : resolve()),
      );
      entry.on('error', reject);
    });
  }

  open(path: string, length: number | undefined): EntryWriter {
    if (length === undefined) throw new TypeError('a tar entry needs its length');
    return new TarEntryWriter(
      this.#pack,
      { name: path, type: 'file', mode: 0o644, mtime: this.#time, size: length },
      this.#piped,
    );
  }

  async finish(): Promise<void> {
    this.#pack.finalize();
    await this.#piped;
  }

  async abort(reason: Error): Promise<void> {
    this.#destination.destroy(reason);
    this.#pack.destroy(reason);
    // the compressor's process is gone when the pipe is
    await this.#piped.catch(() => {});
  }
}

type TarEntry = ReturnType<Pack['entry']>;

class TarEntryWriter implements EntryWriter {
  readonly #pack: Pack;
  readonly #header: Parameters<Pack['entry']>[0];
  readonly #piped: Promise<void>;
  #sink: TarEntry | undefined;
  #done: Promise<void> = Promise.resolve();

  constructor(pack: Pack, header: Parameters<Pack['entry']>[0], piped: Promise<void>) {
    this.#pack = pack;
    this.#header = header;
    this.#piped = piped;
  }

  get started(): boolean {
    return this.#sink !== undefined;
  }

  async write(chunk: Uint8Array): Promise<void> {
    await this.#reason(writeChunk(this.#start(), chunk));
  }

  async end(): Promise<void> {
    this.#start().end(undefined);
    await this.#reason(this.#done);
  }

  #start(): TarEntry {
    if (this.#sink !== undefined) return this.#sink;
    let sink: TarEntry | undefined;
    this.#done = new Promise<void>((resolve, reject) => {
      sink = this.#pack.entry(this.#header, (error) => (error ? reject(error) : resolve()));
    });
    this.#done.catch(() => {});
    if (sink === undefined) throw new Error('the archive is closed');
    sink.on('error', () => {});
    this.#sink = sink;
    return sink;
  }

  /** An entry only learns that it was cut off; why is known to the pipe. */
  async #reason(step: Promise<void>): Promise<void> {
    try {
      await step;
    } catch (error) {
      if (this.#pack.destroyed) await this.#piped;
      throw error;
    }
  }
}

async function pipe(packed: Readable, compression: 'none' | 'gzip' | 'bzip2', destination: Writable): Promise<void> {
  switch (compression) {
    case 'none':
      return pipeline(packed, destination);
    case 'gzip':
      // Node writes the time 0 into the gzip header: the same input gives the same bytes
      return pipeline(packed, createGzip(), destination);
    case 'bzip2':
      return pipeline(packed, (source) => throughBzip2('compress', source), destination);
  }
}
