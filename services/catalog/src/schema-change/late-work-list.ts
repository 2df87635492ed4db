import { type Connection, sql } from '@holdfast/pg-kit';
import type { IndexPlan } from './index-plan.js';

/** Work on a table with rows that would keep others waiting inside the change. By RIDs, since names may change before it is done. */
export type LateWork = LateIndex | LateValidation;

export interface LateIndex {
  readonly kind: 'index';
  readonly table: string;
  /** The column or foreign key it is for. */
  readonly owner: string;
  readonly plan: IndexPlan;
  /** The columns of the plan, in its order. */
  readonly columns: readonly string[];
}

/** Of a foreign key that the rows are known to satisfy. */
export interface LateValidation {
  readonly kind: 'validation';
  readonly foreignKey: string;
}

/** A piece of work as it stands in the catalog's list. */
export interface ListedWork {
  readonly number: string;
  readonly piece: LateWork;
  /** How often it has failed so far. */
  readonly failures: number;
  /** Milliseconds until it is due; zero or less: now. */
  readonly wait: number;
}

/** Puts work on the list, in the transaction of the change that leaves it. */
export async function enterLateWork(connection: Connection, work: readonly LateWork[]): Promise<void> {
  if (work.length === 0) return;
  await connection.execute(
    sql`insert into _catalog.late_work (piece) select value from jsonb_array_elements(${JSON.stringify(work)}::jsonb)`,
  );
}

/** Takes indexes off the list that a column is not to have any more. */
export async function forgetIndexes(
  connection: Connection,
  owner: string,
  kinds: readonly IndexPlan['kind'][],
): Promise<void> {
  if (kinds.length === 0) return;
  await connection.execute(
    sql`delete from _catalog.late_work where piece->>'owner' = ${owner} and piece->'plan'->>'kind' = any(${kinds}::text[])`,
  );
}

/** Whether anything is on the list. */
export async function hasLateWork(connection: Connection): Promise<boolean> {
  return (await connection.query(sql`select from _catalog.late_work limit 1`)).length > 0;
}

/** What is due next, or will be; null when the list is empty. */
export async function nextLateWork(connection: Connection): Promise<ListedWork | null> {
  const [row] = await connection.query<ListedWork>(
    sql`select number::text, piece, failures, (extract(epoch from due - clock_timestamp()) * 1000)::float8 as wait
          from _catalog.late_work order by due, number limit 1`,
  );
  return row ?? null;
}

/** Takes a piece off the list: it is done, or there is nothing to be done any more. */
export async function settle(connection: Connection, { number }: ListedWork): Promise<void> {
  await connection.execute(sql`delete from _catalog.late_work where number = ${number}::bigint`);
}

const FIRST_PAUSE_SECONDS = 1;
const LONGEST_PAUSE_SECONDS = 3600;

/** Puts off a piece that has failed, twice as long each time, an hour at most. */
export async function postpone(connection: Connection, { number, failures }: ListedWork): Promise<void> {
  const seconds = Math.min(FIRST_PAUSE_SECONDS * 2 ** Math.min(failures, 20), LONGEST_PAUSE_SECONDS);
  await connection.execute(
    sql`update _catalog.late_work set failures = failures + 1, due = clock_timestamp() + ${seconds} * interval '1 second'
         where number = ${number}::bigint`,
  );
}
