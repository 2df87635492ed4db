import type { Logger } from '@holdfast/http-kit';
import type { ExportQueue } from './export-queue.js';
import type { ExportStore } from './export-store.js';

/** What giving turns needs. */
export interface DispatchParts {
  readonly store: ExportStore;
  readonly queue: ExportQueue;
  /** Exports of one user in the queue or at work. */
  readonly concurrent: number;
}

/**
 * Puts the next exports of each user into the queue. The open edition of BullMQ knows no users, so rows wait in PostgreSQL and the
 * queue holds a few of each user: whoever asks for one export waits behind the others' few, not behind all they asked for
 * (spec/export.md 13.2).
 */
export async function dispatch(parts: DispatchParts): Promise<void> {
  const { store, queue, concurrent } = parts;
  for (const { id, attempt } of await store.admit(concurrent)) {
    await queue.add(id, attempt + 1);
    await store.enqueued(id);
  }
}

/** The same, where a failure only means that it happens with the next sweep. */
export async function tryDispatch(parts: DispatchParts, log: Logger): Promise<void> {
  try {
    await dispatch(parts);
  } catch (error) {
    log.warn({ err: error }, 'waiting exports could not be put into the queue; the next sweep does');
  }
}
