import { AppError } from '@holdfast/http-kit';
import { type Database, type DatabaseOptions, openDatabase } from './database.js';

/** Bounds of a set of pools. */
export interface DatabasePoolsOptions extends Omit<DatabaseOptions, 'url' | 'maxConnections'> {
  /** Most connections in use at one time, over all databases. */
  readonly total: number;
  /** Most connections to one database. */
  readonly perDatabase: number;
}

/** Pools of many databases under one bound: a catalog each (spec/catalog-access.md 12.1). */
export interface DatabasePools {
  /**
   * Lends the pool of a database. It stays open until the work is done; a pool that nobody uses may be closed to make room.
   * @param url database to reach
   */
  use<Result>(url: string, work: (database: Database) => Promise<Result>): Promise<Result>;
  /** Closes the pool of a database, for example before the database is dropped. */
  forget(url: string): Promise<void>;
  usage(): { readonly pools: number; readonly used: number; readonly free: number; readonly waiting: number };
  close(): Promise<void>;
}

interface Entry {
  readonly database: Database;
  users: number;
  lastUsed: number;
}

/** Makes the set; pools open at first use and close by themselves when idle. */
export function openDatabasePools(options: DatabasePoolsOptions): DatabasePools {
  const entries = new Map<string, Entry>();
  const seats = seatCounter(options.total, options.acquireTimeout ?? 10_000);
  const closeEntry = async (url: string, entry: Entry): Promise<void> => {
    entries.delete(url);
    await entry.database.close();
  };
  const entryOf = async (url: string): Promise<Entry> => {
    const known = entries.get(url);
    if (known !== undefined) return known;
    const entry = {
      database: openDatabase({ ...options, url, maxConnections: options.perDatabase }),
      users: 0,
      lastUsed: Date.now(),
    };
    entries.set(url, entry);
    return entry;
  };
  const makeRoom = async (): Promise<void> => {
    while (openConnections(entries) >= options.total) {
      const idle = [...entries]
        .filter(([, entry]) => entry.users === 0)
        .sort(([, a], [, b]) => a.lastUsed - b.lastUsed)[0];
      if (idle === undefined) return;
      await closeEntry(...idle);
    }
  };
  return {
    use: async (url, work) => {
      const leave = await seats.take();
      const entry = await entryOf(url);
      entry.users += 1;
      try {
        if (entry.database.usage().free === 0) await makeRoom();
        return await work(entry.database);
      } finally {
        entry.users -= 1;
        entry.lastUsed = Date.now();
        leave();
      }
    },
    forget: async (url) => {
      const entry = entries.get(url);
      if (entry !== undefined) await closeEntry(url, entry);
    },
    usage: () => {
      const usages = [...entries.values()].map((entry) => entry.database.usage());
      return {
        pools: entries.size,
        used: usages.reduce((sum, usage) => sum + usage.used, 0),
        free: usages.reduce((sum, usage) => sum + usage.free, 0),
        waiting: usages.reduce((sum, usage) => sum + usage.waiting, 0),
      };
    },
    close: async () => {
      await Promise.all([...entries].map(([url, entry]) => closeEntry(url, entry)));
    },
  };
}

function openConnections(entries: ReadonlyMap<string, Entry>): number {
  return [...entries.values()].reduce((sum, { database }) => sum + database.usage().used + database.usage().free, 0);
}

/** A counter of free seats with a queue, first come first served. */
function seatCounter(seats: number, timeout: number): { take(): Promise<() => void> } {
  let free = seats;
  const queue: (() => void)[] = [];
  const leave = (): void => {
    const next = queue.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    take: () => {
      if (free > 0) {
        free -= 1;
        return Promise.resolve(leave);
      }
      return new Promise((resolve, reject) => {
        const enter = (): void => {
          clearTimeout(timer);
          resolve(leave);
        };
        const timer = setTimeout(() => {
          queue.splice(queue.indexOf(enter), 1);
          reject(new AppError('unavailable', 'All database connections are busy; try again in a moment.'));
        }, timeout);
        queue.push(enter);
      });
    },
  };
}
