import { AppError } from '@holdfast/http-kit';
import { type Connection, identifier, type Sql, sql } from '@holdfast/pg-kit';
import { recordAmendment } from './amend.js';
import type { Change } from './change.js';
import { historiesOf, historyRelation } from './row-storage.js';

/**
 * The snapshot that would become the earliest one.
 * @param until in microseconds since 1970
 * @returns null when there is nothing to remove; else the snapshot, and how many are older
 */
export async function truncationPoint(
  connection: Connection,
  until: bigint,
): Promise<{ readonly earliest: bigint; readonly older: number } | null> {
  const [row] = await connection.query<{ readonly earliest: string | null; readonly older: number }>(
    sql`select _catalog.micros(max(ts))::text as earliest, count(*)::integer - 1 as older
          from _catalog.snap where ts <= _catalog.at_micros(${until}::bigint)`,
  );
  if (row === undefined || row.earliest === null || row.older === 0) return null;
  return { earliest: BigInt(row.earliest), older: row.older };
}

/**
 * Removes what had died by a snapshot, which becomes the earliest one (spec/catalog-access.md 10.5).
 * @param until in microseconds since 1970
 * @throws {AppError} `not_found` when there is nothing to remove
 */
export async function truncate(connection: Connection, change: Change, until: bigint): Promise<void> {
  const point = await truncationPoint(connection, until);
  if (point === null)
    throw new AppError('not_found', 'There is no history before that; GET history/, tells which snapshots there are.');
  await cutHistory(connection, change, point.earliest);
  for (const rid of await historiesOf(connection)) await removeDeadRows(connection, rid, point.earliest, null);
  await dropUnusedHistories(connection);
}

/** Removes snapshots and what the model was before a snapshot. Dead rows stay and are out of reach. */
export async function cutHistory(connection: Connection, change: Change, earliest: bigint): Promise<void> {
  const until = at(earliest);
  await connection.execute(sql`delete from _catalog.elem where hi <= ${until}`);
  await connection.execute(sql`delete from _catalog.snap where ts < ${until}`);
  // the model of the earliest snapshot begins with it
  await connection.execute(sql`update _catalog.snap set model = true where ts = ${until}`);
  await connection.execute(sql`delete from _catalog.amend where hi <= ${until}`);
  await recordAmendment(connection, change, { lo: null, hi: earliest + 1n, kind: 'truncation', subject: null });
}

/**
 * Removes row versions of a table that had died by a snapshot.
 * @param most null for all of them
 * @returns how many
 */
export async function removeDeadRows(
  connection: Connection,
  rid: string,
  snapshot: bigint,
  most: number | null,
): Promise<number> {
  const relation = identifier('_catalog', historyRelation({ rid }));
  const dead = sql`hi <= ${at(snapshot)}`;
  if (most === null) return connection.execute(sql`delete from ${relation} where ${dead}`);
  return connection.execute(
    sql`delete from ${relation} where ctid = any(array(select ctid from ${relation} where ${dead} limit ${most}::integer))`,
  );
}

/** Drops the histories of tables that no snapshot knows any more. Under the writer lock. */
export async function dropUnusedHistories(connection: Connection): Promise<void> {
  const rows = await connection.query<{ readonly rid: string }>(
    sql`delete from _catalog.capture c
         where not exists (select from _catalog.elem e where e.rid = c.rid and e.kind = 'table')
        returning c.rid`,
  );
  for (const { rid } of rows)
    await connection.execute(sql`drop table ${identifier('_catalog', historyRelation({ rid }))}`);
}

function at(micros: bigint): Sql {
  return sql`_catalog.at_micros(${micros}::bigint)`;
}
