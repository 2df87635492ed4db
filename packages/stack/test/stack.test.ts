import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { z } from 'zod';
import { findRunningStack, type RunningStack, type StackOptions, startStack } from '../src/index.js';
import { processIdentity } from '../src/process-identity.js';
import { fakePrograms } from './fixtures/fake-programs.js';
import { temporaryDirectory } from './fixtures/temporary-directory.js';

let directory: ReturnType<typeof temporaryDirectory>;
let dataDir: string;
const started: RunningStack[] = [];

// one data directory for all tests: making a new one takes longer than everything else
beforeAll(() => {
  directory = temporaryDirectory();
  dataDir = join(directory.path, 'data');
});

afterAll(() => directory.remove());

afterEach(async () => {
  await Promise.all(started.splice(0).map((stack) => stack.stop()));
});

async function start(options: StackOptions = {}): Promise<RunningStack> {
  const stack = await startStack({ dataDir, port: 0, durable: false, programs: fakePrograms, ...options });
  started.push(stack);
  return stack;
}

const fakeAnswer = z.object({
  url: z.string(),
  puts: z.array(z.string()),
  environment: z.record(z.string(), z.string()),
  pid: z.number(),
});

async function ask(stack: RunningStack, path: string) {
  const response = await fetch(`http://127.0.0.1:${stack.port}${path}`);
  return fakeAnswer.parse(await response.json());
}

function runningProcesses(stack: RunningStack): string[] {
  return stack.processes
    .filter(({ pid }) => pid !== process.pid && processIdentity(pid) !== null)
    .map(({ name }) => name);
}

describe('a stack', () => {
  it('runs PostgreSQL and each service in a process of its own, behind one port', async () => {
    const stack = await start();
    expect(runningProcesses(stack).sort()).toEqual(['catalog', 'export', 'export-worker', 'objectstore', 'postgres']);
    const pids = await Promise.all(
      ['/data/', '/objects/', '/export/', '/authn/session'].map(async (path) => (await ask(stack, path)).pid),
    );
    const pidOf = (name: string) => stack.processes.find((process) => process.name === name)?.pid;
    expect(pids).toEqual([pidOf('catalog'), pidOf('objectstore'), pidOf('export'), pidOf('catalog')]);
  });

  it('creates the databases and tells each service its own', async () => {
    const stack = await start();
    const catalog = (await ask(stack, '/data/')).environment;
    const objectStore = (await ask(stack, '/objects/')).environment;
    const urls = [catalog.REGISTRY_DATABASE_URL, catalog.IDENTITY_DATABASE_URL, objectStore.DATABASE_URL];
    const names = await Promise.all(urls.map(currentDatabase));
    expect(names).toEqual(['holdfast_registry', 'holdfast_identity', 'holdfast_objectstore']);
  });

  it('tells the export service where the others are, under the addresses users know', async () => {
    const stack = await start();
    const { environment } = await ask(stack, '/export/');
    const servers = z.array(z.object({ publicHost: z.string(), baseUrl: z.url() }));
    const stores = servers.parse(JSON.parse(environment.OBJECT_STORES ?? ''));
    expect(stores.map(({ publicHost }) => publicHost)).toEqual([`localhost:${stack.port}`, `127.0.0.1:${stack.port}`]);
    const [catalog] = servers.parse(JSON.parse(environment.CATALOGS ?? ''));
    const answer = fakeAnswer.parse(await (await fetch(`${catalog?.baseUrl}/data/1`)).json());
    expect(answer.pid).toBe(stack.processes.find(({ name }) => name === 'catalog')?.pid);
  });

  it('prepares the namespace of the export results', async () => {
    const { puts } = await ask(await start(), '/objects/');
    expect(puts).toEqual([
      '/objects/export-results',
      '/objects/export-results;acl/create',
      '/objects/export-results;acl/subtree-owner',
    ]);
  });

  it('keeps the surroundings of the user from the services', async () => {
    process.env.DATABASE_URL = 'postgresql://elsewhere/production';
    try {
      const { environment } = await ask(await start(), '/data/');
      expect(environment.DATABASE_URL).toBeUndefined();
      expect(environment.NODE_ENV).toBeUndefined();
    } finally {
      delete process.env.DATABASE_URL;
    }
  });

  it('routes the paths of the deriva profile only under that profile', async () => {
    const standard = await start();
    expect((await fetch(`http://127.0.0.1:${standard.port}/hatrac/x`)).status).toBe(404);
    await standard.stop();
    const deriva = await start({ wireProfile: 'deriva' });
    expect((await ask(deriva, '/hatrac/x')).url).toBe('/hatrac/x');
    expect((await ask(deriva, '/ermrest/catalog')).environment.WIRE_PROFILE).toBe('deriva');
  });

  it('can be found while it runs, and leaves nothing behind', async () => {
    const stack = await start();
    expect(findRunningStack(dataDir)).toMatchObject({ url: stack.url, pid: process.pid, processes: stack.processes });
    expect(readFileSync(join(dataDir, 'stack.json'), 'utf8')).not.toContain(new URL(stack.postgresUrl).password);
    await stack.stop();
    expect(await stack.ended).toBeNull();
    expect(runningProcesses(stack)).toEqual([]);
    expect(findRunningStack(dataDir)).toBeNull();
    await expect(fetch(`http://127.0.0.1:${stack.port}/`)).rejects.toThrow();
  });

  it('keeps its keys and databases over a restart, and loses them when fresh', async () => {
    const keyOf = async (stack: RunningStack) =>
      createHash('sha256')
        .update((await ask(stack, '/export/')).environment.SERVICE_KEY ?? '')
        .digest('hex');
    const first = await start();
    const key = await keyOf(first);
    await onDatabase(first.postgresUrl, 'CREATE TABLE kept ()');
    await first.stop();
    const second = await start();
    expect(await keyOf(second)).toBe(key);
    await onDatabase(second.postgresUrl, 'TABLE kept');
    await second.stop();
    const third = await start({ fresh: true });
    expect(await keyOf(third)).not.toBe(key);
    await expect(onDatabase(third.postgresUrl, 'TABLE kept')).rejects.toThrow('does not exist');
  });

  it('refuses a data directory that another stack uses', async () => {
    await start();
    await expect(start()).rejects.toThrow('already uses the data directory');
  });

  it('names a port that is in use, starts nothing and deletes nothing', async () => {
    const first = await start();
    const other = join(directory.path, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'keys.json'), 'precious');
    await expect(start({ dataDir: other, port: first.port, fresh: true })).rejects.toThrow(
      `Port ${first.port} of 127.0.0.1 is in use`,
    );
    expect(readdirSync(other)).toEqual(['keys.json']);
  });
});

