import { connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openTestStore, type TestStore } from './test-store.js';

const NS = { 'Content-Type': 'application/x-objstore-namespace' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Settings that no other file is about (docs/configuration.md). */
describe('a deployment can say', () => {
  let store: TestStore;
  const open = async (environment: Record<string, string>): Promise<void> => {
    store = await openTestStore({ environment });
  };
  const alice = (method: string, target: string, body?: string, headers?: Record<string, string>) =>
    store.http(method, target, { as: 'alice', body, headers });
  afterEach(() => store.close());

  it('which media types make namespaces', async () => {
    await open({ NAMESPACE_MEDIA_TYPES: 'application/x-folder, application/x-dir' });
    await alice('PUT', '/os/a', undefined, { 'Content-Type': 'APPLICATION/X-Dir; v=2' });
    expect((await alice('GET', '/os/a')).text).toBe('[]\n');
    expect((await alice('PUT', '/os/b', 'x', NS)).headers.location).toMatch(/^\/os\/b:/);
  });

  it('how long bodies may be', async () => {
    await open({ MAX_REQUEST_BYTES: '10', MAX_JSON_BYTES: '40', MAX_OBJECT_BYTES: '100' });
    expect((await alice('PUT', '/os/a', '0123456789')).status).toBe(201);
    expect((await alice('PUT', '/os/a', '01234567890')).code).toBe('too_large');
    const job = (chunk: number, length: number) =>
      alice('POST', '/os/a;upload', `{"chunk_bytes":${chunk},"total_bytes":${length}}`, JSON_TYPE);
    expect((await job(11, 20)).status).toBe(400);
    expect((await job(10, 101)).status).toBe(400);
    const made = await job(10, 100);
    expect((await alice('PUT', `${made.headers.location}/0`, 'x'.repeat(11))).code).toBe('too_large');
    const long = ' '.repeat(41);
    for (const [method, target, headers] of [
      ['PUT', '/os;acl/read', JSON_TYPE],
      ['PUT', '/os/a;metadata/content-type', { 'Content-Type': 'text/plain' }],
      ['POST', '/os/a;upload', JSON_TYPE],
      ['POST', '/os/b', JSON_TYPE],
      ['PUT', '/os/n', NS],
    ] as const)
      expect([target, (await alice(method, target, long, headers)).status]).toEqual([target, 413]);
  });

  it('how small chunks may be', async () => {
    await open({ UPLOAD_MIN_CHUNK_BYTES: '5' });
    const job = (chunk: number) =>
      alice('POST', '/os/a;upload', `{"chunk-length":${chunk},"content-length":20}`, JSON_TYPE);
    expect([(await job(4)).status, (await job(5)).status]).toEqual([400, 201]);
  });

  it('how long jobs live', async () => {
    await open({ UPLOAD_IDLE_HOURS: '5', UPLOAD_MAX_AGE_HOURS: '3' });
    const made = await alice('POST', '/os/a;upload', '{"chunk-length":1,"content-length":1}', JSON_TYPE);
    const { created, expires } = JSON.parse((await alice('GET', made.headers.location ?? '')).text);
    expect(Date.parse(expires) - Date.parse(created)).toBe(3 * 3_600_000);
  });

  it('which header carries initial lists, or none', async () => {
    await open({ INITIAL_ACL_HEADER: 'X-Lists' });
    const lists = '{"owner": ["bob"]}';
    await alice('PUT', '/os/a', 'x', { 'X-Lists': lists, 'X-Initial-Acls': 'nonsense' });
    expect((await store.http('GET', '/os/a;acl/owner', { as: 'bob' })).text).toBe('["bob"]\n');
    await store.close();
    await open({ INITIAL_ACL_HEADER: 'off' });
    await alice('PUT', '/os/a', 'x', { 'X-Initial-Acls': lists });
    expect((await alice('GET', '/os/a;acl/owner')).text).toBe('["alice"]\n');
  });

  it('that there are no bulk listings', async () => {
    await open({ BULK_LISTINGS: 'false' });
    expect((await alice('GET', '/os;bulk/names')).status).toBe(404);
  });

  it('after which time without progress a connection is cut', async () => {
    await open({ STALL_SECONDS: '1' });
    const head = 'PUT /os/a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer alice\r\nContent-Length: 10\r\n\r\nhello';
    await new Promise((resolve) => {
      const socket = connect(store.http.port, '127.0.0.1', () => socket.write(head));
      socket.on('close', resolve).on('error', resolve).resume();
    });
    expect((await alice('GET', '/os/a')).status).toBe(404);
  });
});
