import { dispatch } from './dispatch.js';
import { logLine } from './export-log.js';
import type { ExportQueue } from './export-queue.js';
import { MOST_ATTEMPTS } from './export-store.js';
import { type RetentionParts, sweepResults } from './retention.js';

/** What sweeping needs. */
export interface SweeperParts extends Omit<RetentionParts, 'residueSeconds'> {
  readonly queue: ExportQueue;
  readonly queueWaitSeconds: number;
  readonly retentionSeconds: number;
  /** Exports of one user in the queue or at work. */
  readonly concurrent: number;
  /** Between sweeps. */
  readonly intervalSeconds: number;
  /** `none`: what is past its time is left to the command `sweep`. */
  readonly sweepers: 'inside' | 'none';
}

/** Sweeps that go on until they are stopped. */
export interface Sweeper {
  stop(): Promise<void>;
}

/** Seconds after which an export that still waits is put into the queue again; that does nothing while it is there. */
const ENQUEUE_AGAIN_SECONDS = 10;

/**
 * Repairs what crashes left, in any number of processes at once: each step is one statement over the rows that are due
 * (spec/export.md 13.3). Then removes what is past its time, unless that is somebody else's: exports do not wait for it.
 */
export function startSweeper(parts: SweeperParts): Sweeper {
  let stopped = false;
  let timer: NodeJS.Timeout | null = null;
  let current: Promise<void> = Promise.resolve();
  let days = 0;
  const round = (): void => {
    const now = Date.now();
    const isHour = now - days > HOUR;
    if (isHour) days = now;
    current = repair(parts)
      .catch((error: unknown) => parts.log.warn({ err: error }, 'sweeping failed'))
      .then(async () => {
        if (parts.sweepers === 'none') return;
        // past their time, exports answer 404 at once; their bytes go with the next round
        const led = await sweepResults({ ...parts, residueSeconds: parts.intervalSeconds }, { days: isHour });
        if (isHour && led === null) days = 0;
      })
      .catch((error: unknown) => parts.log.warn({ err: error }, 'removing old results failed'))
      .then(() => {
        if (!stopped) timer = setTimeout(round, parts.intervalSeconds * 1_000);
      });
  };
  round();
  return {
    stop: async () => {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      await current;
    },
  };
}

const HOUR = 3_600_000;

/** One round of repairs. */
async function repair(parts: SweeperParts): Promise<void> {
  const { store, queue, retentionSeconds, queueWaitSeconds } = parts;
  const lost = await store.expireLeases(
    {
      status: 500,
      code: 'internal',
      detail: `The export was taken up ${MOST_ATTEMPTS} times and its worker died each time.`,
    },
    retentionSeconds,
  );
  for (const { id, state } of lost) {
    parts.log.warn({ exportId: id, state }, 'the worker of an export is gone');
    const what = state === 'queued' ? 'the export starts again from its beginning' : 'the export is given up';
    await store.appendLog(id, logLine('WARNING', `the worker is gone; ${what}`));
  }
  const waited = await store.expireWaiting(
    queueWaitSeconds,
    { status: 503, code: 'unavailable', detail: `No worker was free within ${queueWaitSeconds} s; try again later.` },
    retentionSeconds,
  );
  for (const id of waited) await store.appendLog(id, logLine('ERROR', 'no worker was free in time'));
  await dispatch(parts);
  for (const { id, attempt } of await store.notInQueue(ENQUEUE_AGAIN_SECONDS)) {
    await queue.add(id, attempt + 1);
    await store.enqueued(id);
  }
}
