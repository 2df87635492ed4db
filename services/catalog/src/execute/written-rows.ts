import { AppError, type Spool, spool } from '@holdfast/http-kit';
import { type Connection, inline, type Sql } from '@holdfast/pg-kit';
import type { Change } from '../history/change.js';
import type { Column } from '../model/model.js';
import type { WritePlan } from '../plan/write-plan.js';
import { copyOut } from '../sql/copy-out.js';
import { nullsSql, type Staging } from '../sql/stage-sql.js';
import { CopyExchange } from './copy-exchange.js';
import { framed } from './copy-rows.js';
import { inputError, type StagedInput } from './stage-input.js';

/** What a write of rows works with. */
export interface WriteParts {
  readonly connection: Connection;
  readonly change: Change;
  readonly input: StagedInput;
  /** Records the snapshot of a change of rows and commits it. */
  readonly closing: Sql;
  /** Directory for an answer too long for memory. */
  readonly spoolDirectory: string;
}

/** The answer of a write, kept until the commit. */
export interface WrittenRows {
  readonly answer: Spool;
  /** RIDs of the tables whose rows changed; none: nothing did. */
  readonly tables: readonly string[];
  /** Whether the change is over: the message that wrote the rows has committed it. */
  readonly closed: boolean;
}

/** Bytes of an answer kept in memory. */
const MEMORY_BYTES = 1024 * 1024;

/**
 * Runs the statement that gives the lines of the answer, and keeps them.
 * @param closing what ends the change, to go in the same message
 */
export async function keepRows(
  { connection, spoolDirectory }: WriteParts,
  plan: WritePlan,
  statement: Sql,
  closing: Sql | null = null,
): Promise<WrittenRows> {
  const { answer } = plan.formats;
  const ending = closing === null ? '' : `; ${inline(closing)}`;
  try {
    const rows = connection.client.query(new CopyExchange(copyOut(statement, answer) + ending));
    const bytes = framed(rows, answer, plan.answeredNames);
    const kept = await spool(bytes, { memoryBytes: MEMORY_BYTES, directory: spoolDirectory });
    await rows.finished;
    const tables = rows.rowCount === 0 && closing === null ? [] : [plan.table.rid];
    return { answer: kept, tables, closed: closing !== null };
  } catch (error) {
    throw inputError(error);
  }
}

/** Runs a statement over the staged rows; its errors are faults of the input. */
export async function overStage({ connection }: WriteParts, statement: Sql): Promise<number> {
  try {
    return (await connection.client.query(inline(statement))).rowCount ?? 0;
  } catch (error) {
    throw inputError(error);
  }
}

/** The staging, with the knowledge in which of the key columns NULL is sent; those that cannot be NULL need no look. */
export async function knowingNulls(
  { connection, input: { staging } }: WriteParts,
  keys: readonly { readonly column: Column; readonly input: Column }[],
): Promise<Staging> {
  const columns = keys.filter(({ column }) => column.nullok).map(({ input }) => input);
  if (columns.length === 0) return staging;
  try {
    const { rows } = await connection.client.query<Record<string, boolean>>(inline(nullsSql(columns, staging)));
    const nulls = rows[0] ?? {};
    const complete = new Set(columns.filter((_, index) => nulls[`n${index}`] === false));
    return { ...staging, mayBeNull: (column) => !complete.has(column) };
  } catch (error) {
    throw inputError(error);
  }
}

/**
 * Refuses input rows that are the same.
 * @param statement gives the numbers of two such rows, if there are any
 * @param names of the columns that make them the same
 */
export async function refuseRepeated(
  { connection, input }: WriteParts,
  statement: Sql,
  names: readonly string[],
): Promise<void> {
  if (input.rowCount < 2) return;
  const { rows } = await connection.client
    .query<{ first: string; last: string }>(inline(statement))
    .catch((error: unknown) => {
      throw inputError(error);
    });
  const [twice] = rows;
  if (twice === undefined) return;
  throw new AppError(
    'duplicate_input',
    `Rows ${twice.first} and ${twice.last} of the input have the same key (${names.join(', ')}); send each key once.`,
  );
}
