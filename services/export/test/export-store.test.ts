import { randomUUID } from 'node:crypto';
import { type Database, migrate, openDatabase } from '@holdfast/pg-kit';
import { createTestDatabase, type TestDatabase } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ExportOutput } from '../src/job/export-record.js';
import { type ExportEvent, type ExportState, exportStates, isFinal, transitions } from '../src/job/export-state.js';
import { type ExportStore, exportStore } from '../src/job/export-store.js';
import { exportMigrations } from '../src/job/migrations.js';
import type { ExportRequest } from '../src/request/export-request.js';
import { onDatabase } from './support/on-database.js';

const request: ExportRequest = {
  catalog: { publicHost: 'x.org', hostname: 'x.org', id: '1', snapshot: null },
  variables: {},
  queries: [],
  bag: null,
};
const failure = { status: 500, code: 'internal', detail: 'No.' } as const;
const output: ExportOutput = {
  path: 'a.csv',
  versionPath: '/os/a:V',
  bytes: 3_000_000_000,
  contentType: 'text/csv',
  md5: 'm',
  sha256: 's',
};
const progress = { stage: 'query', query: 1, queries: 1, rows: 2, bytes: 3, files: 1, percent: null } as const;

describe('the rows of exports', () => {
  let testDatabase: TestDatabase;
  let database: Database;
  let store: ExportStore;
  beforeAll(async () => {
    testDatabase = await createTestDatabase('export');
    database = openDatabase({ url: testDatabase.url, applicationName: 'test', maxConnections: 4 });
    await migrate(database, exportMigrations);
    store = exportStore(database);
  });
  afterAll(async () => {
    await database.close();
    await testDatabase.drop();
  });

  async function create(state: ExportState = 'queued', attempt = 0): Promise<string> {
    const id = randomUUID();
    await store.create(
      {
        id,
        owner: 'alice',
        ownerName: null,
        readers: ['alice'],
        kind: 'file',
        request,
        exportUrl: 'https://x.org/export',
        credential: { keyId: 'k', sealed: 'secret', expires: new Date(Date.now() + 60_000) },
        share: 'alice',
        detached: false,
        idempotency: null,
      },
      { concurrent: 1_000, queued: 0, results: 0 },
    );
    await onDatabase(testDatabase.url, 'update ex_export set state = $2, attempt = $3 where id = $1', [
      id,
      state,
      attempt,
    ]);
    return id;
  }

  const events: Readonly<Record<ExportEvent, (id: string) => Promise<boolean>>> = {
    claim: async (id) => (await store.claim(id)) !== null,
    complete: (id) => store.complete({ id, attempt: 1 }, { outputs: [], progress }, 60),
    fail: (id) => store.fail({ id, attempt: 1 }, failure, 60),
    requeue: async (id) => {
      await store.release({ id, attempt: 1 });
      return (await store.find(id))?.state === 'queued';
    },
    cancel: (id) => store.cancel(id, 60),
  };
  const edges = Object.entries(events).flatMap(([event, happen]) =>
    exportStates.map((state) => ({ event: event as ExportEvent, state, happen })),
  );

  it.each(edges)('$event in state $state', async ({ event, state, happen }) => {
    const { from, to } = transitions[event];
    const id = await create(state, 1);
    const allowed = from.includes(state);
    // a queued row stays queued when it is put back: that is no change
    if (!(event === 'requeue' && state === 'queued')) expect(await happen(id)).toBe(allowed);
    const after = (await store.find(id))?.state;
    expect(after).toBe(allowed ? to : state);
    // exports that are over keep no credential
    if (allowed) expect((await store.credential(id)) === null).toBe(isFinal(to));
  });

  it('knows which states are final', () => {
    expect(exportStates.filter(isFinal)).toEqual(['completed', 'failed', 'cancelled']);
  });

  it('publishes outputs and state at once, for the run that counts', async () => {
    const id = await create();
    const claimed = await store.claim(id);
    expect(claimed).toMatchObject({ state: 'running', attempt: 1 });
    expect(await store.claim(id)).toBeNull();
    expect(await store.complete({ id, attempt: 2 }, { outputs: [output], progress }, 60)).toBe(false);
    expect(await store.outputs(id)).toEqual([]);
    expect(await store.complete({ id, attempt: 1 }, { outputs: [output], progress }, 60)).toBe(true);
    expect(await store.outputs(id)).toEqual([output]);
    expect(await store.find(id)).toMatchObject({ state: 'completed', progress });
  });

  it('gives up runs without a sign of life, once', async () => {
    const once = await create();
    const twice = await create('queued', 1);
    const alive = await create();
    for (const id of [once, twice, alive]) await store.claim(id);
    await onDatabase(testDatabase.url, `update ex_export set lease_until = now() - interval '1 s' where id = any($1)`, [
      [once, twice],
    ]);
    const swept = await store.expireLeases(failure, 60);
    expect(swept.filter(({ id }) => [once, twice, alive].includes(id))).toEqual([
      { id: once, state: 'queued' },
      { id: twice, state: 'failed' },
    ]);
    expect(await store.beat({ id: once, attempt: 1 }, progress)).toBe(false);
    expect(await store.beat({ id: alive, attempt: 1 }, progress)).toBe(true);
    expect(await store.notInQueue(10)).toContainEqual({ id: once, attempt: 1 });
  });

  it('forgets credentials that have expired, and exports past their time', async () => {
    const id = await create();
    await onDatabase(
      testDatabase.url,
      `update ex_credential set expires = now() - interval '1 s' where export_id = $1`,
      [id],
    );
    await store.dropExpiredCredentials();
    expect(await store.credential(id)).toBeNull();
    await store.cancel(id, 60);
    await onDatabase(testDatabase.url, `update ex_export set expires = now() - interval '1 s' where id = $1`, [id]);
    expect(await store.find(id)).toBeNull();
  });

  it('keeps the log in order, and none for an export that is gone', async () => {
    const id = await create('cancelled');
    await store.appendLog(id, 'one\n');
    await store.appendLog(id, 'two\n');
    expect(await store.log(id)).toBe('one\ntwo\n');
    await store.remove(id);
    await store.appendLog(id, 'three\n');
    expect(await store.log(id)).toBe('');
  });
});
