import type { Logger } from '@holdfast/http-kit';
import { clientConfig } from '@holdfast/pg-kit';
import pg from 'pg';
import { CHANGES_CHANNEL } from './export-store.js';

/** Tells who is interested when the state of an export changed. Notifications can get lost: ask the row, too. */
export interface ExportChanges {
  /** @returns ends the subscription */
  subscribe(id: string, changed: () => void): () => void;
  close(): Promise<void>;
}

const FIRST_DELAY = 500;
const LONGEST_DELAY = 15_000;

/** Listens on a connection of its own; one that breaks is made anew, ever more slowly. */
export function listenForChanges(databaseUrl: string, log: Logger): ExportChanges {
  const listeners = new Map<string, Set<() => void>>();
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | null = null;
  let closed = false;
  let delay = FIRST_DELAY;

  const again = (error: unknown): void => {
    if (closed || timer !== null) return;
    log.warn({ err: error }, 'listening for changes of exports was interrupted');
    client?.end().catch(() => undefined);
    client = null;
    timer = setTimeout(() => {
      timer = null;
      void connect();
    }, delay);
    delay = Math.min(delay * 2, LONGEST_DELAY);
  };
  const connect = async (): Promise<void> => {
    const fresh = new pg.Client(clientConfig({ url: databaseUrl, applicationName: 'holdfast export changes' }));
    client = fresh;
    fresh.on('error', again);
    fresh.on('end', () => {
      if (client === fresh) again(new Error('the connection was closed'));
    });
    fresh.on('notification', ({ payload }) => {
      for (const changed of listeners.get(payload ?? '') ?? []) changed();
    });
    try {
      await fresh.connect();
      await fresh.query(`listen ${CHANGES_CHANNEL}`);
      delay = FIRST_DELAY;
      // what happened while nobody listened
      for (const waiting of listeners.values()) for (const changed of waiting) changed();
    } catch (error) {
      again(error);
    }
  };
  void connect();

  return {
    subscribe: (id, changed) => {
      const waiting = listeners.get(id) ?? new Set();
      listeners.set(id, waiting.add(changed));
      return () => {
        waiting.delete(changed);
        if (waiting.size === 0) listeners.delete(id);
      };
    },
    close: async () => {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      const last = client;
      client = null;
      await last?.end().catch(() => undefined);
    },
  };
}
