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

/** The state of the live catalog as one text, cheap enough for every request (`migrations/state-function.ts`). */
export const stateText: Sql = sql`_catalog.state()`;

/** Reads {@link stateText}. */
export function parseCatalogState(text: string): CatalogState {
  const [modelVersion = '', snapshot = '', changedByHand, amendment] = text.split(',');
  if (modelVersion === '' || snapshot === '') {
    throw new AppError('internal', 'The catalog has no snapshot; its creation was not finished.');
  }
  return {
    modelVersion: BigInt(modelVersion),
    snapshot: BigInt(snapshot),
    amendment: amendment === undefined ? null : BigInt(amendment),
    changedByHand: changedByHand === 't',
  };
}

/** The state as the connection sees it: one round trip. */
export async function catalogState(connection: Connection): Promise<CatalogState> {
  const [row] = await connection.query<{ readonly state: string }>(sql`select ${stateText} as state`, {
    prepared: 'catalog-state',
  });
  return parseCatalogState(row?.state ?? '');
}
