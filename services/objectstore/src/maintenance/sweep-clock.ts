import type { Metrics } from '@holdfast/http-kit';
import { sql } from '@holdfast/pg-kit';
import { type SweeperParts, sweep } from './sweeper.js';

const SWEEP_MILLISECONDS = 60_000;

/** Sweeps now and then each minute until it is stopped. */
export function startSweeping(parts: SweeperParts, metrics: Metrics): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let removed = 0;
  let pending = 0;
  metrics.gauge('objstore_gc_removed_total', 'Blobs removed by this process since its start.', () => removed);
  metrics.gauge('objstore_gc_pending', 'Blobs waiting for removal, as of the last sweep.', () => pending);
  const once = async (): Promise<void> => {
    try {
      removed += (await sweep(parts, stopping.signal)).removed;
      pending = await countPending(parts, stopping.signal);
    } catch (error) {
      if (!stopping.signal.aborted) parts.log.warn({ err: error }, 'the sweep failed; the next one tries again');
    }
  };
  let running = once();
  const timer = setInterval(() => {
    running = running.then(once);
  }, SWEEP_MILLISECONDS);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      stopping.abort(new Error('The service is stopping.'));
      await running;
    },
  };
}

async function countPending(parts: SweeperParts, signal: AbortSignal): Promise<number> {
  const [row] = await parts.database.withConnection(signal, (connection) =>
    connection.query<{ count: number }>(sql`select count(*)::float8 as count from os_blob where state <> 'live'`),
  );
  return row?.count ?? 0;
}
