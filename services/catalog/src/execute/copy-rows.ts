import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Connection } from '@holdfast/pg-kit';
import { csvRecord, jsonArrayFrame, type RowFrame, type TabularFormat } from '@holdfast/tabular';
import { from as copyFrom } from 'pg-copy-streams';
import { literalError } from './literal-error.js';

/**
 * Lines of a COPY as a document of the format: header record, JSON array, or just lines. Nothing comes before the database has answered:
 * until then an error has its status, and the time budget runs.
 * @param header names of the CSV header
 */
export async function* framed(
  rows: AsyncIterable<Buffer>,
  format: TabularFormat,
  header: readonly string[],
): AsyncGenerator<Buffer> {
  const frame = frameOf(format, header);
  try {
    for await (const chunk of rows) yield frame.push(chunk);
    yield frame.end();
  } catch (error) {
    throw literalError(error);
  }
}

function frameOf(format: TabularFormat, header: readonly string[]): RowFrame {
  switch (format) {
    case 'json':
      return jsonArrayFrame();
    case 'csv':
      return startingWith(Buffer.from(csvRecord(header)));
    case 'json-stream':
      return startingWith(NOTHING);
    default:
      return format satisfies never;
  }
}

const NOTHING = Buffer.alloc(0);

function startingWith(head: Buffer): RowFrame {
  let owed = head;
  const pay = (chunk: Buffer): Buffer => {
    const paid = owed.length === 0 ? chunk : Buffer.concat([owed, chunk]);
    owed = NOTHING;
    return paid;
  };
  return { push: pay, end: () => pay(NOTHING) };
}

/** Sends bytes into a COPY … FROM STDIN; rejects with the error of whichever side failed first. */
export async function copyIn(connection: Connection, statement: string, body: Readable): Promise<number> {
  const copy = connection.client.query(copyFrom(statement));
  await pipeline(body, copy);
  return copy.rowCount;
}
