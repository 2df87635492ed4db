import { z } from 'zod';
import { createLogger, createMetrics, runServiceProcess, serviceApp } from '../src/index.js';

/** A service for the tests of the process life: forked by `service-process.test.ts`. */
await runServiceProcess(
  {
    name: 'fixture',
    variables: { GREETING: z.string() },
    start: async ({ config, profile, stopSignal }) => ({
      handler: serviceApp({
        log: createLogger({ service: 'fixture', level: 'silent' }),
        metrics: createMetrics(),
        profile,
        stopSignal,
        trustProxy: 'loopback',
        routes: (app) => {
          app.get('/slow', (_request, response) => {
            setTimeout(() => response.end(config.GREETING), 400);
          });
        },
      }),
      checks: [{ name: 'always', check: async () => undefined }],
      stop: async () => {
        process.stdout.write('freed\n');
      },
    }),
  },
  process.env,
);
