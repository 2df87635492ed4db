import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { z } from 'zod';
import { type EmbeddedPostgres, StackError, startEmbeddedPostgres } from '../src/index.js';
import { processIdentity, waitForProcessEnd } from '../src/process-identity.js';
import { temporaryDirectory } from './fixtures/temporary-directory.js';

let directory: ReturnType<typeof temporaryDirectory>;
let dataDir: string;
const started: EmbeddedPostgres[] = [];

beforeEach(() => {
  directory = temporaryDirectory();
  dataDir = join(directory.path, 'postgres');
});

afterEach(async () => {
  await Promise.all(started.splice(0).map((postgres) => postgres.stop(500)));
  directory.remove();
});

async function start(options: { port?: number; durable?: boolean } = {}): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false, ...options });
  started.push(postgres);
  return postgres;
}

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

describe('the embedded PostgreSQL', () => {
  it('keeps its data and its password over a stop and a start', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS x');
    await first.stop();
    expect(processIdentity(first.pid)).toBeNull();
    expect(await first.exited).toEqual({ code: 0, signal: null });

    const second = await start();
    expect(await query(second.url, 'SELECT x FROM kept')).toEqual([{ x: 1 }]);
    expect(new URL(second.url).password).toBe(new URL(first.url).password);
  });

  it('asks everybody for the password, which only its owner can read', async () => {
    const { url } = await start();
    const wrong = new URL(url);
    wrong.password = 'guess';
    await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
    expect(statSync(join(dataDir, 'holdfast-password')).mode & 0o777).toBe(0o600);
  });

  it('is durable unless told otherwise', async () => {
    const { url } = await start({ durable: true });
    const settings = `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages,
                             current_setting('max_locks_per_transaction') AS locks`;
    expect(await query(url, settings)).toEqual([{ fsync: 'on', pages: 'on', locks: '1024' }]);
  });

  it('recovers what was committed when it is killed', async () => {
    const first = await start({ durable: true });
    await query(first.url, 'CREATE TABLE kept AS SELECT generate_series(1, 1000) AS x');
    process.kill(first.pid, 'SIGKILL');
    expect(await first.exited).not.toEqual({ code: 0, signal: null });

    const second = await start({ durable: true });
    expect(await query(second.url, 'SELECT count(*)::int AS n FROM kept')).toEqual([{ n: 1000 }]);
  });

  it('ends when the process that started it is killed', async () => {
    const holder = spawn(process.execPath, [fixture('hold-postgres.js'), dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(createInterface(holder.stdout), 'line');
    const { pid } = z.object({ pid: z.number() }).parse(JSON.parse(String(line)));
    expect(processIdentity(pid)).not.toBeNull();
    holder.kill('SIGKILL');
    expect(await waitForProcessEnd(pid, 10_000)).toBe(true);
  });

  it('ends when its guard is killed', async () => {
    const postgres = await start();
    const guard = await parentOf(postgres.pid);
    process.kill(guard, 'SIGKILL');
    expect(await postgres.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(await waitForProcessEnd(postgres.pid, 10_000)).toBe(true);
  });

  it('takes over from one that nobody watches any more', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS x');
    const second = await start();
    expect(processIdentity(first.pid)).toBeNull();
    expect(await query(second.url, 'SELECT x FROM kept')).toEqual([{ x: 1 }]);
  });

  it('refuses a data directory of another version and says what to do', async () => {
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'PG_VERSION'), '17\n');
    const failure = await start().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StackError);
    expect(failure).toHaveProperty('message', expect.stringMatching(/made by PostgreSQL 17.*--fresh/));
  });

  it('touches no directory with other files in it', async () => {
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'thesis.txt'), 'mine');
    await expect(start()).rejects.toThrow('not a PostgreSQL data directory');
    expect(statSync(join(dataDir, 'thesis.txt')).size).toBe(4);
  });

  it('names a port that is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    await expect(start({ port })).rejects.toThrow(`cannot listen on 127.0.0.1:${port}: the port is in use`);
    other.close();
    await expect(start()).resolves.toBeDefined();
  });

  it('breaks off its start when told to', async () => {
    const abort = AbortSignal.abort(new Error('enough'));
    await expect(startEmbeddedPostgres({ dataDir, durable: false, signal: abort })).rejects.toThrow('enough');
  });
});

function fixture(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
}

async function parentOf(pid: number): Promise<number> {
  const ps = spawn('ps', ['-o', 'ppid=', '-p', String(pid)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(ps.stdout), 'line');
  return Number(line);
}
