import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.js';

/** A Redis or Valkey of a test, which can be stopped and started again. */
export interface RedisServer {
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** One command without spaces in its arguments. */
  command(...words: readonly string[]): Promise<string>;
  remove(): Promise<void>;
}

/** The program that is there; null: none. */
export function redisProgram(): string | null {
  const programs = ['valkey-server', 'redis-server'];
  return programs.find((program) => spawnSync(program, ['--version']).status === 0) ?? null;
}

/** A server that forgets all it has when it stops. */
export async function createRedisServer(program: string): Promise<RedisServer> {
  const port = await freePort();
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-redis-'));
  let child: ChildProcess | null = null;
  const command = (...words: readonly string[]) => ask(port, words);
  const server: RedisServer = {
    url: `redis://127.0.0.1:${port}`,
    start: async () => {
      child = spawn(program, ['--port', `${port}`, '--dir', directory, '--save', '', '--appendonly', 'no'], {
        stdio: 'ignore',
      });
      await eventually(() =>
        command('PING').then(
          (answer) => (answer.startsWith('+PONG') ? true : null),
          () => null,
        ),
      );
    },
    stop: async () => {
      const last = child;
      child = null;
      if (last === null) return;
      const gone = new Promise((resolve) => last.once('exit', resolve));
      last.kill('SIGKILL');
      await gone;
    },
    command,
    remove: async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

function ask(port: number, words: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(port, '127.0.0.1', () => socket.write(`${words.join(' ')}\r\n`));
    socket.once('error', reject);
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString());
    });
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
