import { createLogger } from '@holdfast/http-kit';
import { type Sql, sql } from '@holdfast/pg-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sweep } from '../src/maintenance/sweeper.js';
import { type BlobFault, verifyBlobs } from '../src/maintenance/verify-blobs.js';
import type { Answer } from './http-client.js';
import { openTestStore, type TestStore } from './test-store.js';

const NS = { 'Content-Type': 'application/x-objstore-namespace' };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const never = new AbortController().signal;

const CLIENTS = 10;
const OPERATIONS = 1000;

/** Everything that changes anything, at once on a handful of names which come and go, under quotas. */
describe('many clients on few names', () => {
  let store: TestStore;
  const jobs: string[] = [];
  beforeAll(async () => {
    store = await openTestStore({
      overrides: { deleteNonEmptyNamespace: 'bulk' },
      environment: {
        RESTORE_DELETED: 'true',
        QUOTAS: '[{"path": "/n0", "bytes": 5000, "objects": 3}, {"path": "", "bytes": 100000}]',
        UPLOAD_MAX_JOBS_PER_OBJECT: '5',
      },
    });
    for (const namespace of ['/os/n0', '/os/n1']) await alice('PUT', namespace, undefined, NS);
  });
  afterAll(() => store.close());
  const alice = (method: string, target: string, body?: string, headers?: Record<string, string>) =>
    store.http(method, target, { as: 'alice', body, headers });
  const any = (count: number): number => Math.floor(Math.random() * count);
  const namespace = (): string => `/os/n${any(2)}`;
  const name = (): string => `${namespace()}/o${any(4)}`;
  const job = (): string => jobs[any(jobs.length)] ?? '/os/n0/o0;upload/NONE';

  const operations: readonly (() => Promise<Answer>)[] = [
    () => alice('PUT', name(), 'x'.repeat(any(900))),
    () => alice('PUT', name(), 'x'.repeat(any(900))),
    () => alice('DELETE', name()),
    () => alice('GET', name()),
    () => alice('GET', namespace()),
    () => alice('PUT', `${name()};acl/read/${any(5)}`),
    () => alice('PUT', `${name()};metadata/content-type`, 'a/b', { 'Content-Type': 'text/plain' }),
    () => {
      const command = { command: 'rename_from', source_name: name(), copy_acls: any(2) === 0 };
      return alice('POST', name(), JSON.stringify(command), JSON_TYPE);
    },
    async () => {
      const versions = await alice('GET', `${name()};versions`);
      const paths: readonly string[] = versions.status === 200 ? JSON.parse(versions.text) : [];
      const path = paths[any(paths.length)];
      return path === undefined ? versions : alice('DELETE', path);
    },
    async () => {
      const made = await alice('POST', `${name()};upload`, '{"chunk-length": 3, "content-length": 6}', JSON_TYPE);
      if (made.headers.location !== undefined) jobs.push(made.headers.location);
      return made;
    },
    () => alice('PUT', `${job()}/${any(2)}`, 'abc'),
    () => alice('PUT', `${job()}/${any(2)}`, 'abc'),
    () => alice('POST', job()),
    () => alice('DELETE', job()),
    () => (any(6) === 0 ? alice('DELETE', namespace()) : alice('PUT', namespace(), undefined, NS)),
  ];

  it('get a clear answer each, and everything adds up in the end', async () => {
    const answers: Answer[] = [];
    const client = async (): Promise<void> => {
      while (answers.length < OPERATIONS) {
        const operation = operations[any(operations.length)];
        if (operation !== undefined) answers.push(await operation());
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    expect(answers.filter(({ status }) => status >= 500).map(({ text }) => text)).toEqual([]);

    const log = createLogger({ service: 'test', level: 'silent' });
    await sweep({ ...store, log, graceSeconds: 0, jobAges: { idleHours: 1, maxAgeHours: 2 } }, never);
    const faults: BlobFault[] = [];
    await verifyBlobs(
      store.database,
      store.store,
      { fault: (fault) => faults.push(fault), progress: () => undefined },
      never,
    );
    expect(faults).toEqual([]);
    // blobs that nobody has, versions without bytes, things defined under names that are not
    expect(
      await count(sql`os_blob b where state <> 'live' or not exists (select from os_version v where v.blob_id = b.id)
        and not exists (select from os_chunk c where c.blob_id = b.id)`),
    ).toBe(0);
    expect(
      await count(sql`os_version v where blob_id is not null
        and not exists (select from os_blob b where b.id = v.blob_id and b.state = 'live')`),
    ).toBe(0);
    expect(
      await count(
        sql`os_version v join os_name n on n.id = v.name_id where v.state = 'live' and n.deleted_at is not null`,
      ),
    ).toBe(0);
    expect(await count(sql`os_job j join os_name n on n.id = j.name_id where n.deleted_at is not null`)).toBe(0);
    expect(
      await count(
        sql`os_name n join os_name p on p.id = n.parent_id where n.deleted_at is null and p.deleted_at is not null`,
      ),
    ).toBe(0);
    // quotas are what is there, and were never passed
    expect(
      await count(sql`os_quota q where (bytes, objects, reserved) is distinct from (
        (select coalesce(sum(v.bytes), 0) from os_version v join os_name n on n.id = v.name_id
          where v.blob_id is not null and starts_with(n.path, q.path || '/')),
        (select count(*) from os_name n where n.kind = 'object' and n.deleted_at is null and starts_with(n.path, q.path || '/')),
        (select coalesce(sum(j.content_length), 0) from os_job j join os_name n on n.id = j.name_id
          where starts_with(n.path, q.path || '/')))`),
    ).toBe(0);
    expect(await count(sql`os_quota where path = '/n0' and (bytes + reserved > 5000 or objects > 3)`)).toBe(0);
  });

  const count = async (which: Sql): Promise<number> => {
    const [row] = await store.database.withConnection(null, (connection) =>
      connection.query<{ count: number }>(sql`select count(*)::int as count from ${which}`),
    );
    return row?.count ?? -1;
  };
});
