import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { StackError } from '../stack-error.js';
import { type LogFile, lastLines } from './log-file.js';

export type ChildService = {
  readonly name: string;
  readonly pid: number;
  /** Null for a process that serves no clients. */
  readonly port: number | null;
  readonly adminPort: number | null;
  /** Settles when the process ends, with a message that explains it as a failure. Never rejects. */
  readonly ended: Promise<string>;
  /** Asks the process to stop, ends it after `graceMs`. */
  stop(graceMs: number): Promise<void>;
  kill(): void;
};

export type ChildProgram = {
  readonly name: string;
  /** The module to run. */
  readonly program: string;
  /** Options of Node. */
  readonly options: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly log: LogFile;
};

const listeningMessage = z.object({
  kind: z.literal('listening'),
  port: z.int().positive().nullable(),
  adminPort: z.int().positive().nullable(),
});
type Listening = z.output<typeof listeningMessage>;

/** What a Node program may need of its surroundings. The user's own DATABASE_URL and the like stay out. */
const inherited = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'LC_ALL', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS'];

const startLimitMs = 60_000;

/**
 * Starts a service as a process of its own and waits until it says that it is ready. Its output goes to its log. It has a session
 * of its own, so that Ctrl-C reaches the supervisor alone, which stops everything in order; when the supervisor ends in any
 * other way, the child sees its channel close and stops by itself.
 * Throws StackError when it ends before it is ready, the abort reason when `signal` fires.
 */
export async function startChildService(child: ChildProgram, signal: AbortSignal): Promise<ChildService> {
  signal.throwIfAborted();
  if (!existsSync(child.program)) {
    throw new StackError(
      `The program of the ${child.name} service is missing (${child.program}). Build the workspace first.`,
    );
  }
  const running = forkChild(child);
  const ended = new Promise<string>((resolve) => {
    running.once('exit', (code, exitSignal) => resolve(endMessage(child, code, exitSignal)));
    running.once('error', (error) => resolve(`The ${child.name} service could not be started: ${error.message}`));
  });
  try {
    return handle(child.name, running, ended, await firstReport(child, running, ended, signal));
  } catch (error) {
    running.kill('SIGKILL');
    await ended;
    throw error;
  }
}

function forkChild(child: ChildProgram): ChildProcess {
  const log = openSync(child.log.path, 'a', 0o600);
  try {
    return fork(child.program, [], {
      env: { ...inheritedEnvironment(), ...child.environment },
      execArgv: ['--enable-source-maps', ...child.options],
      detached: true,
      stdio: ['ignore', log, log, 'ipc'],
    });
  } finally {
    closeSync(log);
  }
}

function inheritedEnvironment(): Record<string, string> {
  const entries = inherited.map((name) => [name, process.env[name]] as const);
  return Object.fromEntries(entries.filter((entry): entry is readonly [string, string] => entry[1] !== undefined));
}

async function firstReport(
  child: ChildProgram,
  running: ChildProcess,
  ended: Promise<string>,
  signal: AbortSignal,
): Promise<Listening> {
  const decided = new AbortController();
  try {
    return await Promise.race([
      reported(running),
      ended.then((message) => Promise.reject(new StackError(message))),
      tooLate(child, decided.signal),
      aborted(signal, decided.signal),
    ]);
  } finally {
    decided.abort();
  }
}

function reported(running: ChildProcess): Promise<Listening> {
  return new Promise((resolve) => {
    running.on('message', (message) => {
      const report = listeningMessage.safeParse(message);
      if (report.success) resolve(report.data);
    });
  });
}

async function tooLate(child: ChildProgram, decided: AbortSignal): Promise<never> {
  await sleep(startLimitMs, undefined, { signal: decided });
  const path = child.log.path;
  throw new StackError(
    `The ${child.name} service was not ready after ${startLimitMs / 1000} s. The last lines of ${path}:\n${lastLines(child.log)}`,
  );
}

function aborted(signal: AbortSignal, decided: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: decided });
  });
}

function endMessage(child: ChildProgram, code: number | null, signal: NodeJS.Signals | null): string {
  const how = signal === null ? `ended with status ${code}` : `was ended by ${signal}`;
  const lines = lastLines(child.log);
  const log =
    lines === '' ? `Its log ${child.log.path} says nothing.` : `The last lines of ${child.log.path}:\n${lines}`;
  return `The ${child.name} service ${how}. ${log}`;
}

function handle(name: string, running: ChildProcess, ended: Promise<string>, report: Listening): ChildService {
  return {
    name,
    pid: running.pid ?? 0,
    port: report.port,
    adminPort: report.adminPort,
    ended,
    async stop(graceMs) {
      running.kill('SIGTERM');
      const timer = setTimeout(() => running.kill('SIGKILL'), graceMs);
      await ended;
      clearTimeout(timer);
    },
    kill: () => running.kill('SIGKILL'),
  };
}
