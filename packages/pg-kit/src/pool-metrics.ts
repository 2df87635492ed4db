import type { Metrics } from '@holdfast/http-kit';

/** Registers gauges of a pool: connections in use and idle, and requests that wait for one. */
export function measurePool(
  metrics: Metrics,
  name: string,
  pool: { usage(): { readonly used: number; readonly free: number; readonly waiting: number } },
): void {
  metrics.gauge(`${name}_connections_used`, `Database connections in use (${name}).`, () => pool.usage().used);
  metrics.gauge(
    `${name}_connections_idle`,
    `Open database connections without work (${name}).`,
    () => pool.usage().free,
  );
  metrics.gauge(
    `${name}_connections_waiting`,
    `Requests that wait for a database connection (${name}).`,
    () => pool.usage().waiting,
  );
}
