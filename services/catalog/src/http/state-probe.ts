import { AppError } from '@holdfast/http-kit';
import { type Connection, type Sql, sql } from '@holdfast/pg-kit';
import type { PastMoment } from '../history/moment.js';
import { snapshotMark } from '../history/resolve-snapshot.js';
import { type CatalogState, parseCatalogState, stateText } from '../model/catalog-state.js';
import { type CatalogRequest, StalePresumption } from './catalog-request.js';

/** How the statements of a data request find out whether what it goes by still holds, in their own view of the database. */
export interface StateProbe {
  /** Gives one text. */
  readonly text: Sql;
  /**
   * Reads that text.
   * @throws {StalePresumption} when the request has to go by something else
   */
  verified(text: string): CatalogState;
}

/** The probe of a request. */
export function stateProbe({ moment, model, state: known }: CatalogRequest): StateProbe {
  switch (moment.kind) {
    case 'live':
      return {
        text: stateText,
        verified: (text) => {
          const state = parseCatalogState(text);
          if (state.modelVersion !== model.version || state.changedByHand) throw new StalePresumption();
          return state;
        },
      };
    case 'past':
      return {
        text: snapshotMark(moment.requested),
        verified: (mark) => {
          if (mark !== moment.mark) throw new StalePresumption();
          requireKept(moment);
          return known;
        },
      };
    default:
      return moment satisfies never;
  }
}

/** Runs the probe by itself, inside a transaction. */
export async function verifiedState(context: CatalogRequest, connection: Connection): Promise<CatalogState> {
  const { text, verified } = stateProbe(context);
  const [row] = await connection.query<{ readonly state: string }>(sql`select ${text} as state`);
  return verified(row?.state ?? '');
}

/** Catalogs of an older layout kept the model of their past, and no rows. */
function requireKept({ rowsKept }: PastMoment): void {
  if (rowsKept) return;
  throw new AppError(
    'conflict',
    'The rows of this snapshot were not kept: it is older than the history of the rows of this catalog.',
  );
}
