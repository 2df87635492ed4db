import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type WireProfileName, wireProfile } from '@holdfast/http-kit';
import { type DataDirectory, openDataDirectory, prepareDataDirectory } from './data-directory.js';
import { tokens } from './dev-identities.js';
import { type FrontDoor, startFrontDoor } from './front-door/front-door.js';
import { routesOf } from './front-door/routes.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './postgres/embedded-postgres.js';
import { signalProcess } from './process-identity.js';
import { describeRunningStack, forgetRunningStack } from './running-stack-file.js';
import {
  catalogEnvironment,
  databases,
  exportEnvironment,
  objectStoreEnvironment,
  publicUrl,
  type ServiceEnvironment,
  type ServiceName,
  type StackFacts,
  serviceOptions,
  servicePrograms,
} from './services.js';
import { StackError } from './stack-error.js';
import { loadOrCreateKeys } from './stack-keys.js';
import { type ChildService, startChildService } from './supervisor/child-service.js';
import { createMissingDatabases } from './supervisor/create-databases.js';
import { prepareExportResults } from './supervisor/export-results.js';
import { type LogFile, lastLines, openLogFile } from './supervisor/log-file.js';

export type StackOptions = {
  /** Of the front door. 8080 by default; 0: any free one. */
  readonly port?: number;
  /** The address the front door listens on, 127.0.0.1 by default. */
  readonly host?: string;
  /** `.holdfast` in the workspace by default. */
  readonly dataDir?: string;
  /** Empties the data directory first. */
  readonly fresh?: boolean;
  readonly wireProfile?: WireProfileName;
  /** False gives up the data's safety from a crash of the machine for speed: for tests. */
  readonly durable?: boolean;
  /** Of the services, in their log files. */
  readonly logLevel?: string;
  /** Variables for single services, over those of the stack. */
  readonly environment?: Partial<Readonly<Record<ServiceName, ServiceEnvironment>>>;
  /** Other programs in place of single services: for tests. */
  readonly programs?: Partial<Readonly<Record<ServiceName, string>>>;
  /** Ends the start; the stack is then stopped again and the reason thrown. */
  readonly signal?: AbortSignal;
};

export type RunningStack = {
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  readonly tokens: typeof tokens;
  /** Of the superuser, password included. Never to be printed. */
  readonly postgresUrl: string;
  readonly processes: readonly { readonly name: string; readonly pid: number }[];
  /** Settles when everything has stopped: with null after `stop()`, with what went wrong after a crash. Never rejects. */
  readonly ended: Promise<StackError | null>;
  /** Stops everything in order, within 5 s. */
  stop(): Promise<void>;
  /** Ends everything at once. PostgreSQL recovers at the next start. */
  kill(): void;
};

/** What is there to be stopped, in any state of the start. */
type Parts = {
  readonly directory: DataDirectory;
  frontDoor?: FrontDoor;
  postgres?: EmbeddedPostgres;
  readonly children: ChildService[];
};

/** Where the stack keeps its data unless told otherwise. */
export const defaultDataDir = join(workspace(), '.holdfast');

// together less than the 5 s within which Ctrl-C must be done
const serviceGraceMs = 3_000;
const postgresGraceMs = 1_200;

/**
 * Starts the whole system: PostgreSQL, the services and the front door. Resolves when requests are answered.
 * Throws StackError when something does not start; then nothing is left running.
 */
export async function startStack(options: StackOptions = {}): Promise<RunningStack> {
  const dataDir = resolve(options.dataDir ?? defaultDataDir);
  const crash = new AbortController();
  const signal = options.signal === undefined ? crash.signal : AbortSignal.any([options.signal, crash.signal]);
  const parts: Parts = { directory: openDataDirectory(dataDir), children: [] };
  try {
    return runningStack(parts, options, crash, await startParts(parts, options, crash, signal));
  } catch (error) {
    await stopParts(parts);
    throw error;
  }
}

