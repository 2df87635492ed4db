import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { createLogger } from '@holdfast/http-kit';
import { sql } from '@holdfast/pg-kit';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { BlobStore } from '../src/blobs/blob-store.js';
import { compareWeekly } from '../src/maintenance/compare-weekly.js';
import { reconcile } from '../src/maintenance/reconcile.js';
import { sweep } from '../src/maintenance/sweeper.js';
import { type BlobFault, verifyBlobs } from '../src/maintenance/verify-blobs.js';
import { newVersionKey } from '../src/naming/blob-key.js';
import { describeOnS3, openTestBucket, type TestBucket } from './s3-bucket.js';
import { openTestStore, type TestStore } from './test-store.js';

const never = new AbortController().signal;
const log = createLogger({ service: 'test', level: 'silent' });
const IN_THREE_DAYS = new Date(Date.now() + 3 * 86_400_000);

describe('the care of the bytes', () => {
  let store: TestStore;
  beforeEach(async () => {
    store = await openTestStore();
    for (const name of ['a', 'b', 'c']) expect((await put(name)).status).toBe(201);
  });
  afterEach(() => store.close());
  const put = (name: string) => store.http('PUT', `/os/${name}`, { as: 'alice', body: `content of ${name}` });
  const fileOf = async (name: string): Promise<string> => {
    const [row] = await store.database.withConnection(null, (connection) =>
      connection.query<{ key: string }>(sql`select b.key from os_blob b join os_version v on v.blob_id = b.id
        join os_name n on n.id = v.name_id where n.path = ${`/${name}`}`),
    );
    return join(store.blobRoot, row?.key ?? '');
  };
  const orphan = async (directory: string): Promise<string> => {
    const { id } = newVersionKey(new Date());
    await mkdir(join(store.blobRoot, directory), { recursive: true });
    await writeFile(join(store.blobRoot, directory, id), 'whose');
    return id;
  };
  const faults = async (): Promise<readonly BlobFault[]> => {
    const found: BlobFault[] = [];
    const listener = { fault: (fault: BlobFault) => found.push(fault), progress: () => undefined };
    await verifyBlobs(store.database, store.store, listener, never);
    return found;
  };

  it('finds nothing where nothing is wrong', async () => {
    expect(await faults()).toEqual([]);
    expect(await reconcile({ ...store, log }, IN_THREE_DAYS, never)).toEqual({ removed: 0, missing: 0 });
  });

  it('breaks the answer at once when the bytes end early, short or long', async () => {
    await truncate(await fileOf('a'), 3);
    const short = await store.http('GET', '/os/a', { as: 'alice' });
    expect([short.status, short.code]).toEqual([503, 'storage_unavailable']);
    expect((await store.http('PUT', '/os/long', { as: 'alice', body: Buffer.alloc(1_000_000) })).status).toBe(201);
    await truncate(await fileOf('long'), 600_000);
    await expect(store.http('GET', '/os/long', { as: 'alice' })).rejects.toThrow(/aborted|hang up/);
    const range = { Range: 'bytes=500000-700000' };
    await expect(store.http('GET', '/os/long', { as: 'alice', headers: range })).rejects.toThrow(/aborted|hang up/);
    const several = { Range: 'bytes=0-1,500000-700000' };
    await expect(store.http('GET', '/os/long', { as: 'alice', headers: several })).rejects.toThrow(/aborted|hang up/);
  });

  it('finds what is missing, damaged, cut and orphaned', async () => {
    await rm(await fileOf('a'));
    await writeFile(await fileOf('b'), 'content of B');
    await truncate(await fileOf('c'), 3);
    const lost = await orphan('b/2026/01/aa');
    const found = await faults();
    expect(found.map(({ kind, detail }) => `${kind}: ${detail}`).sort()).toEqual([
      'damaged: it has 3 bytes instead of 12',
      'damaged: its hash is another',
      'missing: there is nothing in the store',
      expect.stringMatching(/^orphaned: no row knows it/),
    ]);
    expect(found.at(-1)?.id).toBe(lost);
  });

  it('removes only what no row knows and is two days old, and reports what is missing', async () => {
    const old = await orphan('b/2026/01/aa');
    const half = await orphan('tmp');
    await orphan('b/2026/01/bb');
    const past = new Date(Date.now() - 49 * 3_600_000);
    for (const path of [join('b/2026/01/aa', old), join('tmp', half)])
      await utimes(join(store.blobRoot, path), past, past);
    await rm(await fileOf('a'));
    expect(await reconcile({ ...store, log }, new Date(), never)).toEqual({ removed: 2, missing: 1 });
    expect(await readdir(join(store.blobRoot, 'tmp'))).toEqual([]);
    expect((await faults()).map(({ kind }) => kind).sort()).toEqual(['missing', 'orphaned']);
    // the row is left alone
    expect((await store.http('HEAD', '/os/a', { as: 'alice' })).status).toBe(200);
  });

  it('compares once a week', async () => {
    const parts = { ...store, log };
    const past = new Date(Date.now() - 49 * 3_600_000);
    const late = async (): Promise<void> => {
      const id = await orphan('tmp');
      await utimes(join(store.blobRoot, 'tmp', id), past, past);
    };
    const left = async () => (await readdir(join(store.blobRoot, 'tmp'))).length;
    await late();
    expect(await compareWeekly(parts, never)).toEqual({ removed: 1, missing: 0 });
    expect(await left()).toBe(0);
    await late();
    expect(await compareWeekly(parts, never)).toBeNull();
    expect(await left()).toBe(1);
    await store.database.withConnection(null, (connection) =>
      connection.execute(sql`update os_task set finished_at = now() - interval '8 days'`),
    );
    expect(await compareWeekly(parts, never)).toEqual({ removed: 1, missing: 0 });
    expect(await left()).toBe(0);
  });

  it('sweeps while the store is being compared, which one process does at a time', async () => {
    await store.http('DELETE', '/os/a', { as: 'alice' });
    const seen: unknown[] = [];
    const sweeping = { ...store, log, graceSeconds: 0, jobAges: { idleHours: 1, maxAgeHours: 2 } };
    const slow: BlobStore = {
      ...store.store,
      list: async function* () {
        seen.push(await sweep(sweeping, never), await compareWeekly({ ...store, log }, never));
        yield* store.store.list();
      },
    };
    expect(await compareWeekly({ ...store, log, store: slow }, never)).toEqual({ removed: 0, missing: 0 });
    expect(seen).toEqual([{ leader: true, removed: 1, failed: 0, jobs: 0 }, null]);
  });

  it('is a command that says what it finds and how it ended', async () => {
    expect(await verifyCommand(store)).toMatchObject({ code: 0, lines: [{ kind: 'counts', blobs: 3, faults: 0 }] });
    await rm(await fileOf('a'));
    expect(await verifyCommand(store)).toMatchObject({
      code: 1,
      lines: [{ kind: 'missing' }, { kind: 'counts', blobs: 3, bytes: 36, faults: 1 }],
    });
    expect((await verifyCommand(store, { DATABASE_URL: 'mysql://x' })).code).toBe(2);
  });
});

