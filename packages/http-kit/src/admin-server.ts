import { createServer, type Server } from 'node:http';
import { checkHealth, type HealthCheck } from './health.js';
import type { Logger } from './logger.js';
import type { Metrics } from './metrics.js';

/** What the admin port shows. */
export interface AdminOptions {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly checks: readonly HealthCheck[];
  /** False while the service starts or stops: `/readyz` then says 503 at once. */
  readonly accepting: () => boolean;
}

/**
 * The second port of every process, not for clients: `/livez` says that the process turns, `/readyz` that what it depends on
 * answers, `/metrics` is for Prometheus.
 */
export function createAdminServer(options: AdminOptions): Server {
  return createServer((request, response) => {
    const send = (status: number, type: string, body: string): void => {
      response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) });
      response.end(request.method === 'HEAD' ? undefined : body);
    };
    const sendDocument = (status: number, document: unknown): void =>
      send(status, 'application/json', `${JSON.stringify(document)}\n`);
    const path = (request.url ?? '/').split('?')[0];
    if (request.method !== 'GET' && request.method !== 'HEAD') return sendDocument(405, { detail: 'GET only' });
    if (path === '/livez') return sendDocument(200, { live: true });
    if (path === '/metrics') {
      options.metrics.registry.metrics().then(
        (text) => send(200, options.metrics.registry.contentType, text),
        (error: unknown) => {
          options.log.error({ err: error }, 'metrics failed');
          sendDocument(500, { detail: 'metrics failed' });
        },
      );
      return;
    }
    if (path !== '/readyz') return sendDocument(404, { detail: 'known here: /livez, /readyz, /metrics' });
    if (!options.accepting()) return sendDocument(503, { ready: false, checks: {} });
    checkHealth(options.checks, (name, error) => options.log.warn({ err: error, check: name }, 'not ready')).then(
      (report) => sendDocument(report.ready ? 200 : 503, report),
      (error: unknown) => {
        options.log.error({ err: error }, 'readiness check failed');
        sendDocument(500, { ready: false });
      },
    );
  });
}
