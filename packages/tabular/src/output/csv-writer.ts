import { Readable } from 'node:stream';

/** `null` becomes an empty field, the empty string a quoted one. */
export type CsvValue = string | number | bigint | boolean | null;

/**
 * One CSV record with its line feed, in the form of spec/catalog-data.md 4.3, which is also what COPY writes: a field is
 * quoted if it holds a comma, quote, CR or LF, if it is the empty string, or if it is `\.` alone in its record.
 *
 * Not by fast-csv: it writes null and the empty string alike, and reads both as the empty string.
 */
export function csvRecord(values: readonly CsvValue[]): string {
  return `${values.map((value) => csvField(value, values.length === 1)).join(',')}\n`;
}

/**
 * Rows as a stream of CSV bytes, header first, about 64 KiB at a time.
 * @throws RangeError through the stream, for a row that is not as wide as the header
 */
export function writeCsv(
  header: readonly string[],
  rows: Iterable<readonly CsvValue[]> | AsyncIterable<readonly CsvValue[]>,
): Readable {
  return Readable.from(csvChunks(header, rows), { objectMode: false });
}

const CHUNK_CHARACTERS = 64 * 1024;

async function* csvChunks(
  header: readonly string[],
  rows: Iterable<readonly CsvValue[]> | AsyncIterable<readonly CsvValue[]>,
): AsyncGenerator<Buffer> {
  let text = csvRecord(header);
  let row = 0;
  for await (const values of rows) {
    row += 1;
    if (values.length !== header.length) {
      throw new RangeError(`row ${row} has ${values.length} values for ${header.length} columns`);
    }
    text += csvRecord(values);
    if (text.length >= CHUNK_CHARACTERS) {
      yield Buffer.from(text);
      text = '';
    }
  }
  if (text !== '') yield Buffer.from(text);
}

function csvField(value: CsvValue, alone: boolean): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 't' : 'f';
  if (typeof value !== 'string') return String(value);
  if (value === '' || /[",\r\n]/.test(value) || (alone && value === '\\.')) return `"${value.replaceAll('"', '""')}"`;
  return value;
}
