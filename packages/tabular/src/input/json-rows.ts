import type { Readable } from 'node:stream';
import type { TabularFormat } from '../media-types.js';
import type { InputPosition } from '../tabular-error.js';
import { JsonArraySplitter } from './json-array-splitter.js';
import { JsonLineSplitter } from './json-line-splitter.js';
import type { JsonRowSink, JsonRowSplitter } from './json-row-splitter.js';
import { bytesOf } from './pass-through.js';
import { type ByteSource, type InputScanner, scanned, scannedWhole } from './row-source.js';

export type JsonFormat = Exclude<TabularFormat, 'csv'>;

export interface JsonRowsOptions {
  /** Limit for one row, in bytes: 64 MiB on the way to COPY, 1 MiB when objects are made. */
  readonly maxRowBytes?: number;
}

/**
 * What follows `COPY table (column) FROM STDIN` for {@link JsonRowsForCopy.body}. The quote is U+0001: no JSON text holds it raw,
 * so the rows travel unescaped, line feeds and backslashes included. COPY's text format would want each
 * backslash doubled, CSV with its usual quote every quotation mark.
 */
export const JSON_ROWS_COPY_OPTIONS = "(FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')";

export interface JsonRowsForCopy {
  /** One record per row, of one column: the text of its object. Fails with a TabularError at the first fault. */
  readonly body: Readable;
  /** Rows seen so far; all of them once the body has ended. */
  rowCount(): number;
}

/**
 * Checks a JSON array or a JSON stream of objects and passes the text of each on to COPY into a column of type json or text,
 * to be converted there set-wise. Text of `json` values stays as it was sent. Numbering of rows is left to an identity
 * column of the table. The source is never destroyed; when the body fails, the caller disposes of the rest.
 */
export function openJsonRowsForCopy(
  source: ByteSource,
  format: JsonFormat,
  options: JsonRowsOptions = {},
): JsonRowsForCopy {
  const scanner = new CopyRowScanner(format, options.maxRowBytes ?? 64 * 1024 * 1024);
  return { body: bytesOf(scanned(source, scanner)), rowCount: () => scanner.rows };
}

/**
 * The rows of a body that is all there, as one JSON array of the texts of its objects.
 * @throws TabularError
 */
export function joinJsonRows(body: Buffer, format: JsonFormat): { readonly array: string; readonly rowCount: number } {
  const scanner = new CopyRowScanner(format, body.length + 1);
  const records = Buffer.concat(scannedWhole(body, scanner)).toString();
  // no JSON text holds the quote, so it stands between records only
  return { array: `[${records.slice(1, -2).replaceAll('\u0001\n\u0001', ',')}]`, rowCount: scanner.rows };
}

/** A row as it was sent. */
export type JsonRow = Readonly<Record<string, unknown>>;

/**
 * The rows of a JSON array or a JSON stream as objects, one at a time, for programs that look at values.
 * @throws TabularError while iterating; `row_too_long` beyond the limit (1 MiB)
 */
export async function* readJsonRows(
  source: ByteSource,
  format: JsonFormat,
  options: JsonRowsOptions = {},
): AsyncGenerator<JsonRow> {
  for await (const rows of readJsonRowBatches(source, format, options)) yield* rows;
}

/** {@link readJsonRows} with the rows of each chunk together, none of which is empty: for programs that look at very many. */
export async function* readJsonRowBatches(
  source: ByteSource,
  format: JsonFormat,
  options: JsonRowsOptions = {},
): AsyncGenerator<readonly JsonRow[]> {
  const scanner = new ObjectScanner(format, options.maxRowBytes ?? 1024 * 1024);
  for await (const rows of scanned(source, scanner)) if (rows.length > 0) yield rows;
}

class CopyRowScanner implements InputScanner<Buffer> {
  rows = 0;
  readonly #splitter: JsonRowSplitter;
  #out: Buffer = NOTHING;
  #length = 0;

  constructor(format: JsonFormat, maxRowBytes: number) {
    this.#splitter = splitterFor(format, (bytes, from, to) => this.#append(bytes, from, to), maxRowBytes);
  }

  get position(): InputPosition {
    return this.#splitter.position;
  }

  push(chunk: Buffer): Buffer {
    // enough for most chunks: a row needs three bytes more and gives up its separators
    this.#out = Buffer.allocUnsafe(chunk.length + (chunk.length >> 3) + 64);
    this.#splitter.push(chunk);
    return this.#take();
  }

  end(): Buffer {
    this.#splitter.end();
    return this.#take();
  }

  #append(bytes: Buffer, from: number, to: number): void {
    const needed = this.#length + to - from + 3;
    if (needed > this.#out.length) {
      const larger = Buffer.allocUnsafe(2 * needed);
      this.#out.copy(larger, 0, 0, this.#length);
      this.#out = larger;
    }
    this.#out[this.#length] = COPY_QUOTE;
    bytes.copy(this.#out, this.#length + 1, from, to);
    this.#out[needed - 2] = COPY_QUOTE;
    this.#out[needed - 1] = LF;
    this.#length = needed;
    this.rows += 1;
  }

  #take(): Buffer {
    const taken = this.#out.subarray(0, this.#length);
    this.#out = NOTHING;
    this.#length = 0;
    return taken;
  }
}

class ObjectScanner implements InputScanner<readonly JsonRow[]> {
  readonly #splitter: JsonRowSplitter;
  #rows: JsonRow[] = [];

  constructor(format: JsonFormat, maxRowBytes: number) {
    const keep: JsonRowSink = (bytes, from, to) => {
      // the splitter has seen that this is a JSON object
      this.#rows.push(JSON.parse(bytes.toString('utf8', from, to)) as JsonRow);
    };
    this.#splitter = splitterFor(format, keep, maxRowBytes);
  }

  get position(): InputPosition {
    return this.#splitter.position;
  }

  push(chunk: Buffer): readonly JsonRow[] {
    this.#splitter.push(chunk);
    return this.#take();
  }

  end(): readonly JsonRow[] {
    this.#splitter.end();
    return this.#take();
  }

  #take(): readonly JsonRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }
}

function splitterFor(format: JsonFormat, sink: JsonRowSink, maxRowBytes: number): JsonRowSplitter {
  switch (format) {
    case 'json':
      return new JsonArraySplitter(sink, { maxRowBytes });
    case 'json-stream':
      return new JsonLineSplitter(sink, { maxRowBytes });
    default:
      return unknownFormat(format);
  }
}

const NOTHING = Buffer.alloc(0);
const COPY_QUOTE = 0x01;
const LF = 0x0a;

function unknownFormat(format: never): never {
  throw new TypeError(`unknown format ${String(format)}`);
}