async function startParts(
  parts: Parts,
  options: StackOptions,
  crash: AbortController,
  signal: AbortSignal,
): Promise<StackFacts> {
  const { directory } = parts;
  const profile = wireProfile(options.wireProfile ?? 'standard');
  const frontDoor = await startFrontDoor({
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 8080,
    routes: routesOf(profile),
  });
  parts.frontDoor = frontDoor;
  // not before the port is ours: a start that cannot succeed deletes nothing
  await prepareDataDirectory(directory, options.fresh ?? false);
  const keys = loadOrCreateKeys(directory.path);
  const postgres = await startPostgres(parts, options.durable ?? true, crash, signal);
  await createMissingDatabases(postgres.url, Object.values(databases));

  const facts: StackFacts = {
    dataDir: directory.path,
    port: frontDoor.port,
    wireProfile: options.wireProfile ?? 'standard',
    objectStorePrefixes: profile.objectStorePrefixes,
    logLevel: options.logLevel ?? 'info',
    keys,
    postgresUrl: postgres.url,
  };
  const start = (name: ServiceName, environment: ServiceEnvironment) =>
    startPart(parts, options, crash, signal, name, environment);
  const [catalog, objectstore] = await all([
    start('catalog', catalogEnvironment(facts)).then(portOf),
    start('objectstore', objectStoreEnvironment(facts)).then(portOf),
  ]);
  await prepareExportResults(`http://127.0.0.1:${objectstore}`, signal);
  const environment = exportEnvironment(facts, { catalog, objectstore });
  const [exportPort] = await all([
    start('export', environment).then(portOf),
    start('export-worker', environment).then(() => 0),
  ]);
  signal.throwIfAborted();
  frontDoor.open({ catalog, objectstore, export: exportPort });
  return facts;
}

async function startPart(
  parts: Parts,
  options: StackOptions,
  crash: AbortController,
  signal: AbortSignal,
  name: ServiceName,
  environment: ServiceEnvironment,
): Promise<ChildService> {
  const program = {
    name,
    program: options.programs?.[name] ?? join(workspace(), servicePrograms[name]),
    options: serviceOptions[name],
    environment: { ...environment, ...options.environment?.[name] },
    log: openLogFile(parts.directory.logs, name),
  };
  try {
    const child = await startChildService(program, signal);
    parts.children.push(child);
    child.ended.then((message) => crash.abort(new StackError(message)));
    return child;
  } catch (error) {
    // the others that are starting need not go on
    crash.abort(error);
    throw error;
  }
}

async function startPostgres(
  parts: Parts,
  durable: boolean,
  crash: AbortController,
  signal: AbortSignal,
): Promise<EmbeddedPostgres> {
  const log = openLogFile(parts.directory.logs, 'postgres');
  const postgres = await startEmbeddedPostgres({
    dataDir: parts.directory.postgres,
    durable,
    logFile: log.path,
    signal,
  });
  parts.postgres = postgres;
  postgres.exited.then(() => crash.abort(new StackError(postgresEnd(log))));
  return postgres;
}

function postgresEnd(log: LogFile): string {
  return `PostgreSQL ended. The last lines of ${log.path}:\n${lastLines(log)}`;
}

function portOf(child: ChildService): number {
  if (child.port === null) throw new StackError(`The ${child.name} service did not say on which port it listens.`);
  return child.port;
}

/** Like Promise.all, but waits for all of them even when one fails: what has started then must be stopped. */
async function all(promises: readonly [Promise<number>, Promise<number>]): Promise<readonly [number, number]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

function runningStack(parts: Parts, _options: StackOptions, crash: AbortController, facts: StackFacts): RunningStack {
  const dataDir = parts.directory.path;
  const processes = [
    { name: 'supervisor', pid: process.pid },
    ...(parts.postgres === undefined ? [] : [{ name: 'postgres', pid: parts.postgres.pid }]),
    ...parts.children.map(({ name, pid }) => ({ name, pid })),
  ];
  const url = publicUrl(facts.port);
  const startedAt = new Date().toISOString();
  describeRunningStack(dataDir, { url, pid: process.pid, wireProfile: facts.wireProfile, startedAt, processes });

  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= stopParts(parts);
    return stopping;
  };
  const ended = new Promise<StackError | null>((resolve) => {
    // the first thing to end: by our own stop, or by a crash that we answer with a stop
    crash.signal.addEventListener('abort', () => {
      const failure = stopping === undefined ? crash.signal.reason : null;
      stop().then(() => resolve(failure));
    });
    if (crash.signal.aborted) stop().then(() => resolve(crash.signal.reason));
  });
  return {
    url,
    port: facts.port,
    dataDir,
    tokens,
    postgresUrl: facts.postgresUrl,
    processes,
    ended,
    stop,
    kill: () => killParts(parts),
  };
}

async function stopParts(parts: Parts): Promise<void> {
  const { frontDoor, children, postgres, directory } = parts;
  forgetRunningStack(directory.path);
  frontDoor?.pause();
  await Promise.all(children.map((child) => child.stop(serviceGraceMs)));
  await frontDoor?.close();
  await postgres?.stop(postgresGraceMs);
  directory.release();
}

function killParts(parts: Parts): void {
  for (const child of parts.children) child.kill();
  if (parts.postgres !== undefined) signalProcess(parts.postgres.pid, 'SIGQUIT');
}

function workspace(): string {
  // packages/stack/dist/src
  return fileURLToPath(new URL('../../../..', import.meta.url));
}
