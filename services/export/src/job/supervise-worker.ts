import type { Logger } from '@holdfast/http-kit';
import type { BullWorker } from './bullmq.js';

/** What the supervisor of a worker needs. */
export interface SupervisorParts {
  /** Rejects when the queue cannot be used; brings its schema up to date. */
  readonly prepare: () => Promise<void>;
  /** Makes a worker that does not run yet. */
  readonly createWorker: () => Promise<BullWorker>;
  readonly log: Logger;
  /** Milliseconds before the queue is tried again; doubled up to the longest. */
  readonly firstDelay?: number;
  readonly longestDelay?: number;
}

/** A worker that is there whenever the queue is. */
export interface SupervisedWorker {
  /** Whether jobs are being taken. */
  isRunning(): boolean;
  /** Takes no more jobs. Resolves when the connection to the queue is closed; jobs at work go on. */
  stop(): Promise<void>;
}

/**
 * Keeps a worker running. BullMQ's own loop asks again at once when the queue answers with an error, until memory is used up; so the
 * first error of a worker ends it, and another is made when the queue has proved that it can be used. Jobs at work are not touched by
 * that: their truth is in PostgreSQL.
 */
export function superviseWorker(parts: SupervisorParts): SupervisedWorker {
  const { firstDelay = 1_000, longestDelay = 30_000, log } = parts;
  const stopping = new AbortController();
  let running = false;
  const loop = async (): Promise<void> => {
    let delay = firstDelay;
    while (!stopping.signal.aborted) {
      try {
        await parts.prepare();
        running = true;
        const lived = await runUntilBroken(await parts.createWorker(), stopping.signal, log);
        if (stopping.signal.aborted) return;
        if (lived > longestDelay) delay = firstDelay;
      } catch (error) {
        log.warn({ err: error, retryMs: delay }, 'the queue cannot be used');
      }
      running = false;
      await pause(delay, stopping.signal);
      delay = Math.min(delay * 2, longestDelay);
    }
  };
  const done = loop().finally(() => {
    running = false;
  });
  return {
    isRunning: () => running,
    stop: async () => {
      stopping.abort();
      await done;
    },
  };
}

/** Milliseconds a broken worker gets to close its connections. */
const CLOSE_PATIENCE = 5_000;

/** @returns milliseconds it ran */
async function runUntilBroken(worker: BullWorker, stop: AbortSignal, log: Logger): Promise<number> {
  const started = performance.now();
  const broken = new Promise<void>((resolve) => {
    worker.on('error', (error) => {
      if (!stop.aborted) log.warn({ err: error }, 'the queue failed');
      resolve();
    });
  });
  const ended = worker.waitUntilReady().then(() => worker.run());
  const told = untilAborted(stop);
  await Promise.race([broken, ended, told.done]).catch((error: unknown) =>
    log.warn({ err: error }, 'the worker ended'),
  );
  told.forget();
  ended.catch(() => undefined);
  const closed = new AbortController();
  const closing = worker.close(true).catch(() => undefined);
  await Promise.race([closing, pause(CLOSE_PATIENCE, closed.signal)]);
  closed.abort();
  return performance.now() - started;
}

function untilAborted(signal: AbortSignal): { readonly done: Promise<void>; forget(): void } {
  let resolve: () => void = () => undefined;
  const done = new Promise<void>((settle) => {
    resolve = settle;
  });
  if (signal.aborted) resolve();
  signal.addEventListener('abort', resolve, { once: true });
  return { done, forget: () => signal.removeEventListener('abort', resolve) };
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end, { once: true });
  });
}
