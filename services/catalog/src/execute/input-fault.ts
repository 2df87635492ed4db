import { AppError } from '@holdfast/http-kit';
import { type Connection, identifier, inline, join, type Sql, sql, sqlStateOf, trusted } from '@holdfast/pg-kit';
import pg from 'pg';
import type { Column, Table } from '../model/model.js';
import { ordinal, type Staging } from '../sql/stage-sql.js';
import { inputError, type StagedInput } from './stage-input.js';

/** What the search for a fault needs: the staged rows and what they were to become. */
export interface FaultySource {
  readonly table: Table;
  /** Input columns, under the names the input has for them. */
  readonly fromInput: readonly Column[];
  readonly input: StagedInput;
}

/** Longest time one look at the staged rows may take: a clear message is worth no more. */
const LOOK_MILLISECONDS = 5000;

const row = identifier('s');

/**
 * Adds to an error of a write which row of the input, and which column and value, the client must mend. Looks at the staged rows again, so
 * the transaction that failed must be over. Errors it cannot place stay as they are.
 */
export async function withInputRow(connection: Connection, source: FaultySource, error: unknown): Promise<unknown> {
  if (!(error instanceof AppError) || !(error.cause instanceof pg.DatabaseError)) return error;
  const cause = error.cause;
  try {
    const place = await placeOf(connection, source, cause);
    if (place === null) return error;
    // the conversion that fails first is not always that of the first row
    const detail = place.error === null ? error.detail : place.error.detail;
    return new AppError(error.code, `${detail.replaceAll('_catalog.', '')} (${place.words})`, { cause });
  } catch {
    return error;
  }
}

interface Place {
  readonly words: string;
  /** The fault found there, when it may be another one than that reported. */
  readonly error: AppError | null;
}

async function placeOf(connection: Connection, source: FaultySource, cause: pg.DatabaseError): Promise<Place | null> {
  const state = sqlStateOf(cause) ?? '';
  if (state.startsWith('22') || state === CHECK_VIOLATION) return badValue(connection, source);
  if (state === NOT_NULL_VIOLATION) return missingValue(connection, source, cause);
  if (state === UNIQUE_VIOLATION || state === FOREIGN_KEY_VIOLATION) return keyValue(connection, source, cause);
  return null;
}

const NOT_NULL_VIOLATION = '23502';
const FOREIGN_KEY_VIOLATION = '23503';
const UNIQUE_VIOLATION = '23505';
const CHECK_VIOLATION = '23514';

/** The first row whose values cannot be converted: found by halving, with the conversion that the write itself uses. */
async function badValue(connection: Connection, { fromInput, input }: FaultySource): Promise<Place | null> {
  const { staging, rowCount } = input;
  let [good, bad] = [0, rowCount];
  if ((await conversionError(connection, staging, fromInput, 1, rowCount)) === null) return null;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if ((await conversionError(connection, staging, fromInput, good + 1, middle)) === null) good = middle;
    else bad = middle;
  }
  for (const column of fromInput) {
    const error = await conversionError(connection, staging, [column], bad, bad);
    if (error === null) continue;
    const value = await valueText(connection, staging, column, bad);
    const shown = value === null || error.detail.includes(value) ? '' : `, value ${JSON.stringify(value)}`;
    return { words: `row ${bad} of the input, column ${JSON.stringify(column.name)}${shown}`, error };
  }
  return null;
}

async function conversionError(
  connection: Connection,
  staging: Staging,
  columns: readonly Column[],
  from: number,
  to: number,
): Promise<AppError | null> {
  const values = join(columns.map((column) => sql`count(${staging.value(column, row)})`));
  try {
    await look(
      connection,
      sql`select ${values} from ${staging.source} ${row} where ${ordinal} between ${from} and ${to}`,
    );
    return null;
  } catch (error) {
    const state = sqlStateOf(error);
    if (state?.startsWith('22') !== true && state !== CHECK_VIOLATION) throw error;
    const known = inputError(error);
    if (known instanceof AppError) return known;
    throw error;
  }
}

async function valueText(
  connection: Connection,
  staging: Staging,
  column: Column,
  ord: number,
): Promise<string | null> {
  const [found] = await look<{ value: string | null }>(
    connection,
    sql`select left(${staging.text(column, row)}, 100) as value from ${staging.source} ${row} where ${ordinal} = ${ord}`,
  );
  return found?.value ?? null;
}

async function missingValue(
  connection: Connection,
  source: FaultySource,
  { column: name }: pg.DatabaseError,
): Promise<Place | null> {
  const column = inputOf(source, name ?? '');
  if (column === null) return null;
  const value = source.input.staging.value(column, row);
  const rows = await rowsWhere(connection, source.input.staging, sql`${value} is null`);
  return rows.length === 0
    ? null
    : { words: `${rowWords(rows.slice(0, 1))}, column ${JSON.stringify(column.name)}`, error: null };
}

/** Rows that hold the key which PostgreSQL names in its detail. */
async function keyValue(connection: Connection, source: FaultySource, cause: pg.DatabaseError): Promise<Place | null> {
  const { table, input } = source;
  const constraint = [...table.keys, ...table.foreignKeys].find((one) => one.constraintName === cause.constraint);
  const shown = /^Key \(.*?\)=\((.*)\) (?:already exists|is not present)/s.exec(cause.detail ?? '')?.[1];
  if (constraint === undefined || shown === undefined) return null;
  const columns = constraint.columns.map((column) => inputOf(source, column.name));
  const values = columns.map((column) => (column === null ? null : input.staging.value(column, row)));
  if (values.includes(null)) return null;
  const text = join(
    values.flatMap((value) => (value === null ? [] : [sql`(${value})::text`])),
    ` || ', ' || `,
  );
  const rows = await rowsWhere(connection, input.staging, sql`${text} = ${shown}`);
  return rows.length === 0 ? null : { words: rowWords(rows), error: null };
}

/** The input of a column of the table; where it is both key and target of an update, what it is set to. */
function inputOf({ table, fromInput }: FaultySource, name: string): Column | null {
  const column = table.columnsByName.get(name);
  return fromInput.findLast((input) => input.rid === column?.rid) ?? null;
}

/** Up to two of them: the second is the one in the way of the first. */
async function rowsWhere(connection: Connection, staging: Staging, condition: Sql): Promise<readonly string[]> {
  const rows = await look<{ ord: string }>(
    connection,
    sql`select ${ordinal}::text as ord from ${staging.source} ${row} where ${condition} order by ${ordinal} limit 2`,
  );
  return rows.map(({ ord }) => ord);
}

function rowWords(rows: readonly string[]): string {
  return `${rows.length === 1 ? 'row' : 'rows'} ${rows.join(' and ')} of the input`;
}

/** One look at the staged rows, in a transaction of its own that leaves nothing behind. */
async function look<Found extends object>(connection: Connection, statement: Sql): Promise<readonly Found[]> {
  const { client } = connection;
  await client.query('begin read only');
  try {
    await client.query(inline(sql`set local statement_timeout = ${trusted(String(LOOK_MILLISECONDS))}`));
    return (await client.query<Found>(inline(statement))).rows;
  } finally {
    await client.query('rollback');
  }
}
