import type { Readable } from 'node:stream';
import { AppError } from '@holdfast/http-kit';
import { type Connection, inline, sql } from '@holdfast/pg-kit';
import { joinJsonRows, openCsvForCopy, openJsonRowsForCopy, TabularError, type TabularFormat } from '@holdfast/tabular';
import pg from 'pg';
import type { Column } from '../model/model.js';
import { csvStaging, inlineJsonStaging, jsonStagingFor, type Staging, stage, stageRecords } from '../sql/stage-sql.js';
import { copyIn } from './copy-rows.js';
import { literalError } from './literal-error.js';

/** What the input of a write may and must have (spec/catalog-data.md 4.5). */
export interface InputColumns {
  readonly accepted: readonly Column[];
  /** A CSV header must have all of these. */
  readonly required: readonly Column[];
  /** CSV columns that may be there and are ignored, besides accepted ones that are not required. */
  readonly ignored?: readonly Column[];
}

/** Input rows, waiting in a temporary table. */
export interface StagedInput {
  readonly staging: Staging;
  readonly rowCount: number;
}

/**
 * Takes the rows of a request into a temporary table of the connection, before any lock of the catalog: a slow client holds nobody
 * up (spec/catalog-access.md 12.5). The caller drops it with {@link dropStage}.
 * @throws {AppError} `bad_input`, `bad_value`, `unknown_element` for a CSV column that the table does not have
 */
export async function stageInput(
  connection: Connection,
  body: Readable,
  format: TabularFormat,
  columns: InputColumns,
): Promise<StagedInput> {
  await dropStage(connection);
  try {
    if (format === 'csv') return await stageCsv(connection, body, columns);
    const staging = jsonStagingFor(columns.accepted);
    await connection.execute(staging.create);
    const rows = openJsonRowsForCopy(body, format);
    const rowCount = await copyIn(connection, inline(staging.copy), rows.body).catch(async (error: unknown) => {
      throw await withRecord(connection, () => null, error);
    });
    return { staging, rowCount };
  } catch (error) {
    throw inputError(error);
  }
}

/**
 * Reads a short JSON body whole; its rows need no temporary table, nor a connection while they come.
 * @param length of the body in bytes, as announced; null when it was not
 * @returns null for a body that is to be staged
 * @throws {AppError} `bad_input`
 */
export async function readShortInput(
  body: Readable,
  length: number | null,
  format: TabularFormat,
  columns: InputColumns,
): Promise<StagedInput | null> {
  if (format === 'csv' || length === null || length > SHORT_BYTES) return null;
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk);
    const { array, rowCount } = joinJsonRows(Buffer.concat(chunks), format);
    return { staging: inlineJsonStaging(array, columns.accepted), rowCount };
  } catch (error) {
    throw inputError(error);
  }
}

/** A body up to here is short. */
const SHORT_BYTES = 64 * 1024;

/** Removes the temporary table, if there is one. */
export async function dropStage(connection: Connection): Promise<void> {
  await connection.execute(sql`drop table if exists ${stage}`);
}

async function stageCsv(connection: Connection, body: Readable, columns: InputColumns): Promise<StagedInput> {
  const csv = await openCsvForCopy(body);
  const header = resolveHeader(csv.header ?? [], columns);
  const staging = csvStaging(header);
  if (header.length === 0) {
    await connection.execute(csvStaging([null]).create);
    return { staging, rowCount: 0 };
  }
  await connection.execute(staging.create);
  try {
    return { staging, rowCount: await copyIn(connection, inline(staging.copy), csv.body) };
  } catch (error) {
    throw await withRecord(connection, (staged) => header[Number(staged.slice(1))] ?? null, error);
  }
}

/**
 * Names the record of a value that COPY could not convert, and the column where each has a field of its own. COPY itself knows only the
 * line, and a record may have several; but it numbers the records that it has read, and a sequence does not go back.
 * @param columnOf what is staged under a name
 */
async function withRecord(
  connection: Connection,
  columnOf: (staged: string) => Column | null,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof pg.DatabaseError) || error.code?.startsWith('22') !== true) return error;
  // the first line may be about a place inside the value
  const staged = /^COPY \w+, line \d+, column (\w+)/m.exec(error.where ?? '')?.[1];
  if (staged === undefined) return error;
  const known = inputError(error);
  if (!(known instanceof AppError)) return error;
  const column = columnOf(staged);
  const [read] = await connection.query<{ records: string }>(
    sql`select (case when is_called then last_value else 0 end)::text as records from ${stageRecords}`,
  );
  const row = BigInt(read?.records ?? '0') + 1n;
  const place = column === null ? '' : `, column ${JSON.stringify(column.name)}`;
  return new AppError(known.code, `${known.detail} (row ${row} of the input${place})`, { cause: error });
}

function resolveHeader(
  names: readonly string[],
  { accepted, required, ignored = [] }: InputColumns,
): readonly (Column | null)[] {
  const seen = new Set<string>();
  const header = names.map((name) => {
    if (seen.has(name)) throw new AppError('bad_input', `The CSV header has the column ${JSON.stringify(name)} twice.`);
    seen.add(name);
    const column = accepted.find((candidate) => candidate.name === name);
    if (column !== undefined) return required.includes(column) ? column : null;
    if (ignored.some((candidate) => candidate.name === name)) return null;
    throw new AppError(
      'unknown_element',
      `The CSV header has a column ${JSON.stringify(name)} that is not an input column of the table.`,
    );
  });
  const missing = required.filter((column) => !seen.has(column.name)).map((column) => JSON.stringify(column.name));
  if (missing.length > 0)
    throw new AppError(
      'bad_input',
      `The CSV header lacks ${missing.join(', ')}; all columns must be there unless they are defaulted.`,
    );
  return header;
}

/** Faults of the input are the client's to mend: which record, which column, which value. */
export function inputError(error: unknown): unknown {
  if (error instanceof TabularError) {
    return new AppError(
      error.code === 'row_too_long' ? 'too_large' : 'bad_input',
      `The rows cannot be read: ${error.message}.`,
      { cause: error },
    );
  }
  return literalError(error);
}