describe('a stack with a service that fails', () => {
  it('does not start, and shows the last words of the service', async () => {
    const failure = await start({ environment: { objectstore: { FAKE_BEHAVIOUR: 'fails at start' } } }).catch(String);
    expect(failure).toContain('The objectstore service ended with status 7');
    expect(failure).toContain('the fake configuration is wrong');
    expect(failure).toContain(join(dataDir, 'logs', 'objectstore.log'));
    expect(() => readFileSync(join(dataDir, 'postgres', 'postmaster.pid'))).toThrow('ENOENT');
    await expect(start()).resolves.toBeDefined();
  });

  it('stops as a whole when a service crashes', async () => {
    const stack = await start();
    await fetch(`http://127.0.0.1:${stack.port}/export/crash`).catch(() => {});
    const failure = await stack.ended;
    expect(failure?.message).toMatch(/export service ended with status 3[\s\S]*something fell over/);
    expect(runningProcesses(stack)).toEqual([]);
  });

  it('shows of a crash only what was logged since the start', async () => {
    const first = await start();
    await first.stop();
    const log = join(dataDir, 'logs', 'catalog.log');
    writeFileSync(log, 'yesterday\n');
    const second = await start();
    process.kill(second.processes.find(({ name }) => name === 'catalog')?.pid ?? 0, 'SIGKILL');
    expect((await second.ended)?.message).toBe(
      `The catalog service was ended by SIGKILL. Its log ${log} says nothing.`,
    );
  });

  it('stops as a whole when PostgreSQL is killed, and recovers at the next start', async () => {
    const stack = await start({ durable: true });
    await onDatabase(stack.postgresUrl, 'CREATE TABLE survivor ()');
    process.kill(stack.processes.find(({ name }) => name === 'postgres')?.pid ?? 0, 'SIGKILL');
    expect((await stack.ended)?.message).toContain('PostgreSQL ended.');
    expect(runningProcesses(stack)).toEqual([]);
    await onDatabase((await start()).postgresUrl, 'TABLE survivor');
  });

  it('ends a service that does not stop by itself', async () => {
    const stack = await start({ environment: { catalog: { FAKE_BEHAVIOUR: 'ignores SIGTERM' } } });
    await stack.stop();
    expect(runningProcesses(stack)).toEqual([]);
  });
});

async function currentDatabase(url: string | undefined): Promise<unknown> {
  return (await onDatabase(url, 'SELECT current_database() AS name'))[0]?.name;
}

async function onDatabase(url: string | undefined, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}
