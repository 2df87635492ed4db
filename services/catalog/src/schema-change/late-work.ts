import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@holdfast/http-kit';
import { type Connection, type Database, isConnectionLoss, openDatabase, sql, sqlStateOf } from '@holdfast/pg-kit';
import type { OpenCatalog } from '../registry/open-catalog.js';
import { validateConstraint } from './alter-ddl.js';
import type { LateIndex, LateWork } from './creation-context.js';
import { createIndexConcurrently, dropIndexConcurrently, type Place } from './ddl.js';
import type { IndexPlan } from './index-plan.js';

const APPLICATION = 'holdfast-catalog late work';
const MOST_ATTEMPTS = 3;
/** Bounds what gives way to changes again and again. */
const MOST_TURNS = 100;
/** Longer than a change takes from one attempt to have its locks to the next. */
const PAUSE_MILLISECONDS = 500;

/** Key of the lock that says whose turn it is. */
const TURN_LOCK = '5210797465438516';

/**
 * Builds indexes on tables with rows and validates constraints, after the change that asked for it has been committed and answered: an
 * index built inside the transaction of an ALTER TABLE would keep readers out until it is done (spec/catalog-model.md 20). Correct
 * answers do not depend on it. What fails is repeated, then given up and logged. It is done on a connection of its own, which the
 * request's pool need not stay open for.
 */
export function doLateWork(catalog: OpenCatalog, work: readonly LateWork[], log: Logger): void {
  const database = openDatabase({
    url: catalog.databaseUrl,
    applicationName: APPLICATION,
    maxConnections: 1,
  });
  doAll(database, work, log)
    .catch((error: unknown) => log.error({ err: error }, 'late work could not be done'))
    .finally(() => database.close());
}

/**
 * Cancels late work that waits for the end of the connection's own transaction, to be called when that waits for a lock: an index that
 * is built concurrently holds a lock on its table while it waits for all transactions that began before. The work starts again.
 */
export async function cancelLateWorkBehind(connection: Connection): Promise<void> {
  await connection.query(
    sql`select pg_cancel_backend(waiting.pid)
          from pg_locks own
          join pg_locks waiting on waiting.locktype = 'virtualxid' and waiting.virtualxid = own.virtualxid and not waiting.granted
          join pg_stat_activity a on a.pid = waiting.pid and a.application_name = ${APPLICATION}
         where own.pid = pg_backend_pid() and own.locktype = 'virtualxid' and own.granted`,
  );
}

async function doAll(database: Database, work: readonly LateWork[], log: Logger): Promise<void> {
  for (const piece of work) {
    await database.withConnection(null, async (connection) => {
      await takeTurn(connection);
      await persist(connection, piece, log);
      await connection.query(sql`select pg_advisory_unlock(${TURN_LOCK}::bigint)`);
    });
  }
}

/**
 * One piece at a time in a catalog, in whatever process: of two, one would be in the way of a change as soon as the other has given
 * way. Asked for again and again, since one that waits inside a statement would itself be waited for by the build of an index.
 */
async function takeTurn(connection: Connection): Promise<void> {
  for (;;) {
    const [row] = await connection.query<{ readonly taken: boolean }>(
      sql`select pg_try_advisory_lock(${TURN_LOCK}::bigint) as taken`,
    );
    if (row?.taken === true) return;
    await sleep(PAUSE_MILLISECONDS / 5);
  }
}

/** The turn is kept during the pauses, so that the change which is in a hurry finds nobody in its way. */
async function persist(connection: Connection, piece: LateWork, log: Logger): Promise<void> {
  for (let attempt = 1, failures = 0; ; attempt += 1) {
    try {
      await doPiece(connection, piece, attempt);
      return;
    } catch (error) {
      log.warn({ err: error, work: piece, attempt }, 'late work could not be done');
      if (isConnectionLoss(error)) throw error;
      if (!gaveWay(error)) failures += 1;
      if (failures === MOST_ATTEMPTS || attempt === MOST_TURNS || isPointless(error)) return;
      await sleep(PAUSE_MILLISECONDS);
    }
  }
}

/** Cancelled by a change that went first, or by PostgreSQL for the same reason. */
function gaveWay(error: unknown): boolean {
  return ['57014', '40P01'].includes(sqlStateOf(error) ?? '');
}

async function doPiece(connection: Connection, work: LateWork, attempt: number): Promise<void> {
  switch (work.kind) {
    case 'index': {
      const place = await placeOfTable(connection, work.table);
      const plan = await presentPlan(connection, work);
      if (place === null || plan === null) return;
      // a build that failed has left an invalid index of the name
      if (attempt > 1) await connection.execute(dropIndexConcurrently(place.schema, work.owner, plan));
      await connection.execute(createIndexConcurrently(place, work.owner, plan));
      return;
    }
    case 'validation': {
      const constraint = await elementOf(connection, work.foreignKey, 'foreign_key');
      const place = constraint === null ? null : await placeOfTable(connection, constraint.parent);
      if (constraint !== null && place !== null) await connection.execute(validateConstraint(place, constraint.name));
      return;
    }
    default:
      return work satisfies never;
  }
}

/** The plan with the names that the columns have by now; null when one of them is gone. */
async function presentPlan(connection: Connection, { plan, columns }: LateIndex): Promise<IndexPlan | null> {
  const names: string[] = [];
  for (const rid of columns) {
    const column = await elementOf(connection, rid, 'column');
    if (column === null) return null;
    names.push(column.name);
  }
  const [column = ''] = names;
  return plan.kind === 'btree' ? { ...plan, columns: names } : { ...plan, column };
}

async function placeOfTable(connection: Connection, rid: string): Promise<Place | null> {
  const table = await elementOf(connection, rid, 'table');
  const schema = table === null ? null : await elementOf(connection, table.parent, 'schema');
  return table === null || schema === null ? null : { schema: schema.name, table: table.name };
}

/** Name and parent of a live element. */
async function elementOf(
  connection: Connection,
  rid: string,
  kind: 'schema' | 'table' | 'column' | 'foreign_key',
): Promise<{ readonly name: string; readonly parent: string } | null> {
  const [row] = await connection.query<{ readonly name: string; readonly parent: string }>(
    sql`select doc->>'name' as name, parent from _catalog.elem where rid = ${rid} and kind = ${kind} and hi = 'infinity'`,
  );
  return row ?? null;
}

/** The values do not fit into an index or do not satisfy the constraint after all; a name that is gone may be another one now. */
function isPointless(error: unknown): boolean {
  return /^(23|54|3D)/.test(sqlStateOf(error) ?? '');
}
