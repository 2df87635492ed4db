import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningStack, startStack, temporaryDirectory } from '@holdfast/stack';

/** A whole system for a benchmark, with what all of them need. */
export interface Setting {
  readonly stack: RunningStack;
  /** Where the stack is reached, as requests of exports name it. */
  readonly host: string;
  call(method: string, path: string, body?: RequestBody, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Exports and gives the URLs of the results. */
  export(kind: 'file' | 'bag', request: object): Promise<readonly string[]>;
  close(): Promise<void>;
}

type RequestBody = string | ReadableStream | Uint8Array;

/**
 * Starts it on a data directory that is removed in the end. `WORKER_NODE_OPTIONS` in the environment are options of Node for the worker: heap
 * settings can be compared.
 */
export async function startSetting(environment: Readonly<Record<string, string>> = {}): Promise<Setting> {
  const directory = await temporaryDirectory('holdfast-bench-');
  const { WORKER_NODE_OPTIONS } = process.env;
  const worker =
    WORKER_NODE_OPTIONS === undefined ? environment : { ...environment, NODE_OPTIONS: WORKER_NODE_OPTIONS };
  const stack = await startStack({ port: 0, dataDir: directory, environment: { 'export-worker': worker } });
  const call: Setting['call'] = async (method, path, body, headers = {}) => {
    const answer = await fetch(path.startsWith('http') ? path : `${stack.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${stack.tokens.alice}`, Accept: 'application/json', ...headers },
      ...(body === undefined ? {} : { body, duplex: 'half' }),
    } as RequestInit);
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  return {
    stack,
    host: new URL(stack.url).host,
    call,
    export: async (kind, request) => {
      const answer = await call('POST', `/export/${kind}`, JSON.stringify(request), {
        'Content-Type': 'application/json',
      });
      const text = await answer.text();
      return text === '' ? [] : text.split('\n');
    },
    close: async () => {
      await stack.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Highest values seen while something was watched. */
export interface Watched {
  /** Bytes by which resident memory of the worker went above where it was. */
  readonly growth: number;
  /** Bytes in the scratch directory. */
  readonly scratch: number;
}

/** Milliseconds between looks. */
const EVERY = 50;

/** Watches memory and scratch of the worker while something happens. Needs Linux. */
export async function watchWorker(stack: RunningStack, work: () => Promise<unknown>): Promise<Watched> {
  const pid = stack.processes.find(({ name }) => name === 'export-worker')?.pid;
  if (pid === undefined) throw new Error('The stack has no worker.');
  const before = await residentBytes(pid);
  let highest = before;
  let scratch = 0;
  const look = async (): Promise<void> => {
    highest = Math.max(highest, await residentBytes(pid));
    scratch = Math.max(scratch, await bytesBelow(join(stack.dataDir, 'scratch')));
  };
  let looking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, EVERY);
  try {
    await work();
  } finally {
    clearInterval(timer);
    await looking;
  }
  return { growth: highest - before, scratch };
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

async function bytesBelow(directory: string): Promise<number> {
  let sum = 0;
  for (const name of await readdir(directory, { recursive: true }).catch(() => [])) {
    const found = await stat(join(directory, name)).catch(() => null);
    if (found?.isFile() === true) sum += found.size;
  }
  return sum;
}

/** For people. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(0)} MB`;
}
