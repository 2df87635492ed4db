import { createServer, type RequestListener, type Server } from 'node:http';
import { z } from 'zod';
import { createAdminServer } from './admin-server.js';
import {
  booleanVariable,
  ConfigError,
  type Environment,
  integerVariable,
  jsonVariable,
  parseEnvironment,
} from './config.js';
import { deferContinue } from './expect-continue.js';
import type { HealthCheck } from './health.js';
import { closeServer, listen } from './listening.js';
import { createLogger, type Logger } from './logger.js';
import { createMetrics, type Metrics } from './metrics.js';
import { statusAfter } from './told-to-end.js';
import { overrideFault, type WireProfile, wireProfile } from './wire-profile.js';

/** Variables every process understands. The table is in docs/configuration.md of the package. */
export const processVariables = {
  HOST: z.string().default('0.0.0.0'),
  PORT: integerVariable({ min: 0, max: 65535 }).default(8080),
  ADMIN_HOST: z.string().default('0.0.0.0'),
  ADMIN_PORT: integerVariable({ min: 0, max: 65535 }).default(9090),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  WIRE_PROFILE: z.enum(['standard', 'deriva']).default('standard'),
  WIRE_PROFILE_OVERRIDES: jsonVariable(
    z.record(z.string(), z.unknown()).superRefine((overrides, context) => {
      for (const [name, value] of Object.entries(overrides)) {
        const fault = overrideFault(name, value);
        if (fault !== null) context.addIssue({ code: 'custom', message: fault, path: [name] });
      }
    }),
  ).default({}),
  STOP_PAUSE_MS: integerVariable({ min: 0 }).default(0),
  STOP_DRAIN_MS: integerVariable({ min: 0 }).default(10_000),
  TRUST_PROXY: z.string().default('loopback'),
  PUBLIC_URL: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional(),
  ALLOW_DEV_TOKENS_IN_PRODUCTION: booleanVariable().default(false),
  NODE_ENV: z.string().default('development'),
};

/** Parsed form of {@link processVariables}. */
export type ProcessConfig = z.output<z.ZodObject<typeof processVariables>>;

/** What a service is given when it starts. */
export interface ProcessParts<Config> {
  readonly config: Config & ProcessConfig;
  readonly profile: WireProfile;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Fires when running requests have used up their time during a stop. */
  readonly stopSignal: AbortSignal;
}

/** What a service gives back once it is ready. */
export interface StartedService {
  /** Null for a process without a port for clients (a worker). */
  readonly handler: RequestListener | null;
  readonly checks: readonly HealthCheck[];
  /** A worker stops taking work here, while what it has goes on. */
  pause?(): Promise<void>;
  /** Frees everything; called after the last request. */
  stop(): Promise<void>;
}

/** How a process is made. */
export interface ServiceDefinition<Shape extends z.ZodRawShape> {
  readonly name: string;
  readonly variables: Shape;
  start(parts: ProcessParts<z.output<z.ZodObject<Shape>>>): Promise<StartedService>;
}

/**
 * Runs a service until it is told to stop: configuration, log, metrics, admin port, main port, and a stop in phases
 * (not ready, pause, drain, cut, free) on SIGTERM, SIGINT, or when the parent that forked it has gone. To a parent it reports
 * `{kind: 'listening', port, adminPort}`. Wrong configuration or a failed start ends the process with status 1 and a message. Told to stop
 * while it still starts, it ends at once, with status 143 or 130: there is nothing to drain, and what it waits for may never come.
 */
export async function runServiceProcess<Shape extends z.ZodRawShape>(
  definition: ServiceDefinition<Shape>,
  environment: Environment,
): Promise<void> {
  const config = configOrExit(definition, environment);
  const log = createLogger({ service: definition.name, level: config.LOG_LEVEL });
  const metrics = createMetrics();
  const stopRequests = new AbortController();
  const profile = wireProfile(config.WIRE_PROFILE, config.WIRE_PROFILE_OVERRIDES);
  let accepting = false;
  let stop: (() => Promise<void>) | null = null;
  onceToldToStop(log, () => stop);
  try {
    const service = await definition.start({ config, profile, log, metrics, stopSignal: stopRequests.signal });
    const admin = createAdminServer({ log, metrics, checks: service.checks, accepting: () => accepting });
    const server = service.handler === null ? null : createMainServer(closingWhen(() => !accepting, service.handler));
    const adminPort = await listen(admin, config.ADMIN_PORT, config.ADMIN_HOST);
    const port = server === null ? null : await listen(server, config.PORT, config.HOST);
    accepting = true;
    stop = async () => {
      accepting = false;
      await Promise.all([delay(config.STOP_PAUSE_MS), service.pause?.()]);
      if (server !== null)
        await closeServer(server, config.STOP_DRAIN_MS, () =>
          stopRequests.abort(new Error('The service is stopping.')),
        );
      stopRequests.abort(new Error('The service is stopping.'));
      await service.stop();
      await closeServer(admin, 0, () => undefined);
    };
    log.info({ port, adminPort }, 'listening');
    process.send?.({ kind: 'listening', port, adminPort });
  } catch (error) {
    log.fatal({ err: error }, 'the service could not start');
    process.exit(1);
  }
}

function configOrExit<Shape extends z.ZodRawShape>(
  definition: ServiceDefinition<Shape>,
  environment: Environment,
): z.output<z.ZodObject<Shape>> & ProcessConfig {
  try {
    // each by itself keeps its type; together they report every fault
    parseEnvironment({ ...definition.variables, ...processVariables }, environment);
    return {
      ...parseEnvironment(definition.variables, environment),
      ...parseEnvironment(processVariables, environment),
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${definition.name}: ${error.message}\n`);
    process.exit(1);
  }
}

/** A stopping process ends kept connections with its answers: the next request comes over a new one, to somebody else. */
function closingWhen(isStopping: () => boolean, handler: RequestListener): RequestListener {
  return (request, response) => {
    if (isStopping()) response.setHeader('Connection', 'close');
    handler(request, response);
  };
}

function createMainServer(handler: RequestListener): Server {
  // Targets have up to 8 KiB and one header of existing clients up to 6.5 KiB (spec/profiles.md, lines 10 and 13): together more
  // than Node's default of 16 KiB. Long transfers are ended by lack of progress, not by a total time.
  const server = createServer(
    { maxHeaderSize: 32 * 1024, requestTimeout: 0, headersTimeout: 60_000, keepAliveTimeout: 65_000 },
    handler,
  );
  deferContinue(server, handler);
  return server;
}

/** @param stopOf null until the process has started */
function onceToldToStop(log: Logger, stopOf: () => (() => Promise<void>) | null): void {
  let stopping = false;
  const begin = (reason: string, statusOfUnstarted: number): void => {
    if (stopping) return;
    stopping = true;
    const stop = stopOf();
    if (stop === null) {
      log.info({ reason }, 'told to stop before it had started');
      process.exit(statusOfUnstarted);
    }
    log.info({ reason }, 'stopping');
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'the stop failed');
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => begin(signal, statusAfter(signal)));
  process.on('disconnect', () => begin('the parent process has gone', 1));
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
