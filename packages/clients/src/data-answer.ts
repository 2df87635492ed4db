import type { Readable } from 'node:stream';
import { type JsonRow, readJsonRows } from '@holdfast/tabular';
import type { HttpAnswer } from './http-client.js';

/** Rows as a service sent them. Read the body once, in one of the ways, or discard it. */
export interface DataAnswer {
  readonly status: number;
  /** Media type without parameters; empty when the server named none. */
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes, at the pace of the reader. */
  readonly body: Readable;
  text(): Promise<string>;
  /** The rows of a JSON or JSON-stream answer, one at a time. */
  rows(): AsyncGenerator<JsonRow>;
  discard(): Promise<void>;
  /** Ends the answer with its connection, and the query behind it. */
  abandon(): void;
}

/** Bytes of one row that are read into memory. */
const MOST_ROW_BYTES = 64 * 1024 * 1024;

/** An answer seen as rows. */
export function dataAnswer(answer: HttpAnswer): DataAnswer {
  const contentType = (answer.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return {
    status: answer.status,
    contentType,
    headers: answer.headers,
    body: answer.body,
    text: answer.text,
    rows: () => rowsOf(answer, contentType),
    discard: answer.discard,
    abandon: answer.abandon,
  };
}

async function* rowsOf(answer: HttpAnswer, contentType: string): AsyncGenerator<JsonRow> {
  const format = contentType === 'application/x-json-stream' ? 'json-stream' : 'json';
  try {
    yield* readJsonRows(answer.body, format, { maxRowBytes: MOST_ROW_BYTES });
  } finally {
    // whoever stops early must not hold the connection and the query behind it
    answer.abandon();
  }
}
