import { type Connection, sql } from '@holdfast/pg-kit';

/** Name of the connections that do late work. */
export const LATE_WORK_APPLICATION = 'holdfast-catalog late work';

/** Key of the lock that says whose turn it is. */
const TURN_LOCK = '5210797465438516';

/**
 * One piece at a time in a catalog, in whatever process: of two, one would be in the way of a change as soon as the other has given
 * way, and none must be done twice. To be asked for again and again, since one that waits inside a statement would itself be waited
 * for by the build of an index. PostgreSQL gives the turn to others when the connection ends, and only when what runs on it is over.
 * @returns false when another process has the turn
 */
export async function takeTurn(connection: Connection): Promise<boolean> {
  const [row] = await connection.query<{ readonly taken: boolean }>(
    sql`select pg_try_advisory_lock(${TURN_LOCK}::bigint) as taken`,
  );
  return row?.taken === true;
}

export async function leaveTurn(connection: Connection): Promise<void> {
  await connection.query(sql`select pg_advisory_unlock(${TURN_LOCK}::bigint)`);
}

/**
 * Cancels late work that waits for the end of a transaction, to be called by a change that waits for a lock: an index that is built
 * concurrently holds a lock on its table while it waits for all transactions that began before, among them this change and the others
 * that wait for it in turn. The work starts again.
 */
export async function cancelLateWorkBehind(connection: Connection): Promise<void> {
  await connection.query(
    sql`select pg_cancel_backend(waiting.pid)
          from pg_locks waiting
          join pg_stat_activity a on a.pid = waiting.pid and a.application_name = ${LATE_WORK_APPLICATION}
           and a.datname = current_database()
         where waiting.locktype = 'virtualxid' and not waiting.granted`,
  );
}