describeOnS3('the care of the bytes on S3', () => {
  it('finds and removes objects and uploads that no row knows', async () => {
    const bucket: TestBucket = await openTestBucket();
    const store = await openTestStore({ s3: bucket });
    await store.http('PUT', '/os/kept', { as: 'alice', body: 'kept' });
    await store.store.parts?.begin(newVersionKey(new Date()).key, 'sent', never);
    const { key } = newVersionKey(new Date());
    const foreign = [`store/${key}`, 'store/not-ours', key];
    for (const Key of foreign) await bucket.client.send(new PutObjectCommand({ Bucket: bucket.name, Key, Body: 'x' }));
    const parts = { ...store, log };
    expect(await reconcile(parts, new Date(), never)).toEqual({ removed: 0, missing: 0 });
    expect(await reconcile(parts, IN_THREE_DAYS, never)).toEqual({ removed: 2, missing: 0 });
    expect((await store.http('GET', '/os/kept', { as: 'alice' })).text).toBe('kept');
    await store.close();
    await bucket.close();
  });
});

async function verifyCommand(
  store: TestStore,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly lines: readonly unknown[] }> {
  const program = fileURLToPath(new URL('../src/verify.js', import.meta.url));
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program],
      { env: { ...store.environment, ...more } },
      (_error, stdout) => {
        const lines = stdout.split('\n').slice(0, -1);
        resolve({ code: child.exitCode ?? -1, lines: lines.map((line): unknown => JSON.parse(line)) });
      },
    );
  });
}
