/** Looks at rows that pass by: how many, and the last one. */
export interface RecordWatch {
  /** Takes the next bytes; gives back those that belong to rows. */
  take(chunk: Uint8Array): Uint8Array;
  /** Of the format's header; null for a format without one. */
  header(): Buffer | null;
  /** Rows that are complete. */
  count(): number;
  /** Null before the first. */
  last(): Buffer | null;
}

const LF = 0x0a;
const QUOTE = 0x22;

/**
 * Watches CSV or JSON lines.
 * @param format in CSV the first record is the header, and a line end between quotes is part of a value
 */
export function recordWatch(format: 'csv' | 'json-stream'): RecordWatch {
  const isCsv = format === 'csv';
  let header: Buffer | null = null;
  let last: Buffer | null = null;
  let count = 0;
  let quoted = false;
  /** The beginning of a record whose end has not come. */
  let begun: Buffer[] = [];
  return {
    take: (chunk) => {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      let from = 0;
      let rowsFrom = isCsv && header === null ? bytes.byteLength : 0;
      for (let at = 0; at < bytes.byteLength; at += 1) {
        if (isCsv && bytes[at] === QUOTE) quoted = !quoted;
        if (bytes[at] !== LF || quoted) continue;
        const record = Buffer.concat([...begun, bytes.subarray(from, at + 1)]);
        begun = [];
        from = at + 1;
        if (isCsv && header === null) {
          header = record;
          rowsFrom = from;
        } else {
          last = record;
          count += 1;
        }
      }
      if (from < bytes.byteLength) begun.push(bytes.subarray(from));
      return bytes.subarray(rowsFrom);
    },
    header: () => header,
    count: () => count,
    last: () => last,
  };
}
