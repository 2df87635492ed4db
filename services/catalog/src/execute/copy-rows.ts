import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Connection, fromDatabase } from '@holdfast/pg-kit';
import { csvRecord, jsonArrayFrame, type TabularFormat } from '@holdfast/tabular';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';

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

async function* framed(rows: Readable, format: TabularFormat, header: readonly string[]): AsyncGenerator<Buffer> {
  try {
    if (format === 'csv') yield Buffer.from(csvRecord(header));
    if (format !== 'json') {
      yield* rows;
      return;
    }
    const frame = jsonArrayFrame();
    const done = pipeline(rows, frame);
    done.catch(() => undefined);
    yield* frame;
    await done;
  } catch (error) {
    throw fromDatabase(error, 'literals');
  }
}

/** Sends bytes into a COPY … FROM STDIN; rejects with the error of whichever side failed first. */
export async function copyIn(connection: Connection, statement: string, body: Readable): Promise<number> {
  const copy = connection.client.query(copyFrom(statement));
  await pipeline(body, copy);
  return copy.rowCount;
}
