import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Connection } from '@holdfast/pg-kit';
import { csvRecord, jsonArrayFrame, type TabularFormat } from '@holdfast/tabular';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { literalError } from './literal-error.js';

/** Rows on their way out. */
export interface RowStream {
  readonly bytes: AsyncIterable<Buffer>;
  /** Rows delivered by the database; all of them once the stream has ended. */
  rowCount(): number;
}

/**
 * Runs a COPY … TO STDOUT and frames its lines as a document of the format: header record, JSON array, or just lines.
 * @param statement made by `copyOut`
 * @param header names of the CSV header
 */
export function copyRows(
  connection: Connection,
  statement: string,
  format: TabularFormat,
  header: readonly string[],
): RowStream {
  const copy = connection.client.query(copyTo(statement));
  return { bytes: framed(copy, format, header), rowCount: () => copy.rowCount };
}

/** Lines of a COPY as a document of the format. */
export async function* framed(
  rows: Readable,
  format: TabularFormat,
  header: readonly string[],
): AsyncGenerator<Buffer> {
  const chunks: AsyncIterator<Buffer> = rows.iterator({ destroyOnReturn: false });
  try {
    // nothing goes out before the database has answered: until then an error has its status, and the time budget runs
    const first = await chunks.next();
    if (format === 'csv') yield Buffer.from(csvRecord(header));
    const lines = startingWith(first, chunks);
    if (format === 'json') yield* inArray(lines);
    else yield* lines;
  } catch (error) {
    throw literalError(error);
  } finally {
    await chunks.return?.();
    drain(rows);
  }
}

async function* startingWith(
  first: IteratorResult<Buffer>,
  others: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  for (let step = first; step.done !== true; step = await others.next()) yield step.value;
}

async function* inArray(lines: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const frame = jsonArrayFrame();
  const done = pipeline(lines, frame);
  done.catch(() => undefined);
  yield* frame;
  await done;
}

/**
 * Reads and drops what still comes of a COPY that nobody reads to its end. The connection must get there, or nothing sent over it
 * is ever answered; and a server that waits for room to send does not hear that it was cancelled.
 */
function drain(rows: Readable): void {
  if (rows.readableEnded || rows.destroyed) return;
  rows.on('error', () => undefined);
  rows.resume();
}

/** Sends bytes into a COPY … FROM STDIN; rejects with the error of whichever side failed first. */
export async function copyIn(connection: Connection, statement: string, body: Readable): Promise<number> {
  const copy = connection.client.query(copyFrom(statement));
  await pipeline(body, copy);
  return copy.rowCount;
}
