import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestStore, type TestStore } from './test-store.js';

const NS = { 'Content-Type': 'application/x-objstore-namespace' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** spec/objectstore.md 12.4, where a deployment allows it. */
describe('a deleted name', () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openTestStore({
      environment: { RESTORE_DELETED: 'true' },
      overrides: { deleteNonEmptyNamespace: 'bulk' },
    });
  });
  afterAll(() => store.close());
  const as = (who: string) => (method: string, target: string, body?: string, headers?: Record<string, string>) =>
    store.http(method, target, { as: who, body, headers });
  const alice = as('alice');
  const bob = as('bob');

  it('comes back as the object it was, with its lists and without its versions', async () => {
    const first = await alice('PUT', '/os/o', 'one');
    await alice('PUT', '/os/o;acl/update', '["bob"]', JSON_TYPE);
    await alice('DELETE', '/os/o');
    expect((await alice('PUT', '/os/o', undefined, NS)).code).toBe('name_deleted');
    expect((await alice('PUT', '/os/o', 'x', { 'X-Initial-Acls': '{"owner":["bob"]}' })).status).toBe(400);
    expect((await alice('PUT', '/os/o', 'two', { 'If-Match': '*' })).status).toBe(412);
    expect((await alice('PUT', '/os/o', 'two')).status).toBe(201);
    expect((await alice('GET', '/os/o')).text).toBe('two');
    expect((await alice('GET', '/os/o;acl/update')).text).toBe('["bob"]\n');
    expect((await alice('GET', first.headers.location ?? '')).status).toBe(404);
    expect(JSON.parse((await alice('GET', '/os/o;versions')).text)).toHaveLength(1);
  });

  it('comes back as the namespace it was, empty', async () => {
    await alice('PUT', '/os/n/in?parents=true', undefined, NS);
    await alice('DELETE', '/os/n');
    expect((await alice('PUT', '/os/n', 'x', { 'Content-Type': 'text/plain' })).code).toBe('name_deleted');
    expect((await alice('PUT', '/os/n/in?parents=true', undefined, NS)).code).toBe('name_deleted');
    expect((await alice('PUT', '/os/n', undefined, NS)).status).toBe(201);
    expect((await alice('GET', '/os/n')).text).toBe('[]\n');
    expect((await alice('PUT', '/os/n/in', undefined, NS)).status).toBe(201);
  });

  it('comes back only for those who owned it, and for two of them at once', async () => {
    await alice('PUT', '/os;acl/create', '["bob"]', JSON_TYPE);
    await alice('PUT', '/os/mine', 'x');
    await alice('DELETE', '/os/mine');
    expect((await bob('PUT', '/os/mine', 'x')).code).toBe('name_deleted');
    const both = await Promise.all([alice('PUT', '/os/mine', 'a'), alice('PUT', '/os/mine', 'b')]);
    expect(both.map(({ status }) => status)).toEqual([201, 201]);
  });
});
