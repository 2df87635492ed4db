import { type InputPosition, TabularError } from '../tabular-error.js';
import { CsvScanner } from './csv-scanner.js';
import { type ByteSource, type InputScanner, scanned } from './row-source.js';
import { type CsvField, splitRecord } from './split-record.js';

export interface CsvReaderOptions {
  /** Limit for one record, in bytes. */
  readonly maxRecordBytes?: number;
}

const MAX_RECORD_BYTES = 1024 * 1024;

/**
 * The records of CSV, the header first, for programs that look at values. NULL is `null`, the empty string is `''`.
 * @throws TabularError while iterating, as for {@link openCsvForCopy}; `row_too_long` beyond the limit (1 MiB)
 */
export async function* readCsvRecords(
  source: ByteSource,
  options: CsvReaderOptions = {},
): AsyncGenerator<readonly CsvField[]> {
  for await (const records of scanned(source, new RecordScanner(options.maxRecordBytes ?? MAX_RECORD_BYTES))) {
    yield* records;
  }
}

/** One row by column name. */
export type CsvRow = Readonly<Record<string, CsvField>>;

/**
 * The rows of CSV with a header, as objects; of two columns with one name the last counts.
 * @throws TabularError while iterating, as for {@link readCsvRecords}
 */
export async function* readCsvRows(source: ByteSource, options: CsvReaderOptions = {}): AsyncGenerator<CsvRow> {
  let header: readonly string[] | null = null;
  for await (const record of readCsvRecords(source, options)) {
    if (header === null) header = record.map((name) => name ?? '');
    else yield Object.fromEntries(header.map((name, index) => [name, record[index] ?? null]));
  }
}

class RecordScanner implements InputScanner<readonly (readonly CsvField[])[]> {
  readonly #csv: CsvScanner;
  readonly #maxRecordBytes: number;
  #records: (readonly CsvField[])[] = [];
  #begun: Buffer[] = [];
  #begunLength = 0;
  #unread: Buffer = NOTHING;
  #bytes: Buffer = NOTHING;
  #from = 0;

  constructor(maxRecordBytes: number) {
    this.#maxRecordBytes = maxRecordBytes;
    this.#csv = new CsvScanner({
      record: (contentEnd, next) => {
        this.#keep(contentEnd);
        this.#records.push(splitRecord(Buffer.concat(this.#begun).toString()));
        this.#begun = [];
        this.#begunLength = 0;
        this.#from = next;
      },
      endMarkLookalike: () => undefined,
    });
  }

  get position(): InputPosition {
    return this.#csv.position;
  }

  push(chunk: Buffer): readonly (readonly CsvField[])[] {
    return this.#scan(chunk, false);
  }

  end(): readonly (readonly CsvField[])[] {
    return this.#scan(NOTHING, true);
  }

  #scan(chunk: Buffer, last: boolean): readonly (readonly CsvField[])[] {
    this.#bytes = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk]);
    this.#from = 0;
    const done = this.#csv.scan(this.#bytes, last);
    this.#keep(done);
    this.#unread = done === this.#bytes.length ? NOTHING : this.#bytes.subarray(done);
    const records = this.#records;
    this.#records = [];
    return records;
  }

  #keep(to: number): void {
    if (to <= this.#from) return;
    this.#begunLength += to - this.#from;
    if (this.#begunLength > this.#maxRecordBytes) {
      throw new TabularError('row_too_long', this.position, `longer than ${this.#maxRecordBytes} bytes`);
    }
    this.#begun.push(this.#bytes.subarray(this.#from, to));
    this.#from = to;
  }
}

const NOTHING = Buffer.alloc(0);
