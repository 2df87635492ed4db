import type { ProgressMeter } from '../job/progress-meter.js';
import type { TableFormat } from '../request/export-request.js';

/** Counts of a content that was read to its end. */
export interface Measure {
  bytes: number;
  /** Lines, for formats of one row a line. */
  lines: number;
}

/** Passes bytes on and counts them, for the meter and for the caller. */
export async function* measured(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  meter: ProgressMeter,
  measure: Measure,
  countLines: boolean,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    measure.bytes += chunk.byteLength;
    meter.addBytes(chunk.byteLength);
    if (countLines) {
      const lines = lineFeeds(chunk);
      measure.lines += lines;
      meter.addRows(lines);
    }
    yield chunk;
  }
}

const LF = 0x0a;

function lineFeeds(chunk: Uint8Array): number {
  let count = 0;
  for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) count += 1;
  return count;
}

/** A content whose beginning was looked at. */
export interface Peeked {
  readonly isEmpty: boolean;
  /** All of it, from the beginning. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** Finds out whether a result has rows, reading no more than needed (spec/export.md 6.5). */
export async function peek(content: AsyncIterable<Uint8Array>, format: TableFormat): Promise<Peeked> {
  const iterator = content[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  let ended = false;
  while (!ended && !hasRows(head, format, false)) {
    const next = await iterator.next();
    if (next.done === true) ended = true;
    else head = Buffer.concat([head, next.value]);
  }
  const isEmpty = ended && !hasRows(head, format, true);
  const rest = async function* (): AsyncGenerator<Uint8Array> {
    try {
      if (head.byteLength > 0) yield head;
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  };
  return { isEmpty, content: rest() };
}

/** Whether this beginning proves that there are rows. */
function hasRows(head: Buffer, format: TableFormat, whole: boolean): boolean {
  switch (format) {
    case 'csv':
      return csvHasRows(head);
    case 'json': {
      // an empty array or object may have spaces in it, rows have more than that
      const text = head.subarray(0, 64).toString('utf8').replace(/\s/g, '');
      return text.length > 2 || (whole && text !== '[]' && text !== '{}' && text !== '');
    }
    case 'json-stream':
      return head.toString('latin1').trim() !== '';
  }
}

/** Anything behind the end of the first record, which is the header. */
function csvHasRows(head: Buffer): boolean {
  let quoted = false;
  for (let at = 0; at < head.byteLength; at += 1) {
    if (head[at] === 0x22) quoted = !quoted;
    else if (head[at] === LF && !quoted) return at + 1 < head.byteLength;
  }
  return false;
}
