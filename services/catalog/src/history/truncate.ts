import { AppError } from '@holdfast/http-kit';
import { type Connection, identifier, sql } from '@holdfast/pg-kit';
import { recordAmendment } from './amend.js';
import type { Change } from './change.js';
import { historyRelation } from './row-storage.js';

/** What a truncation removes. */
export interface Truncation {
  /** The snapshot that becomes the earliest, in microseconds since 1970. */
  readonly earliest: bigint;
  readonly snapshots: number;
  readonly rowVersions: number;
}

/**
 * The snapshot that would become the earliest, if something is older.
 * @param until in microseconds since 1970
 * @throws {AppError} `not_found` when there is nothing to remove
 */
export async function truncationPoint(connection: Connection, until: bigint): Promise<bigint> {
  const [row] = await connection.query<{ readonly earliest: string | null; readonly older: boolean }>(
    sql`select _catalog.micros(max(ts))::text as earliest, count(*) > 1 as older
          from _catalog.snap where ts <= _catalog.at_micros(${until}::bigint)`,
  );
  if (row === undefined || row.earliest === null)
    throw new AppError('not_found', 'There is no snapshot so early; GET history/, tells which there are.');
  if (!row.older) throw new AppError('not_found', 'No history is older than this snapshot.');
  return BigInt(row.earliest);
}

/**
 * Removes what had died by a snapshot, which becomes the earliest one (spec/catalog-access.md 10.5).
 * @param earliest of {@link truncationPoint}
 */
export async function truncate(connection: Connection, change: Change, earliest: bigint): Promise<Truncation> {
  const until = sql`_catalog.at_micros(${earliest}::bigint)`;
  let rowVersions = 0;
  for (const { rid, gone } of await historiesOf(connection, earliest)) {
    const relation = identifier('_catalog', historyRelation({ rid }));
    rowVersions += await connection.execute(sql`delete from ${relation} where hi <= ${until}`);
    if (!gone) continue;
    await connection.execute(sql`drop table ${relation}`);
    await connection.execute(sql`delete from _catalog.capture where rid = ${rid}`);
  }
  await connection.execute(sql`delete from _catalog.elem where hi <= ${until}`);
  const snapshots = await connection.execute(sql`delete from _catalog.snap where ts < ${until}`);
  // the model of the earliest snapshot begins with it
  await connection.execute(sql`update _catalog.snap set model = true where ts = ${until}`);
  await connection.execute(sql`delete from _catalog.amend where hi <= ${until}`);
  await recordAmendment(connection, change, { lo: null, hi: earliest + 1n, kind: 'truncation', subject: null });
  return { earliest, snapshots, rowVersions };
}

/** Tables with a history, and whether a table was gone at a snapshot already. */
export async function historiesOf(
  connection: Connection,
  snapshot: bigint,
): Promise<readonly { readonly rid: string; readonly gone: boolean }[]> {
  return connection.query(
    sql`select c.rid, not exists (
                 select from _catalog.elem e
                  where e.rid = c.rid and e.kind = 'table' and e.hi > _catalog.at_micros(${snapshot}::bigint)) as gone
          from _catalog.capture c order by c.rid`,
  );
}
