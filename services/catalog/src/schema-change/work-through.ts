import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@holdfast/http-kit';
import { type Connection, isConnectionLoss, sql, sqlStateOf } from '@holdfast/pg-kit';
import { doPiece } from './do-late-work.js';
import { hasLateWork, type ListedWork, nextLateWork, postpone, settle } from './late-work-list.js';
import { leaveTurn, takeTurn } from './late-work-turn.js';

/** Longer than a change takes from one attempt to have its locks to the next. */
const GIVE_WAY_MILLISECONDS = 500;
/** How often a process asks that would do work which another one is at. */
const OTHERS_TURN_MILLISECONDS = 1_000;

/**
 * Does all late work of a catalog that is due. What fails is logged and put off; it stays on the list until it succeeds.
 * @param connection of its own: it keeps a lock from one statement to the next
 * @returns milliseconds until there is more to do; null when the list is empty
 */
export async function workThrough(connection: Connection, stop: AbortSignal, log: Logger): Promise<number | null> {
  if (!(await takeTurn(connection))) return (await hasLateWork(connection)) ? OTHERS_TURN_MILLISECONDS : null;
  try {
    // a build takes as long as it takes, whatever limit the server sets for others
    await connection.query(sql`select set_config('statement_timeout', '0', false)`);
    for (;;) {
      const next = await nextLateWork(connection);
      if (next === null) return null;
      if (next.wait > 0) return next.wait;
      await attempt(connection, next, stop, log);
    }
  } finally {
    // with the connection the turn is gone, too
    await leaveTurn(connection).catch(() => undefined);
  }
}

async function attempt(connection: Connection, work: ListedWork, stop: AbortSignal, log: Logger): Promise<void> {
  try {
    await doPiece(connection, work.piece);
    await settle(connection, work);
  } catch (error) {
    if (stop.aborted || isConnectionLoss(error)) throw error;
    if (gaveWay(error)) {
      // the turn is kept, so that the change which is in a hurry finds nobody in its way
      await sleep(GIVE_WAY_MILLISECONDS);
      return;
    }
    log.warn({ err: error, work: work.piece, failures: work.failures + 1 }, 'late work failed and will be tried again');
    await postpone(connection, work);
  }
}

/** Cancelled by a change that went first, or by PostgreSQL for the same reason. */
function gaveWay(error: unknown): boolean {
  return ['57014', '40P01'].includes(sqlStateOf(error) ?? '');
}
