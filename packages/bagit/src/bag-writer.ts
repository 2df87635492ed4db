import { createReadStream } from 'node:fs';
import { addAbortSignal, Readable } from 'node:stream';
import { types } from 'node:util';
import { ALGORITHMS, type Algorithm, Digester, type Hashes, hexDigits } from './algorithms.js';
import type { BagSink, EntryWriter } from './bag-sink.js';
import { printDeclaration } from './bagit-txt.js';
import { DirectorySink } from './directory-sink.js';
import { EntrySpool, type PayloadEntry } from './entry-spool.js';
import { BagWriteError } from './errors.js';
import { checkBagName, checkOutputPath, checkVerbatimPath, PayloadPaths } from './output-path.js';
import { Scratch, scratchBudget } from './scratch.js';
import { toReadable } from './stream-write.js';
import { writeTagFiles } from './tag-files.js';
import { TarSink } from './tar-sink.js';
import type {
  BagFinish,
  BagReference,
  BagSummary,
  BagWriterOptions,
  KnownFile,
  WrittenFile,
} from './writer-options.js';
import { ZipSink } from './zip-sink.js';

export interface BagWriter {
  /**
   * Streams one payload file into the bag; one at a time. The content is taken over: a readable is destroyed in the end. When `content` fails before a byte of it was written (a zip holds up to 64 KiB), the bag is unharmed and the call can be repeated; a later
   * failure breaks the whole bag off.
   *
   * @throws UnsafePathError, BagWriteError `path_collision`, `length_mismatch`, `scratch_full`, `bzip2_missing`; what
   * `content`, `verify` or the destination threw; the reason of the signal
   */
  addFile(path: string, content: AsyncIterable<Uint8Array>, known?: KnownFile): Promise<WrittenFile>;
  /**
   * Adds files that stay elsewhere. Collisions with other references show at `finish`.
   * Many are added faster together than one by one.
   *
   * @throws UnsafePathError, BagWriteError `bad_reference`, `path_collision`, `scratch_full`
   */
  addReferences(references: readonly BagReference[]): Promise<void>;
  /** {@link addReferences} for one. */
  addReference(reference: BagReference): Promise<void>;
  /**
   * Writes the tag files, checks what was written and ends the destination; the bag counts only after that.
   *
   * @throws BagWriteError `empty_bag`, `no_common_hash`, `path_collision`, `bad_metadata`, `invalid_bag`
   */
  finish(last?: BagFinish): Promise<BagSummary>;
  /** Breaks off and leaves nothing behind. Harmless after the end. */
  abort(reason?: Error): Promise<void>;
}

/**
 * Starts a bag (RFC 8493; spec/export.md 8). Memory stays flat: content flows through at the pace of the destination, and
 * entries beyond `spoolLimit` go to sorted scratch files.
 *
 * @throws UnsafePathError or BagWriteError `bad_name`, `usage` at once for options that cannot work
 */
export function createBagWriter(options: BagWriterOptions): BagWriter {
  return new StreamingBagWriter(options);
}

/** Earliest time that zip can say, used for all times of an idempotent bag. */
const IDEMPOTENT_TIME = new Date('1980-01-01T00:00:00Z');

class StreamingBagWriter implements BagWriter {
  readonly #options: BagWriterOptions;
  readonly #name: string;
  readonly #sink: BagSink;
  readonly #scratch: Scratch;
  readonly #spool: EntrySpool;
  readonly #paths = new PayloadPaths();
  readonly #warnings: string[] = [];
  readonly #stop = new AbortController();
  readonly #started: Date;
  readonly #onProgress: () => void;
  #state: 'new' | 'open' | 'busy' | 'ended' = 'new';
  #failure: Error | undefined;
  #cleaned: Promise<void> | undefined;
  #files = 0;
  #bytes = 0;
  #references = 0;

  constructor(options: BagWriterOptions) {
    if (options.algorithms.length === 0)
      throw new BagWriteError('usage', 'a bag needs at least one checksum algorithm');
    this.#options = options;
    this.#name = checkBagName(options.name);
    this.#started = options.now?.() ?? new Date();
    this.#sink = this.#openSink(options);
    this.#onProgress = options.onProgress ?? (() => {});
    this.#scratch = new Scratch(options.scratchDir, options.scratchBudget ?? scratchBudget(Number.POSITIVE_INFINITY));
    this.#spool = this.#newSpool();
    if (options.signal?.aborted) this.#fail(abortReason(options.signal));
    else options.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  async addFile(path: string, content: AsyncIterable<Uint8Array>, known: KnownFile = {}): Promise<WrittenFile> {
    try {
      const checked = this.#checkPath(path);
      return await this.#exclusively(() => this.#addChecked(checked, content, known));
    } finally {
      // the content was taken over, so it is let go in every case: an upstream response must not stay open
      if (content instanceof Readable) content.destroy();
    }
  }

  async addReference(reference: BagReference): Promise<void> {
    await this.addReferences([reference]);
  }

  async addReferences(references: readonly BagReference[]): Promise<void> {
    if (this.#options.references !== true) {
      throw new BagWriteError('usage', 'references must be announced by the option of that name');
    }
    const entries = references.map((reference) => this.#referenceEntry(reference));
    await this.#exclusively(async () => {
      await this.#record(entries);
      this.#references += entries.length;
    });
  }

