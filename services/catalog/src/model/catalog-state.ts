import { AppError } from '@holdfast/http-kit';
import { type Connection, type Sql, sql } from '@holdfast/pg-kit';

/** Which state a catalog is in: what entity tags and the model cache go by. Times are microseconds since 1970. */
export interface CatalogState {
  /** Latest snapshot in which the model changed. */
  readonly modelVersion: bigint;
  /** Latest snapshot of any kind. */
  readonly snapshot: bigint;
  /** Latest amendment of history, if there was one. */
  readonly amendment: bigint | null;
  /** Whether the database was changed by hand and the model does not know yet (spec/catalog-model.md 17). */
  readonly changedByHand: boolean;
}

/** One row of {@link stateColumns}. */
export interface StateRow {
  readonly model_version: string;
  readonly snapshot: string;
  readonly amendment: string | null;
  /** Absent for a snapshot of the past. */
  readonly changed_by_hand?: boolean;
}

/**
 * The state of the live catalog as columns of a select list: three index probes and a look into an empty table, cheap enough for every request. To be joined
 * to the statement that reads data, so that state and data are of one database snapshot.
 */
export const stateColumns: Sql = sql`
  (select _catalog.micros(ts)::text from _catalog.snap where model order by ts desc limit 1) as model_version,
  (select _catalog.micros(ts)::text from _catalog.snap order by ts desc limit 1) as snapshot,
  (select _catalog.micros(ts)::text from _catalog.amend order by ts desc limit 1) as amendment,
  exists (select from _catalog.by_hand) as changed_by_hand`;

/** Reads a row of {@link stateColumns}. */
export function toCatalogState(row: StateRow): CatalogState {
  return {
    modelVersion: BigInt(row.model_version),
    snapshot: BigInt(row.snapshot),
    amendment: row.amendment === null ? null : BigInt(row.amendment),
    changedByHand: row.changed_by_hand ?? false,
  };
}

/** The state as the connection sees it: one round trip. */
export async function catalogState(connection: Connection): Promise<CatalogState> {
  const [row] = await connection.query<StateRow>(sql`select ${stateColumns}`, { prepared: 'catalog-state' });
  if (row === undefined || row.model_version === null)
    throw new AppError('internal', 'The catalog has no snapshot; its creation was not finished.');
  return toCatalogState(row);
}
