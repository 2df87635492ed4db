import { AppError, type Logger } from '@holdfast/http-kit';
import type { ExportChanges } from './export-changes.js';
import { type ExportStore, LEASE_SECONDS } from './export-store.js';
import type { Attempt } from './export-turns.js';
import type { ProgressMeter } from './progress-meter.js';

/** What a heartbeat needs. */
export interface HeartbeatParts {
  readonly store: ExportStore;
  readonly changes: ExportChanges;
  readonly log: Logger;
  readonly progressTimeoutSeconds: number;
  /** Seconds from the start of the run; 0: no limit. */
  readonly jobTimeoutSeconds: number;
}

/** Signs of life of one run. */
export interface Heartbeat {
  /** Fires with the reason when the run must end: cancelled, lost, too slow. */
  readonly signal: AbortSignal;
  /** Ends the run from outside. */
  abort(reason: Error): void;
  stop(): Promise<void>;
}

/** The run does not count any more: nothing may be published or said about the export. */
export class RunLostError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RunLostError';
  }
}

/** Milliseconds between beats. Cancelling must reach a run within a second, also when its notification is lost. */
const BEAT = 800;

/** Renews the lease of a run, saves its progress, and notices that it was cancelled, is lost, or stands still. */
export function startHeartbeat(parts: HeartbeatParts, attempt: Attempt, meter: ProgressMeter): Heartbeat {
  const { store, changes, log, progressTimeoutSeconds, jobTimeoutSeconds } = parts;
  const controller = new AbortController();
  const started = performance.now();
  let lastBeat = started;
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;
  let current: Promise<void> = Promise.resolve();

  const beat = async (): Promise<void> => {
    try {
      if (await store.beat(attempt, meter.current())) lastBeat = performance.now();
      else controller.abort(await whyLost(store, attempt.id));
    } catch (error) {
      log.warn({ err: error, exportId: attempt.id }, 'the lease of an export could not be renewed');
    }
    const now = performance.now();
    if (now - lastBeat > LEASE_SECONDS * 1_000) {
      controller.abort(new RunLostError('the database was away for longer than the lease'));
    } else if (now - meter.lastMoved() > progressTimeoutSeconds * 1_000) {
      controller.abort(stalled(`Nothing has moved for ${progressTimeoutSeconds} s.`));
    } else if (jobTimeoutSeconds > 0 && now - started > jobTimeoutSeconds * 1_000) {
      controller.abort(stalled(`The export took longer than the ${jobTimeoutSeconds} s it may take.`));
    }
  };
  const round = (): void => {
    if (timer !== null) clearTimeout(timer);
    current = current.then(beat).then(() => {
      if (timer !== null) clearTimeout(timer);
      if (!stopped && !controller.signal.aborted) timer = setTimeout(round, BEAT);
    });
  };
  const unsubscribe = changes.subscribe(attempt.id, () => {
    if (!stopped) round();
  });
  timer = setTimeout(round, BEAT);
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    stop: async () => {
      stopped = true;
      unsubscribe();
      if (timer !== null) clearTimeout(timer);
      await current;
    },
  };
}

async function whyLost(store: ExportStore, id: string): Promise<Error> {
  const record = await store.find(id);
  return record === null || record.state === 'cancelled'
    ? new AppError('cancelled', 'The export was cancelled.')
    : new RunLostError('another run of the export has taken over');
}

function stalled(detail: string): AppError {
  return new AppError('upstream_stalled', detail);
}