  #referenceEntry(reference: BagReference): PayloadEntry {
    const path = this.#checkPath(reference.path);
    const hashes = checkReference(reference);
    if (this.#paths.has(path)) {
      throw new BagWriteError('path_collision', `there is already a file ${JSON.stringify(path)}`, { path });
    }
    return { path: `data/${path}`, bytes: reference.length, hashes, url: reference.url };
  }

  async finish(last: BagFinish = {}): Promise<BagSummary> {
    return this.#exclusively(async () => {
      try {
        if (this.#files + this.#references === 0 && this.#options.strict !== false) {
          throw new BagWriteError('empty_bag', 'the bag would have no payload');
        }
        const summary = await writeTagFiles({
          options: this.#options,
          last,
          spool: this.#spool,
          newSpool: () => this.#newSpool(),
          counted: { files: this.#files, bytes: this.#bytes, references: this.#references },
          started: this.#started,
          warnings: this.#warnings,
          write: (path, content, bytes, algorithms) => this.#write(path, content, bytes, algorithms),
        });
        await this.#sink.finish();
        this.#state = 'ended';
        this.#options.signal?.removeEventListener('abort', this.#onAbort);
        await this.#scratch.removeAll();
        return summary;
      } catch (error) {
        throw this.#fail(asError(error));
      }
    });
  }

  async abort(reason = new Error('the bag was aborted')): Promise<void> {
    if (this.#state === 'ended') return;
    this.#fail(reason);
    await this.#cleaned;
  }

  async #addChecked(path: string, content: AsyncIterable<Uint8Array>, known: KnownFile): Promise<WrittenFile> {
    const { caseTwin } = this.#paths.claim(path);
    try {
      const algorithms = this.#options.references === true ? ALGORITHMS : this.#options.algorithms;
      const more = known.algorithms ?? [];
      const { bytes, hashes } = await this.#write(`data/${path}`, content, known.bytes, [...algorithms, ...more]);
      this.#verified(known, { path, bytes, hashes });
      await this.#record([{ path: `data/${path}`, bytes, hashes: only(hashes, algorithms) }]);
      this.#files += 1;
      this.#bytes += bytes;
      if (caseTwin !== undefined) {
        this.#warnings.push(`${JSON.stringify(path)} and ${JSON.stringify(caseTwin)} differ only in case`);
      }
      return { path, bytes, hashes };
    } catch (error) {
      this.#paths.release(path);
      throw error;
    }
  }

  /** What is in the archive already cannot be taken out again. */
  #verified(known: KnownFile, file: WrittenFile): void {
    try {
      known.verify?.(file);
    } catch (error) {
      throw this.#fail(asError(error));
    }
  }

  /** A bag that lost an entry cannot be completed. */
  async #record(entries: readonly PayloadEntry[]): Promise<void> {
    try {
      await this.#spool.addAll(entries);
    } catch (error) {
      throw this.#fail(asError(error));
    }
  }

  #newSpool(): EntrySpool {
    return new EntrySpool(this.#scratch, this.#options.spoolLimit, this.#onProgress);
  }

  #openSink(options: BagWriterOptions): BagSink {
    const time = options.idempotent === true ? IDEMPOTENT_TIME : this.#started;
    const { target } = options;
    if (target.kind === 'directory') return new DirectorySink(target.parent, this.#name);
    // whoever waits for content must not wait on when nobody takes it any more
    target.destination.on('error', (error) => this.#fail(error));
    target.destination.on('close', () => {
      if (this.#state !== 'ended' && !target.destination.writableFinished) {
        this.#fail(new Error('the destination of the bag was closed'));
      }
    });
    switch (target.archiver) {
      case 'zip':
        return new ZipSink(target.destination, time);
      case 'tar':
        return new TarSink(target.destination, 'none', time);
      case 'tgz':
        return new TarSink(target.destination, 'gzip', time);
      case 'bz2':
        return new TarSink(target.destination, 'bzip2', time);
    }
  }

  readonly #onAbort = () => {
    const { signal } = this.#options;
    if (signal !== undefined) this.#fail(abortReason(signal));
  };

  #checkPath(path: string): string {
    return this.#options.paths === 'verbatim' ? checkVerbatimPath(path) : checkOutputPath(path);
  }

  /** One call at a time; the first one writes the beginning of the bag. */
  async #exclusively<T>(work: () => Promise<T>): Promise<T> {
    if (this.#failure !== undefined) throw await this.#cleanedFailure(this.#failure);
    if (this.#state === 'busy' || this.#state === 'ended') {
      throw new BagWriteError('usage', this.#state === 'busy' ? 'one call at a time' : 'the bag is finished');
    }
    const isNew = this.#state === 'new';
    this.#state = 'busy';
    try {
      if (isNew) await this.#begin();
      return await work();
    } catch (error) {
      // what comes out is what broke the bag, not what followed from that; and only after the cleaning
      if (this.#failure !== undefined) throw await this.#cleanedFailure(this.#failure);
      throw error;
    } finally {
      if (this.#state === 'busy') this.#state = 'open';
    }
  }

  async #begin(): Promise<void> {
    try {
      await this.#sink.directory(this.#name);
      const declaration = Buffer.from(printDeclaration(this.#options.version ?? '1.0'));
      await this.#copy('bagit.txt', once(declaration), declaration.byteLength, new Digester([]));
      await this.#sink.directory(`${this.#name}/data`);
    } catch (error) {
      throw this.#fail(asError(error));
    }
  }

  /** Content into an entry; through scratch where the length must be known first and is not. */
  async #write(
    path: string,
    content: AsyncIterable<Uint8Array>,
    length: number | undefined,
    algorithms: readonly Algorithm[],
  ): Promise<{ readonly bytes: number; readonly hashes: Hashes }> {
    const digester = new Digester(algorithms);
    const source = addAbortSignal(this.#stop.signal, toReadable(content));
    if (length === undefined && this.#sink.needsLength) {
      const file = await this.#scratch.create();
      try {
        for await (const chunk of source) {
          digester.update(chunk);
          await file.write(chunk);
          this.#onProgress();
        }
        await file.close();
        const spooled = addAbortSignal(this.#stop.signal, createReadStream(file.path));
        await this.#copy(path, spooled, digester.bytes, new Digester([]));
      } finally {
        await file.remove();
      }
    } else {
      await this.#copy(path, source, length, digester);
    }
    return { bytes: digester.bytes, hashes: Object.fromEntries(digester.digest()) };
  }

  async #copy(
    path: string,
    source: AsyncIterable<Uint8Array>,
    length: number | undefined,
    digester: Digester<Algorithm>,
  ): Promise<void> {
    let entry: EntryWriter | undefined;
    try {
      entry = this.#sink.open(`${this.#name}/${path}`, length);
      for await (const chunk of source) {
        if (chunk.byteLength === 0) continue;
        digester.update(chunk);
        if (length !== undefined && digester.bytes > length) throw wrongLength(path, length, 'more');
        await entry.write(chunk);
        this.#onProgress();
      }
      if (length !== undefined && digester.bytes < length) throw wrongLength(path, length, 'fewer');
      await entry.end();
    } catch (error) {
      if (entry?.started) this.#fail(asError(error));
      throw error;
    }
  }

  /** The first failure counts; it stops everything and removes what is there. */
  #fail(error: Error): Error {
    if (this.#state === 'ended') return error;
    if (this.#failure === undefined) {
      this.#failure = error;
      this.#stop.abort(error);
      this.#options.signal?.removeEventListener('abort', this.#onAbort);
      this.#cleaned = this.#clean(error);
      // awaited by the call that reports the failure, if there is one
      this.#cleaned.catch(() => {});
    }
    return this.#failure;
  }

  async #clean(error: Error): Promise<void> {
    // not within the constructor: a signal may have been aborted before
    await Promise.resolve();
    await this.#sink.abort(error);
    await this.#scratch.removeAll();
  }

  async #cleanedFailure(failure: Error): Promise<Error> {
    await this.#cleaned?.catch(() => {});
    return failure;
  }
}

/** @throws BagWriteError `bad_reference` */
function checkReference(reference: BagReference): Hashes {
  const refuse = (why: string) =>
    new BagWriteError('bad_reference', `the reference ${JSON.stringify(reference.path)} ${why}`, {
      path: reference.path,
    });
  if (!/^[a-z][a-z0-9+.-]*:/i.test(reference.url)) throw refuse('has no absolute URL');
  if (!Number.isSafeInteger(reference.length) || reference.length < 0) throw refuse('has no length');
  const hashes: Partial<Record<Algorithm, string>> = {};
  for (const algorithm of ALGORITHMS) {
    const value = reference.hashes[algorithm]?.toLowerCase();
    if (value === undefined) continue;
    if (!/^[0-9a-f]+$/.test(value) || value.length !== hexDigits(algorithm))
      throw refuse(`has an ${algorithm} that is none`);
    hashes[algorithm] = value;
  }
  return hashes;
}

function only(hashes: Hashes, algorithms: readonly Algorithm[]): Hashes {
  return Object.fromEntries(Object.entries(hashes).filter(([name]) => algorithms.some((known) => known === name)));
}

async function* once(content: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield content;
}

function wrongLength(path: string, length: number, than: 'more' | 'fewer'): BagWriteError {
  return new BagWriteError(
    'length_mismatch',
    `${JSON.stringify(path)} has ${than} than the ${length} bytes it was said to have`,
    { path },
  );
}

function abortReason(signal: AbortSignal): Error {
  return asError(signal.reason);
}

function asError(thrown: unknown): Error {
  // errors of Node itself can be of another realm, where instanceof does not know them
  return types.isNativeError(thrown) ? thrown : new Error(String(thrown));
}
