import { execFile, fork } from 'node:child_process';
import { mkdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from '@holdfast/http-kit';
import { type Sql, sql } from '@holdfast/pg-kit';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sweep } from '../src/maintenance/sweeper.js';
import { newVersionKey } from '../src/naming/blob-key.js';
import { httpClient } from './http-client.js';
import { openTestStore, type TestStore } from './test-store.js';

/** Milliseconds after which something will not happen any more. */
const HANGS = 100_000;
const nothing = { jobs: 0, blobs: 0, unknown: 0 };

/** The command `sweep`, as a CronJob runs it, and services that leave the sweeping to it. */
describe('the command sweep', () => {
  let store: TestStore;
  beforeEach(async () => {
    store = await openTestStore();
  });
  afterEach(() => store.close());

  const on = (text: Sql) => store.database.withConnection(null, (connection) => connection.query(text));
  const put = async (name: string): Promise<void> => {
    expect((await store.http('PUT', `/os/${name}`, { as: 'alice', body: `content of ${name}` })).status).toBe(201);
  };
  const remove = async (name: string, ago: string): Promise<void> => {
    expect((await store.http('DELETE', `/os/${name}`, { as: 'alice' })).status).toBe(204);
    // what was doomed a moment ago
    await on(
      sql`update os_blob set doomed_at = now() - ${ago}::interval where doomed_at > now() - interval '5 minutes'`,
    );
  };
  const openJob = async (name: string): Promise<string> => {
    const made = await store.http('POST', `/os/${name};upload`, {
      as: 'alice',
      body: '{"chunk-length":5,"content-length":5}',
      headers: { 'Content-Type': 'application/json' },
    });
    expect(made.status).toBe(201);
    return made.headers.location?.split('/').at(-1) ?? '';
  };
  /** Bytes that no row knows, so many hours old. */
  const orphan = async (hours: number): Promise<string> => {
    const { id } = newVersionKey(new Date());
    const file = join(store.blobRoot, 'b/2026/01/aa', id);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, 'whose');
    const then = new Date(Date.now() - hours * 3_600_000);
    await utimes(file, then, then);
    return file;
  };
  const isThere = (file: string): Promise<boolean> =>
    stat(file).then(
      () => true,
      () => false,
    );
  const states = async () =>
    (await on(sql`select state from os_blob order by state`)).map((row) => ({ ...row })) as readonly unknown[];

  it('removes all that is due, nothing else, and says how much', async () => {
    for (const name of ['kept', 'due', 'recent', 'staged', 'sending']) await put(name);
    await remove('due', '2 hours');
    await remove('recent', '10 minutes');
    // two uploads under way, the process of one of which has died
    for (const [name, until] of [
      ['staged', '-1 second'],
      ['sending', '5 minutes'],
    ] as const)
      await on(sql`with gone as (delete from os_version v using os_name n where n.id = v.name_id and n.path = ${`/${name}`} returning v.blob_id)
        update os_blob set state = 'staged', lease_until = now() + ${until}::interval where id in (select blob_id from gone)`);
    const [idle, busy] = [await openJob('idle'), await openJob('busy')];
    await on(sql`update os_job set touched_at = now() - interval '169 hours' where job = ${idle}`);
    const [old, young] = [await orphan(49), await orphan(1)];
    const outcome = await sweepCommand(store);
    expect(outcome).toEqual({
      code: 0,
      last: { kind: 'swept', leader: true, removed: { jobs: 1, blobs: 2, unknown: 1 }, failed: 0 },
      complaint: '',
    });
    expect(await states()).toEqual([{ state: 'doomed' }, { state: 'live' }, { state: 'staged' }]);
    expect(await on(sql`select job from os_job`)).toEqual([{ job: busy }]);
    expect([await isThere(old), await isThere(young)]).toEqual([false, true]);
    expect((await store.http('GET', '/os/kept', { as: 'alice' })).text).toBe('content of kept');
    expect((await sweepCommand(store)).last).toMatchObject({ leader: true, removed: nothing });
  });

  it('leaves everything to the process that is sweeping already', async () => {
    await put('due');
    await remove('due', '2 hours');
    const seen: unknown[] = [];
    const slow = {
      ...store.store,
      remove: async (...given: Parameters<typeof store.store.remove>) => {
        seen.push(await sweepCommand(store));
        await store.store.remove(...given);
      },
    };
    const { leader, removed } = await sweep(
      {
        ...store,
        store: slow,
        log: createLogger({ service: 'test', level: 'silent' }),
        graceSeconds: 3600,
        jobAges: { idleHours: 1, maxAgeHours: 2 },
      },
      new AbortController().signal,
    );
    expect({ leader, removed }).toEqual({ leader: true, removed: 1 });
    expect(seen).toEqual([
      { code: 0, last: { kind: 'swept', leader: false, removed: nothing, failed: 0 }, complaint: '' },
    ]);
  });

  it('ends with 1 when something could not be removed, with 2 and the reason when it could not run', async () => {
    await put('due');
    await remove('due', '2 hours');
    const [row] = await on(sql`select key from os_blob`);
    const file = join(store.blobRoot, String(row?.key));
    // what is no file cannot be removed as one
    await rm(file);
    await mkdir(file);
    expect(await sweepCommand(store)).toMatchObject({ code: 1, last: { removed: nothing, failed: 1 } });
    expect(await sweepCommand(store, { DATABASE_URL: 'mysql://x' })).toMatchObject({
      code: 2,
      complaint: expect.stringMatching(/^objectstore: the sweep failed: .*DATABASE_URL/s),
    });
    const away = new URL(store.environment.DATABASE_URL ?? '');
    away.pathname = '/not_there';
    expect(await sweepCommand(store, { DATABASE_URL: away.href })).toMatchObject({
      code: 2,
      complaint: expect.stringMatching(/^objectstore: the sweep failed: .*The database gave no connection/),
    });
  });

  it.each([
    ['inside', { objstore_gc_pending: 0, objstore_gc_removed_total: 1 }],
    ['none', { objstore_gc_pending: 1, objstore_gc_removed_total: 0 }],
  ])('is the only one to sweep where SWEEPERS is none (%s)', async (SWEEPERS, wanted) => {
    await put('due');
    await remove('due', '2 hours');
    const old = await orphan(49);
    const child = fork(fileURLToPath(new URL('../src/main.js', import.meta.url)), {
      env: { ...store.environment, ...service, SWEEPERS },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: [],
    });
    try {
      const { adminPort } = await new Promise<{ adminPort: number }>((resolve, reject) => {
        child.once('message', (message) => resolve(message as { adminPort: number }));
        child.once('exit', (code) => reject(new Error(`exit ${code}`)));
      });
      const admin = httpClient(adminPort);
      // what waits is counted after each sweep, with or without one
      await until(async () => {
        const { text } = await admin('GET', '/metrics');
        const is = Object.keys(wanted).map((name) => new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1]);
        return String(is) === String(Object.values(wanted));
      });
      if (SWEEPERS === 'inside') await until(async () => (await on(sql`select from os_task`)).length === 1);
      expect(await isThere(old)).toBe(SWEEPERS === 'none');
      expect(await on(sql`select from os_task`)).toHaveLength(SWEEPERS === 'none' ? 0 : 1);
    } finally {
      if (child.exitCode === null) {
        const gone = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGKILL');
        await gone;
      }
    }
  });
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const began = Date.now();
  while (!(await isSo())) {
    if (Date.now() - began > HANGS) throw new Error('It did not come to pass.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const service = {
  HOST: '127.0.0.1',
  PORT: '0',
  ADMIN_HOST: '127.0.0.1',
  ADMIN_PORT: '0',
  LOG_LEVEL: 'error',
};

async function sweepCommand(
  store: TestStore,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly last: unknown; readonly complaint: string }> {
  const program = fileURLToPath(new URL('../src/sweep.js', import.meta.url));
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program],
      { env: { ...store.environment, ...more } },
      (_error, stdout, complaint) => {
        const last = stdout.trim().split('\n').at(-1) ?? '';
        resolve({ code: child.exitCode ?? -1, last: last === '' ? null : JSON.parse(last), complaint });
      },
    );
  });
}
