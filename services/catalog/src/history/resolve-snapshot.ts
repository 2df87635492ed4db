import { AppError } from '@holdfast/http-kit';
import { type Connection, sql } from '@holdfast/pg-kit';
import type { CatalogState } from '../model/catalog-state.js';
import { decodeId } from '../model/id-codec.js';

/** Times that PostgreSQL can hold and compute with, in microseconds since 1970: the years 1 to 9999. */
const EARLIEST = -62_135_596_800_000_000n;
const LATEST = 253_402_300_799_999_999n;

/**
 * The instant that a revision in a URL means.
 * @throws {AppError} `bad_snapshot` when it cannot be decoded
 */
export function decodeRevision(revision: string): bigint {
  const micros = decodeId(revision);
  if (micros === null)
    throw new AppError('bad_snapshot', `${JSON.stringify(revision)} is not the identifier of a snapshot.`);
  if (micros < EARLIEST) return EARLIEST;
  return micros > LATEST ? LATEST : micros;
}

/**
 * The state at the latest snapshot at or before an instant (spec/catalog-access.md 9.3): its `amendment` is the latest one that covers
 * the snapshot.
 * @returns null when there is none
 */
export async function stateAt(connection: Connection, instant: bigint): Promise<CatalogState | null> {
  const [row] = await connection.query<SnapshotRow>(
    sql`select (select _catalog.micros(m.ts)::text from _catalog.snap m
                 where m.model and m.ts <= s.ts order by m.ts desc limit 1) as model_version,
               _catalog.micros(s.ts)::text as snapshot,
               (select _catalog.micros(max(a.ts))::text from _catalog.amend a
                 where a.lo <= s.ts and a.hi > s.ts) as amendment
          from _catalog.snap s
         where s.ts <= _catalog.at_micros(${instant}::bigint)
         order by s.ts desc limit 1`,
  );
  if (row === undefined || row.model_version === null) return null;
  return {
    modelVersion: BigInt(row.model_version),
    snapshot: BigInt(row.snapshot),
    amendment: row.amendment === null ? null : BigInt(row.amendment),
    // what was changed by hand since is not of the past
    changedByHand: false,
  };
}

interface SnapshotRow {
  readonly model_version: string | null;
  readonly snapshot: string;
  readonly amendment: string | null;
}
