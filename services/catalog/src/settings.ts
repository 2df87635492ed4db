/** What the operator sets, as the code reads it; `docs/configuration.md` has the variables. */
export interface CatalogSettings {
  /** Roles that may create catalogs and aliases. */
  readonly createRoles: readonly string[];
  /** Whether owners of a catalog or alias may say how long it lives; the same at creation and later. */
  readonly ownersSetPersistence: boolean;
  /** Authorities of special annotation keys; the first is written, all are read. */
  readonly registrants: readonly string[];
  /** How long a change waits for the writer lock, and DDL for a lock of a table. */
  readonly lockWaitMilliseconds: number;
  /** How long the database may work until the first row of an answer is there. */
  readonly readMilliseconds: number;
  /** How long the database may work on a change, from the moment its body is staged. */
  readonly writeMilliseconds: number;
  /** How long a client of the data interface may make no progress before it is cut off. */
  readonly stallMilliseconds: number;
  /** Where a long answer of a write waits for its commit. */
  readonly spoolDirectory: string;
  /** Longest body of a model request. */
  readonly maxModelBytes: number;
}
