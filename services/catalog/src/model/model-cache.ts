import type { Connection, Database } from '@holdfast/pg-kit';
import { boundedCache } from './bounded-cache.js';
import { type CatalogState, catalogState } from './catalog-state.js';
import { loadModel } from './load-model.js';
import type { Model } from './model.js';
import { stateProbes } from './state-probes.js';

/** A model with the state of the catalog it belongs to. */
export interface CurrentModel {
  readonly model: Model;
  readonly state: CatalogState;
}

/** Models of catalogs by version, shared by all requests of a process; bounded, the least recently used goes first. */
export interface ModelCache {
  /**
   * The model of the live catalog as of now: one cheap statement when it is known. A change by hand is looked at first, unless a
   * connection is given.
   * @param catalogKey what tells catalogs apart: never used again for another one
   * @param connection to be used instead of a pooled one: that of a transaction that holds the writer lock
   */
  current(
    database: Database,
    catalogKey: string,
    options?: { readonly connection?: Connection; readonly signal?: AbortSignal },
  ): Promise<CurrentModel>;
  /**
   * The model as it was.
   * @param state of the snapshot: its model does not change any more, except by amendments
   * @param load reads it, in the view of the database in which the state was read
   */
  at(catalogKey: string, state: CatalogState, load: () => Promise<Model>): Promise<Model>;
  /** What {@link current} gave last, without asking the database. Whoever goes by it has to find out whether it still holds. */
  latest(catalogKey: string): CurrentModel | null;
  /** Adds the model a change has made, after its commit, so that the next request finds it. */
  remember(catalogKey: string, model: Model): void;
}

/** Brings the model of a database up to what was changed by hand; false when that was not possible now. */
export type CatchUp = (database: Database) => Promise<boolean>;

const MOST_MODELS = 32;

/** All models together. A model of 1,000 tables with 25 columns each was measured to have 7 MB, so these are 110 MB. */
const MOST_COLUMNS = 400_000;

/** After an attempt that failed, the model that is known serves for so long. */
const CATCH_UP_PAUSE_MILLISECONDS = 2_000;

/**
 * Makes an empty cache.
 * @param capacity most models
 */
export function modelCache(catchUp: CatchUp, capacity: number = MOST_MODELS): ModelCache {
  const models = boundedCache<Model>({ mostEntries: capacity, mostWeight: MOST_COLUMNS, weightOf: columnsOf });
  const loading = new Map<string, Promise<CurrentModel>>();
  const loadingPast = new Map<string, Promise<Model>>();
  const remember = (catalogKey: string, model: Model): void => models.set(versionKey(catalogKey, model.version), model);
  /** Whoever finds a version unknown while another request loads it waits for that one. */
  const load = (database: Database, catalogKey: string, version: bigint): Promise<CurrentModel> => {
    return shared(loading, versionKey(catalogKey, version), async () => {
      // no signal: others may wait for it when the client that came first has gone
      const current = await database.transaction({ isolation: 'repeatable read', readOnly: true }, loadCurrent);
      remember(catalogKey, current.model);
      return current;
    });
  };
  const lastStates = new Map<string, CatalogState>();
  const noteState = (catalogKey: string, state: CatalogState): void => {
    lastStates.delete(catalogKey);
    lastStates.set(catalogKey, state);
    const oldest = lastStates.keys().next();
    if (lastStates.size > capacity && oldest.done !== true) lastStates.delete(oldest.value);
  };
  const probes = stateProbes();
  const catchingUp = new Map<string, Promise<boolean>>();
  /** Whether the model is up to date now; requests that come meanwhile wait for the same attempt. */
  const followChangeByHand = (database: Database, catalogKey: string): Promise<boolean> => {
    const running = catchingUp.get(catalogKey);
    if (running !== undefined) return running;
    const started = catchUp(database);
    catchingUp.set(catalogKey, started);
    const forget = (): boolean => catchingUp.delete(catalogKey);
    started.then((done) => (done ? forget() : setTimeout(forget, CATCH_UP_PAUSE_MILLISECONDS).unref()), forget);
    return started;
  };
  return {
    remember: (catalogKey, model) => {
      remember(catalogKey, model);
      const before = lastStates.get(catalogKey);
      if (before !== undefined && before.modelVersion < model.version)
        noteState(catalogKey, { ...before, modelVersion: model.version, snapshot: model.version });
    },
    latest: (catalogKey) => {
      const state = lastStates.get(catalogKey);
      const model = state === undefined ? undefined : models.get(versionKey(catalogKey, state.modelVersion));
      return state === undefined || model === undefined ? null : { model, state };
    },
    at: async (catalogKey, state, load) => {
      const key = pastKey(catalogKey, state);
      const known = models.get(key);
      if (known !== undefined) return known;
      return shared(loadingPast, key, async () => {
        const model = await load();
        models.set(key, model);
        return model;
      });
    },
    current: async (database, catalogKey, { connection, signal } = {}) => {
      if (connection !== undefined) {
        const state = await catalogState(connection);
        const model = models.get(versionKey(catalogKey, state.modelVersion));
        return model === undefined
          ? { model: await loadModel(connection, state.modelVersion), state }
          : { model, state };
      }
      const first = await probes.state(database, catalogKey);
      const followed = first.changedByHand && (await followChangeByHand(database, catalogKey));
      const state = followed ? await probes.state(database, catalogKey) : first;
      signal?.throwIfAborted();
      noteState(catalogKey, state);
      const model = models.get(versionKey(catalogKey, state.modelVersion));
      return model === undefined ? load(database, catalogKey, state.modelVersion) : { model, state };
    },
  };
}

/** Starts a piece of work, or joins the one that is under way for the same key. */
function shared<Result>(
  running: Map<string, Promise<Result>>,
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const present = running.get(key);
  if (present !== undefined) return present;
  const started = work().finally(() => running.delete(key));
  running.set(key, started);
  return started;
}

function columnsOf(model: Model): number {
  const tables = [...model.schemas.values()].flatMap((schema) => [...schema.tables.values()]);
  return tables.reduce((sum, { columns }) => sum + columns.length, 0);
}

/** State and model of one database snapshot; the state may be newer than the one that was asked for. */
async function loadCurrent(connection: Connection): Promise<CurrentModel> {
  const state = await catalogState(connection);
  return { model: await loadModel(connection, state.modelVersion), state };
}

/** Snapshots share the model of the latest change before them; but an amendment may begin and end at any snapshot. */
function pastKey(catalogKey: string, { modelVersion, snapshot, amendment }: CatalogState): string {
  return amendment === null
    ? `${versionKey(catalogKey, modelVersion)} past`
    : `${versionKey(catalogKey, snapshot)} amended ${amendment}`;
}

function versionKey(catalogKey: string, version: bigint): string {
  return `${catalogKey}@${version}`;
}
