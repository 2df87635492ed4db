import type { Stats } from 'node:fs';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { TarArchive, type TarEntryData } from 'archiver';
import type { BagSink, EntryWriter } from './bag-sink.js';
import { throughBzip2 } from './bzip2.js';
import { writeChunk } from './stream-write.js';

/** Octets on their way through the archiver; its own choice would be a mebibyte on either side. */
const BUFFERED = 64 * 1024;

/** Octets of an entry that are gathered before it is written. */
const SMALL = 64 * 1024;

/** A pax tar, plain or compressed (spec/export.md 8.4). */
export class TarSink implements BagSink {
  readonly needsLength = true;
  readonly #archive = new TarArchive({ highWaterMark: BUFFERED });
  /**
   * Stands between the archiver and everything that can fail. When the archiver itself is destroyed, its open entry throws an error that
   * nobody can catch, and its `abort` calls what its tar plugin does not have: it is only ever left alone.
   */
  readonly #outlet = new PassThrough({ highWaterMark: BUFFERED });
  readonly #destination: Writable;
  readonly #piped: Promise<void>;
  readonly #time: Date;
  /** the entry that the archiver is at, and who waits for its end */
  #current: { readonly source: PassThrough | Buffer; resolve(): void; reject(error: Error): void } | undefined;

  constructor(destination: Writable, compression: 'none' | 'gzip' | 'bzip2', time: Date) {
    this.#destination = destination;
    this.#time = time;
    this.#archive.on('error', (error) => this.#outlet.destroy(error));
    this.#archive.on('entry', () => this.#settle());
    this.#archive.pipe(this.#outlet);
    this.#piped = pipe(this.#outlet, compression, destination);
    this.#piped.catch((error: Error) => this.#settle(error));
  }

  async directory(path: string): Promise<void> {
    await this.#append(Buffer.alloc(0), { ...entryData(`${path}/`, this.#time), type: 'directory', mode: 0o755 });
  }

  open(path: string, length: number | undefined): EntryWriter {
    if (length === undefined) throw new TypeError('a tar entry needs its length');
    const data = { ...entryData(path, this.#time), mode: 0o644 };
    if (length <= SMALL) return new SmallEntryWriter((content) => this.#append(content, data));
    return new LargeEntryWriter((source) => this.#append(source, { ...data, stats: statsOf(length) }), this.#piped);
  }

  async finish(): Promise<void> {
    this.#archive.finalize().catch((error: Error) => this.#outlet.destroy(error));
    await this.#piped;
  }

  async abort(reason: Error): Promise<void> {
    this.#destination.destroy(reason);
    this.#outlet.destroy(reason);
    // the compressor's process is gone when the pipe is
    await this.#piped.catch(() => {});
  }

  /** Resolves when the whole entry is in the archive. */
  #append(source: PassThrough | Buffer, data: TarEntryData): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#current = { source, resolve, reject };
      if (this.#outlet.destroyed) this.#piped.then(() => this.#settle(new Error('the archive is closed')), reject);
      else this.#archive.append(source, data);
    });
  }

  #settle(error?: Error): void {
    const entry = this.#current;
    this.#current = undefined;
    if (error === undefined) entry?.resolve();
    else {
      // whoever writes into the entry would wait for ever
      if (entry?.source instanceof PassThrough) entry.source.destroy(error);
      entry?.reject(error);
    }
  }
}

/**
 * The name as it is: archiver cleans names, so that `x:y` loses `x:` and a backslash becomes a slash. What it would change is said in a
 * pax record of its own, of which the last one counts.
 */
function entryData(name: string, date: Date): TarEntryData & { readonly pax?: { readonly path: string } } {
  return /^\w+:|\\/.test(name) ? { name, date, pax: { path: name } } : { name, date };
}

/** archiver streams content only when it has a file's `stats`, of which it uses the size; else it gathers it in memory. */
function statsOf(size: number): Stats {
  return { size } as Stats;
}

/** An entry too small to be worth a stream: it is handed over whole. */
class SmallEntryWriter implements EntryWriter {
  readonly #append: (content: Buffer) => Promise<void>;
  readonly #chunks: Uint8Array[] = [];
  #started = false;

  constructor(append: (content: Buffer) => Promise<void>) {
    this.#append = append;
  }

  get started(): boolean {
    return this.#started;
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#chunks.push(chunk);
  }

  async end(): Promise<void> {
    this.#started = true;
    await this.#append(Buffer.concat(this.#chunks));
  }
}

class LargeEntryWriter implements EntryWriter {
  readonly #append: (source: PassThrough) => Promise<void>;
  readonly #piped: Promise<void>;
  #source: PassThrough | undefined;
  #done: Promise<void> = Promise.resolve();

  constructor(append: (source: PassThrough) => Promise<void>, piped: Promise<void>) {
    this.#append = append;
    this.#piped = piped;
  }

  get started(): boolean {
    return this.#source !== undefined;
  }

  async write(chunk: Uint8Array): Promise<void> {
    try {
      await writeChunk(this.#start(), chunk);
    } catch (error) {
      // an entry only learns that it was cut off; why is known to the pipe
      await this.#piped;
      throw error;
    }
  }

  async end(): Promise<void> {
    this.#start().end();
    await this.#done;
  }

  #start(): PassThrough {
    if (this.#source !== undefined) return this.#source;
    const source = new PassThrough();
    source.on('error', () => {});
    this.#source = source;
    this.#done = this.#append(source);
    this.#done.catch(() => {});
    return source;
  }
}

async function pipe(archive: Readable, compression: 'none' | 'gzip' | 'bzip2', destination: Writable): Promise<void> {
  switch (compression) {
    case 'none':
      return pipeline(archive, destination);
    case 'gzip':
      // Node writes the time 0 into the gzip header: the same input gives the same bytes
      return pipeline(archive, createGzip(), destination);
    case 'bzip2':
      return pipeline(archive, (source) => throughBzip2('compress', source), destination);
  }
}
