import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@holdfast/http-kit';
import { type DatabasePools, openDatabase } from '@holdfast/pg-kit';
import type { OpenCatalog } from '../registry/open-catalog.js';
import { hasLateWork } from './late-work-list.js';
import { LATE_WORK_APPLICATION } from './late-work-turn.js';
import { workThrough } from './work-through.js';

/**
 * Does what changes leave to be done after their commit: indexes on tables with rows and validation of constraints, since an index
 * built inside the transaction of an ALTER TABLE would keep readers out until it is done (spec/catalog-model.md 20). Correct
 * answers do not depend on it. What is to be done stands in the catalog's database: any process that serves the catalog does it, and
 * what one leaves undone the next takes up.
 */
export interface LateWorker {
  /**
   * Looks, in the background, whether a catalog has work. To be called with every model of the live catalog that a request goes by:
   * work comes with changes of the model only, so it looks once per version.
   */
  look(catalog: Pick<OpenCatalog, 'key' | 'databaseUrl'>, modelVersion: bigint): void;
  /** Stops; what is interrupted stays on the list. */
  close(): Promise<void>;
}

/** The work on one catalog, from the first look until its list is empty. */
interface Run {
  /** Whether there may be more work than the run knows of. */
  again: boolean;
  /** Ends the pause that the run may be in. */
  wake(): void;
  ended: Promise<void>;
}

/**
 * Makes the worker of a process.
 * @param pools for a look at the list; the work itself has connections of its own
 */
export function lateWorker(pools: DatabasePools, log: Logger): LateWorker {
  const looked = new Map<string, bigint>();
  const runs = new Map<string, Run>();
  const stop = new AbortController();
  const start = (key: string, databaseUrl: string): void => {
    const run: Run = { again: true, wake: () => undefined, ended: Promise.resolve() };
    runs.set(key, run);
    const end = (error?: unknown): void => {
      runs.delete(key);
      if (stop.signal.aborted) return;
      if (error === undefined) {
        if (run.again) start(key, databaseUrl);
        return;
      }
      // the next request looks again
      looked.delete(key);
      log.warn({ err: error }, 'late work was interrupted');
    };
    run.ended = runUntilDone(pools, databaseUrl, { run, stop: stop.signal, log }).then(() => end(), end);
  };
  return {
    look: ({ key, databaseUrl }, version) => {
      if (stop.signal.aborted || version <= (looked.get(key) ?? -1n)) return;
      looked.set(key, version);
      const running = runs.get(key);
      if (running === undefined) return start(key, databaseUrl);
      running.again = true;
      running.wake();
    },
    close: async () => {
      stop.abort(new Error('The service stops.'));
      await Promise.all([...runs.values()].map(({ ended }) => ended));
    },
  };
}

interface Surroundings {
  readonly run: Run;
  readonly stop: AbortSignal;
  readonly log: Logger;
}

async function runUntilDone(pools: DatabasePools, databaseUrl: string, around: Surroundings): Promise<void> {
  const { run, stop, log } = around;
  run.again = false;
  if (!(await pools.use(databaseUrl, (database) => database.withConnection(stop, hasLateWork)))) return;
  const database = openDatabase({ url: databaseUrl, applicationName: LATE_WORK_APPLICATION, maxConnections: 1 });
  try {
    for (;;) {
      run.again = false;
      const wait = await database.withConnection(stop, (connection) => workThrough(connection, stop, log));
      if (run.again) continue;
      if (wait === null) return;
      await pause(run, wait, stop);
    }
  } finally {
    await database.close();
  }
}

async function pause(run: Run, milliseconds: number, stop: AbortSignal): Promise<void> {
  const wake = new AbortController();
  run.wake = () => wake.abort();
  // a process that ends does not wait for it
  const options = { signal: AbortSignal.any([wake.signal, stop]), ref: false };
  await sleep(milliseconds, undefined, options).catch(() => undefined);
  run.wake = () => undefined;
}
