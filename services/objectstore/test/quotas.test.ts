import { sql } from '@holdfast/pg-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { prepareQuotas } from '../src/directory/quotas.js';
import { parseName } from '../src/naming/parse-target.js';
import { openTestStore, type TestStore } from './test-store.js';

const NS = { 'Content-Type': 'application/x-objstore-namespace' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

describe('quotas', () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openTestStore({
      overrides: { deleteNonEmptyNamespace: 'bulk' },
      environment: {
        UNKNOWN_LENGTH_ROLES: 'alice',
        QUOTAS: JSON.stringify([
          { path: '/bytes', bytes: 100 },
          { path: '/bytes/inner', bytes: 50 },
          { path: '/count', objects: 2 },
          { path: '/race', bytes: 100 },
        ]),
      },
    });
    for (const name of ['bytes', 'bytes/inner', 'count', 'race']) await alice('PUT', `/os/${name}`, undefined, NS);
  });
  afterAll(() => store.close());
  const alice = (method: string, target: string, body?: string, headers?: Record<string, string>) =>
    store.http(method, target, { as: 'alice', body, headers });
  const put = async (target: string, bytes: number) => (await alice('PUT', target, 'x'.repeat(bytes))).status;
  const uses = () =>
    store.database.withConnection(null, (connection) =>
      connection.query<{ path: string }>(
        sql`select path, bytes::int, objects::int, reserved::int from os_quota order by path`,
      ),
    );
  /** What the uses would be if they were counted anew. */
  const counted = async () => {
    const kept = await uses();
    await prepareQuotas(store.database, new Map());
    const limit = { bytes: null, objects: null };
    await prepareQuotas(store.database, new Map(kept.map(({ path }) => [parseName(path), limit])));
    return [kept, await uses()];
  };

  it('refuse the byte too many, in words that help, before the body when its length is known', async () => {
    expect(await put('/os/bytes/a', 60)).toBe(201);
    const refused = await alice('PUT', '/os/bytes/b', undefined, { 'Content-Length': '41' });
    expect([refused.status, refused.code]).toEqual([409, 'quota_exceeded']);
    expect(refused.text).toContain('The quota of /bytes is 100 bytes; with this there would be 101.');
    expect((await alice('GET', '/os/bytes/b')).status).toBe(404);
    expect(await put('/os/bytes/b', 40)).toBe(201);
    expect(await put('/os/bytes/a', 1)).toBe(409);
    expect((await alice('PUT', '/os/bytes/c', 'x', { 'Transfer-Encoding': 'chunked' })).code).toBe('quota_exceeded');
    expect(await put('/os/bytes/empty', 0)).toBe(201);
    expect((await alice('DELETE', '/os/bytes/a')).status).toBe(204);
    expect(await put('/os/bytes/c', 1)).toBe(201);
  });

  it('hold for namespaces inside namespaces, and for a rename into one', async () => {
    expect(await put('/os/bytes/inner/o', 51)).toBe(409);
    expect(await put('/os/big', 60)).toBe(201);
    const rename = (target: string, source: string) =>
      alice('POST', target, JSON.stringify({ command: 'rename_from', source_name: source }), JSON_TYPE);
    expect((await rename('/os/bytes/moved', '/big')).code).toBe('quota_exceeded');
    expect((await alice('GET', '/os/big')).status).toBe(200);
    expect((await alice('GET', '/os/bytes/moved')).status).toBe(404);
    // the bytes are with the new name, and the quota sees none of them under the old one
    expect((await rename('/os/away', '/bytes/b')).status).toBe(201);
    expect(await put('/os/bytes/d', 59)).toBe(201);
  });

  it('count objects', async () => {
    expect([await put('/os/count/a', 1), await put('/os/count/b', 1), await put('/os/count/c', 1)]).toEqual([
      201, 201, 409,
    ]);
    expect(await put('/os/count/a', 1)).toBe(201);
    const job = await alice('POST', '/os/count/d;upload', '{"chunk-length":1,"content-length":1}', JSON_TYPE);
    expect(job.code).toBe('quota_exceeded');
    expect((await alice('GET', '/os/count/d')).status).toBe(404);
    await alice('DELETE', '/os/count/b');
    expect(await put('/os/count/c', 1)).toBe(201);
  });

  it('reserve what open jobs will need', async () => {
    const create = (name: string, bytes: number) =>
      alice(
        'POST',
        `/os/race/${name};upload`,
        JSON.stringify({ 'chunk-length': 60, 'content-length': bytes }),
        JSON_TYPE,
      );
    const job = (await create('job', 60)).headers.location ?? '';
    expect((await create('more', 41)).code).toBe('quota_exceeded');
    expect(await put('/os/race/o', 41)).toBe(409);
    await alice('PUT', `${job}/0`, 'x'.repeat(60));
    expect((await alice('POST', job)).status).toBe(201);
    const second = (await create('second', 40)).headers.location ?? '';
    expect(await put('/os/race/o', 1)).toBe(409);
    expect((await alice('DELETE', second)).status).toBe(204);
    expect(await put('/os/race/o', 40)).toBe(201);
    expect((await alice('DELETE', '/os/race')).status).toBe(204);
  });

  it('are never passed by writers at the same time', async () => {
    await alice('DELETE', '/os/count');
    await alice('DELETE', '/os/bytes/c');
    await alice('DELETE', '/os/bytes/d');
    const statuses = await Promise.all(Array.from({ length: 12 }, (_, index) => put(`/os/bytes/p${index}`, 30)));
    expect(statuses.filter((status) => status === 201)).toHaveLength(3);
    expect(statuses.filter((status) => status === 409)).toHaveLength(9);
  });

  it('are counted as they are', async () => {
    const [kept, anew] = await counted();
    expect(kept).toEqual(anew);
  });
});
