import type { ExportChanges } from './export-changes.js';
import type { ExportRecord } from './export-record.js';
import { isFinal } from './export-state.js';
import type { ExportStore } from './export-store.js';

/** Milliseconds after which the row is asked again: notifications can get lost. */
const POLL = 2_000;

/** How long is waited. */
export interface WaitOptions {
  /** Ends the waiting with the signal's reason. */
  readonly signal: AbortSignal;
  /** Milliseconds; then the export is returned as it is. Left out: until it is over. */
  readonly limit?: number;
  /** Others may wait for the same export: they shall see that somebody does. */
  readonly shared?: boolean;
}

/** Seconds for which one look at the row counts as waiting: longer than a poll, shorter than what a client may be gone. */
const WATCHED_SECONDS = 4;

/**
 * Waits until an export is over.
 * @returns the row; null when it was discarded meanwhile
 */
export async function waitForExport(
  parts: { readonly store: ExportStore; readonly changes: ExportChanges },
  id: string,
  options: WaitOptions,
): Promise<ExportRecord | null> {
  const deadline = options.limit === undefined ? Number.POSITIVE_INFINITY : performance.now() + options.limit;
  const bell = doorbell();
  // before the row is read: a change in between rings, too
  const unsubscribe = parts.changes.subscribe(id, bell.ring);
  try {
    for (;;) {
      options.signal.throwIfAborted();
      if (options.shared === true) await parts.store.watch(id, WATCHED_SECONDS);
      const record = await parts.store.find(id);
      const left = deadline - performance.now();
      if (record === null || isFinal(record.state) || left <= 0) return record;
      await bell.wait(Math.min(POLL, left), options.signal);
    }
  } finally {
    unsubscribe();
  }
}

/** Remembers a ring until somebody waits for it. */
function doorbell(): { readonly ring: () => void; wait(milliseconds: number, signal: AbortSignal): Promise<void> } {
  let rung = false;
  let wake: () => void = () => undefined;
  return {
    ring: () => {
      rung = true;
      wake();
    },
    wait: (milliseconds, signal) =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          wake = () => undefined;
          rung = false;
          resolve();
        };
        const timer = setTimeout(done, milliseconds);
        wake = done;
        signal.addEventListener('abort', done, { once: true });
        if (rung) done();
      }),
  };
}
