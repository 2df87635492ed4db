import type { ChildProcess } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { signalProcess, waitForProcessEnd } from '../process-identity.js';
import { StackError } from '../stack-error.js';
import { findFreePort } from './free-port.js';
import { choosePostgresAccount, type PostgresAccount } from './postgres-account.js';
import { locatePostgresBinaries } from './postgres-binaries.js';
import { prepareCluster, superuser } from './postgres-cluster.js';
import { spawnGuarded } from './postgres-guard.js';
import { type PostgresPlace, placePostgres } from './postgres-place.js';
import { readPostmaster, stopLeftoverPostgres } from './postmaster-file.js';

export type EmbeddedPostgresOptions = {
  /** Made when it does not exist. Its parent directory too. */
  readonly dataDir: string;
  /** 0 or nothing: any free one. */
  readonly port?: number;
  /** False gives up durability for speed: for tests, whose data nobody needs after a crash. */
  readonly durable?: boolean;
  /** PostgreSQL's own settings, over ours. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Where PostgreSQL's messages go; `<dataDir>.log` by default. */
  readonly logFile?: string;
  /** Ends the start and throws its reason. */
  readonly signal?: AbortSignal;
};

export type EmbeddedPostgres = {
  /** Of the superuser, password included, for the database `postgres`. Never to be printed. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly logFile: string;
  /** Settles when PostgreSQL ends, wanted or not; never rejects. */
  readonly exited: Promise<PostgresExit>;
  /** Fast shutdown, an immediate one after `graceMs` (3000). Settles when nothing is left running. */
  stop(graceMs?: number): Promise<void>;
};

export type PostgresExit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

const defaultSettings: Readonly<Record<string, string>> = {
  max_connections: '200',
  // a catalog with many tables locks each of them and its indexes in one transaction
  max_locks_per_transaction: '1024',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  log_line_prefix: '%m [%p] %d ',
};

const undurableSettings: Readonly<Record<string, string>> = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
};

/**
 * Starts a PostgreSQL of this machine's own on 127.0.0.1, with its files in `dataDir`, as an ordinary user or as root
 * (then under another account). It ends with this process, however this process ends. Throws StackError when the
 * directory belongs to another version, when the port is taken, or when PostgreSQL does not come up.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  options.signal?.throwIfAborted();
  const durable = options.durable ?? true;
  const binaries = locatePostgresBinaries();
  const account = choosePostgresAccount(options.dataDir);
  const place = placePostgres(options.dataDir, binaries, account);
  await stopLeftoverPostgres(place.dataDir);
  const password = await prepareCluster(place, binaries.major, account, durable);
  const logFile = options.logFile ?? `${options.dataDir}.log`;
  const settings = { ...defaultSettings, ...(durable ? {} : undurableSettings), ...options.settings };

  for (let attempt = 1; ; attempt += 1) {
    const port = options.port || (await findFreePort());
    options.signal?.throwIfAborted();
    const outcome = await launch({ place, account, logFile, settings, port, signal: options.signal });
    if (outcome.kind === 'ready') return running(outcome.guard, outcome.pid, port, password, logFile);
    if (!mayRetry(outcome.output, options.port ?? 0, attempt)) throw startFailure(outcome.output, port, logFile);
    await sleep(250);
  }
}

type Launch = {
  readonly place: PostgresPlace;
  readonly account: PostgresAccount | null;
  readonly logFile: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly port: number;
  readonly signal: AbortSignal | undefined;
};
type LaunchOutcome =
  | { readonly kind: 'ready'; readonly guard: ChildProcess; readonly pid: number }
  | { readonly kind: 'failed'; readonly output: string };

async function launch({ place, account, logFile, settings, port, signal }: Launch): Promise<LaunchOutcome> {
  const before = readPostmaster(place.dataDir)?.text;
  const logStart = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  const all = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '', ...settings };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const guard = spawnGuarded([`${place.binaries}/bin/postgres`, '-D', place.dataDir, ...flags], account, logFile);
  let spawnError: Error | undefined;
  guard.once('error', (error) => {
    spawnError = error;
  });
  // crash recovery has no time limit: it ends, or PostgreSQL does
  while (spawnError === undefined && guard.exitCode === null && guard.signalCode === null) {
    const postmaster = readPostmaster(place.dataDir);
    // a file left by an earlier crash says "ready" too
    if (postmaster?.ready && postmaster.text !== before) return { kind: 'ready', guard, pid: postmaster.pid };
    if (signal?.aborted) guard.stdin?.destroy();
    await sleep(15);
  }
  signal?.throwIfAborted();
  guard.stdin?.destroy();
  return {
    kind: 'failed',
    output: spawnError?.message ?? readFileSync(logFile).subarray(logStart).toString('utf8').trim(),
  };
}

/** Children of a PostgreSQL that was killed need a moment to notice; a port found free may be taken meanwhile. */
function mayRetry(output: string, fixedPort: number, attempt: number): boolean {
  if (output.includes('pre-existing shared memory block')) return attempt <= 40;
  return isPortTaken(output) && fixedPort === 0 && attempt <= 5;
}

function isPortTaken(output: string): boolean {
  return /could not (bind|create any TCP)/.test(output);
}

function startFailure(output: string, port: number, logFile: string): StackError {
  if (isPortTaken(output)) return new StackError(`PostgreSQL cannot listen on 127.0.0.1:${port}: the port is in use.`);
  const last = output.split('\n').slice(-10).join('\n');
  return new StackError(`PostgreSQL did not start. The last lines of ${logFile}:\n${last}`);
}

function running(guard: ChildProcess, pid: number, port: number, password: string, logFile: string): EmbeddedPostgres {
  const exited = new Promise<PostgresExit>((resolve) => {
    const settle = () => {
      // lets the reader of the guard go, which stops a PostgreSQL whose guard was killed
      guard.stdin?.destroy();
      resolve({ code: guard.exitCode, signal: guard.signalCode });
    };
    if (guard.exitCode !== null || guard.signalCode !== null) settle();
    else guard.once('exit', settle);
  });
  guard.stdin?.on('error', () => {});
  return {
    url: `postgresql://${superuser}:${password}@127.0.0.1:${port}/postgres`,
    port,
    pid,
    logFile,
    exited,
    async stop(graceMs = 3000) {
      signalProcess(pid, 'SIGINT');
      if (!(await waitForProcessEnd(pid, graceMs))) {
        signalProcess(pid, 'SIGQUIT');
        if (!(await waitForProcessEnd(pid, 1000))) signalProcess(pid, 'SIGKILL');
      }
      await exited;
    },
  };
}
