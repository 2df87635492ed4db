import type { Database } from '@holdfast/pg-kit';
import { loadModelAt } from '../model/load-model.js';
import type { Model } from '../model/model.js';
import type { CurrentModel, ModelCache } from '../model/model-cache.js';
import type { PastMoment } from './moment.js';
import { type SnapshotState, stateAt } from './resolve-snapshot.js';
import { loadRowStorage, type RowStorage } from './row-storage.js';

/** A catalog as it was at a snapshot. */
export interface PastCatalog {
  readonly state: SnapshotState;
  /** With the tables whose rows are captured (spec/catalog-model.md 6). */
  readonly model: Model;
  readonly moment: PastMoment;
}

/** Past states of catalogs, shared by all requests of a process. */
export interface PastCatalogs {
  /**
   * The state at the latest snapshot at or before an instant; the same object as long as nothing about it changes.
   * @returns null when there is none
   */
  at(database: Database, catalogKey: string, instant: bigint, signal: AbortSignal): Promise<PastCatalog | null>;
  /** What {@link at} gave last, without asking the database. Whoever goes by it has to find out whether it still holds. */
  latest(catalogKey: string, instant: bigint): PastCatalog | null;
}

/**
 * Makes an empty cache.
 * @param models the present models, by which live rows of the past are found
 * @param capacity how many states are kept
 */
export function pastCatalogs(models: ModelCache, capacity: number): PastCatalogs {
  const pasts = bounded<PastCatalog>(capacity);
  const storages = bounded<RowStorage>(capacity);
  const attempt = async (
    database: Database,
    catalogKey: string,
    instant: bigint,
    { model: present, state: { changedByHand } }: CurrentModel,
  ): Promise<PastCatalog | null | 'moved'> =>
    database.transaction({ isolation: 'repeatable read', readOnly: true }, async (connection) => {
      const state = await stateAt(connection, instant);
      if (state === null) return null;
      // what was changed by hand and cannot be followed now does not close the past
      if (state.presentModel !== present.version || (state.changedByHand && !changedByHand)) return 'moved';
      const key = `${catalogKey} ${instant}`;
      const known = pasts.get(key);
      if (known?.state.mark === state.mark) return known;
      const model = await models.at(catalogKey, state, () => loadModelAt(connection, state.snapshot));
      const storage = await storages.orMade(`${catalogKey} ${present.version}`, () =>
        loadRowStorage(connection, present),
      );
      const { snapshot, mark, rowsKept } = state;
      const moment: PastMoment = { kind: 'past', requested: instant, snapshot, mark, rowsKept, storage };
      const past: PastCatalog = { state, model, moment };
      pasts.put(key, past);
      return past;
    });
  return {
    latest: (catalogKey, instant) => pasts.get(`${catalogKey} ${instant}`) ?? null,
    at: async (database, catalogKey, instant, signal) => {
      for (;;) {
        // looks at changes by hand, too
        const current = await models.current(database, catalogKey, { signal });
        const past = await attempt(database, catalogKey, instant, current);
        if (past !== 'moved') return past;
        signal.throwIfAborted();
      }
    },
  };
}

/** The last so many values; the least recently used goes first. */
function bounded<Value>(capacity: number): {
  get(key: string): Value | undefined;
  put(key: string, value: Value): void;
  orMade(key: string, make: () => Promise<Value>): Promise<Value>;
} {
  const values = new Map<string, Value>();
  const put = (key: string, value: Value): void => {
    values.delete(key);
    values.set(key, value);
    const oldest = values.keys().next();
    if (values.size > capacity && oldest.done !== true) values.delete(oldest.value);
  };
  const get = (key: string): Value | undefined => {
    const value = values.get(key);
    if (value !== undefined) put(key, value);
    return value;
  };
  return {
    get,
    put,
    orMade: async (key, make) => {
      const value = get(key) ?? (await make());
      put(key, value);
      return value;
    },
  };
}
