import { AppError } from '@holdfast/http-kit';
import { type Connection, type Database, identifier, sql } from '@holdfast/pg-kit';
import { encodeId } from '../model/id-codec.js';
import { beginChange } from './change.js';
import { historiesOf, historyRelation } from './row-storage.js';
import { cutHistory, dropUnusedHistories, removeDeadRows, truncationPoint } from './truncate.js';

/** What truncating a catalog frees. */
export interface FreedHistory {
  /** The snapshot that is or becomes the earliest. */
  readonly earliest: string;
  /** Snapshots that go. */
  readonly snapshots: number;
  /** Row versions that go. */
  readonly rowVersions: number;
  /** What these take on disk, estimated from the size of the tables they are in, indexes included. */
  readonly bytes: number;
}

const ROWS_AT_A_TIME = 50_000;

/**
 * Finds out what truncating a catalog would free.
 * @param horizon what died before it goes; in microseconds since 1970
 */
export function measureHistory(database: Database, horizon: bigint): Promise<FreedHistory> {
  return database.transaction({ isolation: 'repeatable read', readOnly: true }, async (connection) => {
    const point = await truncationPoint(connection, horizon);
    const earliest = point?.earliest ?? (await earliestSnapshot(connection));
    let rowVersions = 0;
    let bytes = 0;
    for (const rid of await historiesOf(connection)) {
      const relation = identifier('_catalog', historyRelation({ rid }));
      const [row] = await connection.query<{ readonly dead: string; readonly all: string; readonly bytes: string }>(
        sql`select count(*) filter (where hi <= _catalog.at_micros(${earliest}::bigint)) as dead, count(*) as all,
                   pg_total_relation_size(${`_catalog."${historyRelation({ rid })}"`}::regclass) as bytes
              from ${relation}`,
      );
      if (row === undefined || row.dead === '0') continue;
      rowVersions += Number(row.dead);
      bytes += Math.round((Number(row.bytes) * Number(row.dead)) / Number(row.all));
    }
    return { earliest: encodeId(earliest), snapshots: point?.older ?? 0, rowVersions, bytes };
  });
}

/**
 * Truncates the history of a catalog. The writer lock is held for a moment only: row versions go in many steps when nobody can reach
 * them any more; what an interruption leaves goes the next time.
 */
export async function truncateByAge(database: Database, horizon: bigint): Promise<FreedHistory> {
  const freed = await measureHistory(database, horizon);
  const earliest = await database.transaction({}, async (connection) => {
    const change = await beginChange(connection, null);
    const point = await truncationPoint(connection, horizon);
    if (point === null) return earliestSnapshot(connection);
    await cutHistory(connection, change, point.earliest);
    return point.earliest;
  });
  await database.withConnection(null, async (connection) => {
    for (const rid of await historiesOf(connection)) {
      let removed: number;
      do {
        removed = await removeDeadRows(connection, rid, earliest, ROWS_AT_A_TIME);
      } while (removed === ROWS_AT_A_TIME);
    }
  });
  await database.transaction({}, async (connection) => {
    await beginChange(connection, null);
    await dropUnusedHistories(connection);
  });
  return freed;
}

async function earliestSnapshot(connection: Connection): Promise<bigint> {
  const [row] = await connection.query<{ readonly earliest: string | null }>(
    sql`select _catalog.micros(min(ts))::text as earliest from _catalog.snap`,
  );
  if (row === undefined || row.earliest === null)
    throw new AppError('internal', 'The catalog has no snapshot; its creation was not finished.');
  return BigInt(row.earliest);
}
