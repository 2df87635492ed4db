import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Metrics of one process, served on the admin port. */
export interface Metrics {
  readonly registry: Registry;
  /** Records one finished request. */
  observeRequest(observation: RequestObservation): void;
  /** Registers a gauge that is read when the metrics are scraped. */
  gauge(name: string, help: string, read: () => number): void;
}

/** Labels and duration of a request. `route` is the kind of resource, never the raw path. */
export interface RequestObservation {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** Makes the registry with the process metrics and the request histogram. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of the request to the end of the answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300],
    registers: [registry],
  });
  return {
    registry,
    observeRequest: ({ method, route, status, seconds }) => {
      durations.observe({ method, route, status: String(status) }, seconds);
    },
    gauge: (name, help, read) => {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.set(read());
        },
      });
    },
  };
}
