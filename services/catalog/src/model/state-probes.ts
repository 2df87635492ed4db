import type { Database } from '@holdfast/pg-kit';
import { type CatalogState, catalogState } from './catalog-state.js';

/** Asks databases for the state of their catalogs, for many requests at once. */
export interface StateProbes {
  /** The state as of now or later, never as of before. */
  state(database: Database, catalogKey: string): Promise<CatalogState>;
}

/**
 * Requests that come while a probe is under way share the next one, which begins after they came: so under load one round trip serves
 * several, and no answer is older than its question. `pnpm bench model`, `GET schema` by four at once: 1.2 times the requests a
 * second.
 */
export function stateProbes(probe: typeof probeOnce = probeOnce): StateProbes {
  const running = new Map<string, { readonly done: Promise<CatalogState>; next: Promise<CatalogState> | null }>();
  const start = (database: Database, catalogKey: string): Promise<CatalogState> => {
    const done = probe(database);
    const entry = { done, next: null };
    running.set(catalogKey, entry);
    const finish = (): void => {
      if (running.get(catalogKey) === entry && entry.next === null) running.delete(catalogKey);
    };
    done.then(finish, finish);
    return done;
  };
  return {
    state: (database, catalogKey) => {
      const present = running.get(catalogKey);
      if (present === undefined) return start(database, catalogKey);
      const begin = (): Promise<CatalogState> => start(database, catalogKey);
      present.next ??= present.done.then(begin, begin);
      return present.next;
    },
  };
}

/** Without the signal of any request: others wait for it, too. */
function probeOnce(database: Database): Promise<CatalogState> {
  return database.withConnection(null, catalogState);
}
