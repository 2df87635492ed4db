import type { RowStorage } from './row-storage.js';

/** When tables are looked at. The rules that hold are those of the model that goes with it. */
export type Moment = { readonly kind: 'live' } | PastMoment;

/** A snapshot. */
export interface PastMoment {
  readonly kind: 'past';
  /** What the request asked for, as microseconds since 1970; it may lie between snapshots or in the future. */
  readonly requested: bigint;
  /** The snapshot that means, as microseconds since 1970. */
  readonly snapshot: bigint;
  /** `SnapshotState.mark` when it was resolved. */
  readonly mark: string;
  /** Whether its rows can be read. */
  readonly rowsKept: boolean;
  /** Where its rows are. */
  readonly storage: RowStorage;
}

/** The present, the only moment at which anything can be changed. */
export const LIVE: Moment = { kind: 'live' };
