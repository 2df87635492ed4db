import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { testPostgresUrl } from '@holdfast/testkit';
import { developmentTokens } from './catalog-fixture.js';

/** The service as a process of its own. */
export interface CatalogProcess {
  /** Scheme, authority and prefix. */
  readonly url: string;
  /** What it wrote to its log so far. */
  log(): string;
  stop(): Promise<void>;
  /** Ends it without warning. */
  kill(): Promise<void>;
}

/** Starts a process over the registry of a fixture. */
export async function startCatalogProcess(registryUrl: string): Promise<CatalogProcess> {
  const program = fileURLToPath(new URL('../../src/main.js', import.meta.url));
  const child = fork(program, [], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: [],
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_HOST: '127.0.0.1',
      ADMIN_PORT: '0',
      LOG_LEVEL: 'warn',
      REGISTRY_DATABASE_URL: registryUrl,
      CATALOG_SERVERS: JSON.stringify([{ name: 'test', url: testPostgresUrl() }]),
      AUTH_MODE: 'dev',
      DEV_TOKENS: JSON.stringify(developmentTokens),
    },
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      log += chunk.toString();
    });
  const port = await listening(child, () => log);
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  };
  return {
    url: `http://127.0.0.1:${port}/data`,
    log: () => log,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

function listening(child: ChildProcess, log: () => string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`The service did not start: ${log()}`)));
    child.on('message', (message: unknown) => {
      if (typeof message === 'object' && message !== null && 'port' in message && typeof message.port === 'number')
        resolve(message.port);
    });
  });
}
