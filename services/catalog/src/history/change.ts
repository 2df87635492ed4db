import { AppError } from '@holdfast/http-kit';
import { type Connection, type Sql, sql, sqlStateOf } from '@holdfast/pg-kit';
import { encodeId } from '../model/id-codec.js';

/** A change of a catalog under way: its instant is that of everything it writes, and the id of the snapshot it makes. */
export interface Change {
  /** `timestamptz` text with microseconds, for SQL parameters. */
  readonly ts: string;
  /** The same as microseconds since 1970. */
  readonly micros: bigint;
  /** The same as the wire writes it. */
  readonly snapshotId: string;
  /** Who makes the change; null for nobody in particular. */
  readonly client: string | null;
}

/** What a change did. */
export interface SnapshotContent {
  /** Whether the model, an access list or an annotation changed. */
  readonly model: boolean;
  /** RIDs of the tables whose rows changed. */
  readonly tables: readonly string[];
}

const LOCK_WAIT_MILLISECONDS = 10_000;

/**
 * Begins a change: takes the writer lock of the catalog until the transaction ends and fixes the instant of the change
 * (spec/catalog-access.md 12.5), which SQL reads with `_catalog.now()` and `_catalog.client()`. To be called in a READ COMMITTED
 * transaction, after the request body has been received.
 * @param client id of the client, null for an anonymous one
 * @param lockWaitMilliseconds how long to wait for this and every later lock of the transaction
 * @throws {AppError} `unavailable` when the lock was not to be had in time
 */
export async function beginChange(
  connection: Connection,
  client: string | null,
  lockWaitMilliseconds: number = LOCK_WAIT_MILLISECONDS,
): Promise<Change> {
  try {
    const [row] = await connection.query<ChangeRow>(beginChangeSql(client, lockWaitMilliseconds), {
      prepared: 'begin-change',
    });
    return toChange(row, client);
  } catch (error) {
    throw lockError(error);
  }
}

/** One row of {@link beginChangeSql}. */
export interface ChangeRow {
  readonly ts: string;
  readonly micros: string;
}

/** The statement of {@link beginChange}, for callers that send it together with others. */
export function beginChangeSql(client: string | null, lockWaitMilliseconds: number): Sql {
  return sql`select ts::text, _catalog.micros(ts)::text as micros
               from _catalog.begin_change(${client}, ${lockWaitMilliseconds}::integer) as ts`;
}

/** Reads the row of {@link beginChangeSql}. */
export function toChange(row: ChangeRow | undefined, client: string | null): Change {
  if (row === undefined) throw new AppError('internal', 'A change could not begin.');
  const micros = BigInt(row.micros);
  return { ts: row.ts, micros, snapshotId: encodeId(micros), client };
}

/** A lock that was not to be had in time is told as such; other errors stay what they are. */
export function lockError(error: unknown): unknown {
  if (sqlStateOf(error) !== '55P03') return error;
  return new AppError('unavailable', 'Other changes of this catalog take long; try again in a moment.', {
    cause: error,
  });
}

/**
 * Records the snapshot that a change makes. Once per transaction, and not at all for a change that changed nothing
 * (spec/catalog-access.md 9.1).
 */
export async function recordSnapshot(connection: Connection, change: Change, content: SnapshotContent): Promise<void> {
  await connection.execute(snapshotSql(change, content));
}

/** The statement of {@link recordSnapshot}. */
export function snapshotSql(change: Change, content: SnapshotContent): Sql {
  return sql`insert into _catalog.snap (ts, client, model, tables)
             values (${change.ts}::timestamptz, ${change.client}, ${content.model}, ${content.tables}::text[])`;
}
