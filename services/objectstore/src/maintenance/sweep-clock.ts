import type { Metrics } from '@holdfast/http-kit';
import { sql } from '@holdfast/pg-kit';
import { compareWeekly } from './compare-weekly.js';
import { type SweeperParts, sweep } from './sweeper.js';

const SWEEP_MILLISECONDS = 60_000;

/** How often it is looked whether the store is to be compared with the rows again. */
const COMPARE_MILLISECONDS = 3_600_000;

/**
 * Sweeps now and then each minute, and compares each week, until it is stopped; with `none` it only counts what waits, for somebody
 * else sweeps.
 */
export function startSweeping(
  parts: SweeperParts,
  metrics: Metrics,
  sweepers: 'inside' | 'none',
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  let removed = 0;
  let pending = 0;
  metrics.gauge('objstore_gc_removed_total', 'Blobs removed by this process since its start.', () => removed);
  metrics.gauge('objstore_gc_pending', 'Blobs waiting for removal, as of the last sweep.', () => pending);
  const failed = (what: string) => (error: unknown) => {
    if (!signal.aborted) parts.log.warn({ err: error }, `${what} failed; the next one tries again`);
  };
  const sweepOnce = async (): Promise<void> => {
    if (sweepers === 'inside') removed += (await sweep(parts, signal)).removed;
    pending = await countPending(parts, signal);
  };
  const compareOnce = async (): Promise<void> => {
    if (sweepers === 'inside') await compareWeekly(parts, signal);
  };
  const stops = [
    again(() => sweepOnce().catch(failed('the sweep')), SWEEP_MILLISECONDS),
    again(() => compareOnce().catch(failed('the comparison of store and rows')), COMPARE_MILLISECONDS),
  ];
  return {
    stop: async () => {
      stopping.abort(new Error('The service is stopping.'));
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}

/**
 * Does something now and then at intervals, left out while it is still being done.
 * @returns ends that, and waits for what is being done
 */
function again(work: () => Promise<void>, milliseconds: number): () => Promise<void> {
  let running: Promise<void> | null = null;
  const begin = (): void => {
    running ??= work().finally(() => {
      running = null;
    });
  };
  begin();
  const timer = setInterval(begin, milliseconds).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

async function countPending(parts: SweeperParts, signal: AbortSignal): Promise<number> {
  const [row] = await parts.database.withConnection(signal, (connection) =>
    connection.query<{ count: number }>(sql`select count(*)::float8 as count from os_blob where state <> 'live'`),
  );
  return row?.count ?? 0;
}
