import { AppError } from '@holdfast/http-kit';
import { type BullQueue, openBullQueue } from './bullmq.js';
import type { QueueAddress } from './queue-address.js';

/** Hands exports to workers. It may lose everything: the rows in PostgreSQL are the truth. */
export interface ExportQueue {
  /**
   * Adds an export; does nothing when this run of it is there already.
   * @param run from 1. Each has an id of its own in the queue, which keeps the job of a dead worker for a while.
   * @throws {AppError} `unavailable`
   */
  add(exportId: string, run: number): Promise<void>;
  /** @throws {AppError} `unavailable` when the queue does not answer */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Milliseconds a caller waits for the queue. */
const PATIENCE = 5_000;

/** Opens the producing side: at first use, and again after that failed. */
export function openExportQueue(address: QueueAddress, onError: (error: unknown) => void): ExportQueue {
  let opened: Promise<BullQueue> | null = null;
  const withQueue = async (work: (queue: BullQueue) => Promise<unknown>): Promise<void> => {
    const current = opened ?? openBullQueue(address, onError);
    opened = current;
    try {
      await withinPatience(current.then(work));
    } catch (error) {
      // BullMQ remembers a failed start: the next caller gets a new queue
      if (opened === current) opened = null;
      current.then((queue) => queue.close()).catch(() => undefined);
      throw new AppError('unavailable', 'The queue of exports cannot be reached; try again in a moment.', {
        cause: error,
        headers: { 'Retry-After': '10' },
      });
    }
  };
  return {
    add: (exportId, run) =>
      withQueue((queue) =>
        queue.add(
          'export',
          { exportId },
          {
            jobId: run === 1 ? exportId : `${exportId}-${run}`,
            attempts: 1,
            removeOnComplete: true,
            removeOnFail: true,
          },
        ),
      ),
    check: () => withQueue((queue) => queue.getJobCounts('wait')),
    close: async () => {
      const last = await opened?.catch(() => null);
      await last?.close();
    },
  };
}

/** Clients of Redis wait for ever for a server that is away. */
function withinPatience<Result>(work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the queue did not answer in ${PATIENCE} ms`)), PATIENCE);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
