import type { Readable } from 'node:stream';
import { type InputPosition, TabularError } from '../tabular-error.js';
import { CsvScanner } from './csv-scanner.js';
import { bytesOf } from './pass-through.js';
import { type ByteSource, type InputScanner, scanned } from './row-source.js';
import { splitRecord } from './split-record.js';

/** What follows `COPY table (columns) FROM STDIN` for {@link CsvForCopy.body}. */
export const CSV_COPY_OPTIONS = '(FORMAT csv)';

export interface CsvForCopy {
  /** Column names in the order of the fields; null for an empty input, which has no header. */
  readonly header: readonly string[] | null;
  /** The records after the header, ready for COPY. Fails with a TabularError at the first fault. */
  readonly body: Readable;
  /** Rows seen so far; all of them once the body has ended. */
  rowCount(): number;
}

export interface CsvForCopyOptions {
  /** Limit for the header, in bytes. */
  readonly maxHeaderBytes?: number;
}

const MAX_HEADER_BYTES = 1024 * 1024;

/**
 * Checks CSV and passes it on to `COPY ... (FORMAT csv)`, whose NULL and empty string are ours too. What is changed on the way:
 * the header is taken off, CRLF record ends become LF, the last record gets its end, a lone `\.` is quoted.
 * The header is read before this resolves, so that the COPY can be started with its columns. Numbering of rows is left to an
 * identity column of the table, which COPY fills in order.
 *
 * The source is never destroyed; when the body fails or is destroyed, the caller disposes of the rest.
 *
 * @throws TabularError for a fault in the header (spec/catalog-data.md 4.5)
 */
export async function openCsvForCopy(source: ByteSource, options: CsvForCopyOptions = {}): Promise<CsvForCopy> {
  const scanner = new CopyScanner(options.maxHeaderBytes ?? MAX_HEADER_BYTES);
  const chunks = scanned(source, scanner);
  while (scanner.header === null) {
    const step = await chunks.next();
    if (step.done) break;
  }
  const body = bytesOf(
    (async function* () {
      // the rows that came with the header; nobody knows when more will
      yield scanner.push(NOTHING);
      yield* chunks;
    })(),
  );
  return { header: scanner.header, body, rowCount: () => scanner.rows };
}

class CopyScanner implements InputScanner<Buffer> {
  header: readonly string[] | null = null;
  readonly #csv: CsvScanner;
  readonly #maxHeaderBytes: number;
  #headerBytes: Buffer[] = [];
  #headerLength = 0;
  #unread: Buffer = NOTHING;
  #bytes: Buffer = NOTHING;
  /** Where what is not yet passed on begins. */
  #from = 0;
  #parts: Buffer[] = [];
  #quoteOpened = false;

  constructor(maxHeaderBytes: number) {
    this.#maxHeaderBytes = maxHeaderBytes;
    this.#csv = new CsvScanner({
      record: (contentEnd, next) => this.#record(contentEnd, next),
      endMarkLookalike: (at) => this.#endMarkLookalike(at),
    });
  }

  get position(): InputPosition {
    return this.#csv.position;
  }

  get rows(): number {
    return Math.max(0, this.#csv.records - 1);
  }

  push(chunk: Buffer): Buffer {
    return this.#scan(chunk, false);
  }

  end(): Buffer {
    return this.#scan(NOTHING, true);
  }

  #scan(chunk: Buffer, last: boolean): Buffer {
    this.#bytes = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk]);
    this.#from = 0;
    // rows wait until the caller has seen the header: what is wrong with it comes first, however the input is cut
    const done = this.#csv.scan(this.#bytes, last, this.header === null && !last ? 'record' : 'end');
    this.#unread = done === this.#bytes.length ? NOTHING : this.#bytes.subarray(done);
    if (this.header === null) {
      this.#keepHeader(this.#bytes.subarray(0, done));
      return NOTHING;
    }
    this.#pass(done);
    const parts = this.#parts;
    this.#parts = [];
    // the usual chunk has nothing to change and goes on as it is, uncopied
    return parts.length === 1 ? (parts[0] ?? NOTHING) : Buffer.concat(parts);
  }

  #record(contentEnd: number, next: number): void {
    if (this.header === null) {
      this.#keepHeader(this.#bytes.subarray(0, contentEnd));
      this.header = splitRecord(Buffer.concat(this.#headerBytes).toString()).map((name) => name ?? '');
      this.#headerBytes = [];
      this.#from = next;
      return;
    }
    const plain = next - contentEnd === 1 && !this.#quoteOpened;
    if (plain) return;
    this.#pass(contentEnd);
    this.#parts.push(this.#quoteOpened ? QUOTE_AND_END : RECORD_END);
    this.#quoteOpened = false;
    this.#from = next;
  }

  #endMarkLookalike(at: number): void {
    this.#pass(at);
    this.#parts.push(QUOTE);
    this.#quoteOpened = true;
    this.#from = at;
  }

  #pass(to: number): void {
    if (to > this.#from) this.#parts.push(this.#bytes.subarray(this.#from, to));
    this.#from = to;
  }

  #keepHeader(bytes: Buffer): void {
    this.#headerLength += bytes.length;
    if (this.#headerLength > this.#maxHeaderBytes) {
      throw new TabularError('row_too_long', this.position, `the header is longer than ${this.#maxHeaderBytes} bytes`);
    }
    this.#headerBytes.push(bytes);
  }
}

const NOTHING = Buffer.alloc(0);
const RECORD_END = Buffer.from('\n');
const QUOTE = Buffer.from('"');
const QUOTE_AND_END = Buffer.from('"\n');
