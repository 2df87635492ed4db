import { AppError } from '@holdfast/http-kit';
import { type Connection, type Sql, sql } from '@holdfast/pg-kit';
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

/** The state at a snapshot: `snapshot` is the snapshot, `amendment` the latest one that covers it. */
export interface SnapshotState extends CatalogState {
  /** Latest change of the model of the live catalog: where rows of the past are depends on it. */
  readonly presentModel: bigint;
  /** Whether the rows of the snapshot can be read: not those from before a catalog kept its history. */
  readonly rowsKept: boolean;
  /** Another one whenever something about the snapshot may be different; what {@link snapshotMark} gives. */
  readonly mark: string;
}

/** A text that is another one whenever something about a snapshot may be different (`migrations/state-function.ts`). */
export function snapshotMark(instant: bigint): Sql {
  return sql`_catalog.mark_at(${instant}::bigint)`;
}

/**
 * The state at the latest snapshot at or before an instant (spec/catalog-access.md 9.3).
 * @returns null when there is none
 */
export async function stateAt(connection: Connection, instant: bigint): Promise<SnapshotState | null> {
  const [row] = await connection.query<{ readonly state: string; readonly mark: string }>(
    sql`select _catalog.state_at(${instant}::bigint) as state, ${snapshotMark(instant)} as mark`,
    { prepared: 'snapshot-state' },
  );
  const [presentModel = '', changedByHand, snapshot, modelVersion, rowsKept, amendment] = (row?.state ?? '').split(',');
  if (row === undefined || snapshot === undefined || modelVersion === undefined) return null;
  return {
    presentModel: BigInt(presentModel),
    changedByHand: changedByHand === 't',
    snapshot: BigInt(snapshot),
    modelVersion: BigInt(modelVersion),
    rowsKept: rowsKept === 't',
    amendment: amendment === undefined ? null : BigInt(amendment),
    mark: row.mark,
  };
}
