import { AppError } from '@holdfast/http-kit';
import { type Connection, sql } from '@holdfast/pg-kit';
import { instantText } from './instant-text.js';

/** A stretch of history as a URL names it, both ends included, in microseconds since 1970; null is open. */
export interface GivenRange {
  readonly from: bigint | null;
  readonly to: bigint | null;
}

/** A stretch of history as it is. */
export interface HistoryRange {
  /** Earliest and latest snapshot in it. */
  readonly first: bigint;
  readonly last: bigint;
  /** The latest amendment that touched a snapshot of it. */
  readonly amendment: bigint | null;
}

/**
 * The snapshots of a range, and whether they were amended (spec/catalog-access.md 10.2).
 * @throws {AppError} `bad_range` for one that ends before it begins, `not_found` for one without a snapshot
 */
export async function historyRange(connection: Connection, { from, to }: GivenRange): Promise<HistoryRange> {
  if (from !== null && to !== null && from > to)
    throw new AppError('bad_range', 'The range ends before it begins; write the earlier snapshot first.');
  const [row] = await connection.query<{
    readonly first: string | null;
    readonly last: string;
    readonly amended: string | null;
  }>(
    sql`select _catalog.micros(first)::text as first, _catalog.micros(last)::text as last,
               (select _catalog.micros(max(a.ts))::text from _catalog.amend a where a.lo <= last and a.hi > first) as amended
          from (select min(ts) as first, max(ts) as last from _catalog.snap
                 where ts >= ${boundText(from, '-infinity')}::timestamptz
                   and ts <= ${boundText(to, 'infinity')}::timestamptz) s`,
  );
  if (row === undefined || row.first === null)
    throw new AppError('not_found', 'There is no snapshot in this range; GET history/, tells which there are.');
  return {
    first: BigInt(row.first),
    last: BigInt(row.last),
    amendment: row.amended === null ? null : BigInt(row.amended),
  };
}

/** A bound as PostgreSQL reads it; snapshots from before 1970 there are none. */
export function boundText(bound: bigint | null, open: '-infinity' | 'infinity'): string {
  if (bound === null) return open;
  return bound < 0n ? '-infinity' : instantText(bound);
}
