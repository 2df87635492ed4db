import { sql } from '@holdfast/pg-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestStore, type TestStore } from './test-store.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };

describe('rename', () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openTestStore();
  });
  afterAll(() => store.close());
  const alice = (method: string, target: string, body?: string, headers?: Record<string, string>) =>
    store.http(method, target, { as: 'alice', body, headers });
  const rename = (target: string, source: string, members: object = {}, headers: Record<string, string> = {}) =>
    alice('POST', target, JSON.stringify({ command: 'rename_from', source_name: source, ...members }), {
      ...JSON_TYPE,
      ...headers,
    });
  const put = async (target: string, body: string): Promise<string> => {
    const made = await alice('PUT', target, body);
    expect(made.status).toBe(201);
    return made.headers.etag?.slice(1, -1) ?? '';
  };

  it('reads the source with and without the prefix, and with no slash', async () => {
    for (const [index, source] of ['/spelled0', '/os/spelled1', 'spelled2', 'os/spelled3'].entries()) {
      await put(`/os/spelled${index}`, 'x');
      expect((await rename(`/os/to${index}`, source)).status).toBe(201);
    }
    // an object below a namespace that is called like the prefix makes it ambiguous
    await put('/os/os/both?parents=true', 'x');
    await put('/os/both', 'x');
    expect((await rename('/os/to-both', '/os/both')).status).toBe(409);
    expect((await rename('/os/to-both', '/both')).status).toBe(201);
  });

  it.each([
    'not JSON',
    '"text"',
    '[]',
    '{}',
    '{"command": "rename_from"}',
    '{"command": "copy", "source_name": "/badly"}',
    '{"command": "rename_from", "source_name": ""}',
    '{"command": "rename_from", "source_name": 5}',
    '{"command": "rename_from", "source_name": "/badly", "other": 1}',
    '{"command": "rename_from", "source_name": "/badly", "copy_acls": "yes"}',
    '{"command": "rename_from", "source_name": "/badly", "source_versions": "V"}',
    '{"command": "rename_from", "source_name": "/badly", "source_versions": [1]}',
    '{"command": "rename_from", "source_name": "/badly", "source_versions": [], "versions": []}',
    '{"command": "rename_from", "source_name": "/badly:V"}',
    '{"command": "rename_from", "source_name": "/badly;acl"}',
    '{"command": "rename_from", "source_name": "/badly%zz"}',
    '{"command": "rename_from", "source_name": "/badly asked"}',
  ])('refuses a command that is none, and makes no name: %s', async (body) => {
    const answer = await alice('POST', '/os/badly-asked', body, JSON_TYPE);
    expect(answer.status).toBe(400);
    // the code stands in the document, not in the sentence
    expect(JSON.parse(answer.text).detail).not.toMatch(/bad_/);
    expect((await alice('GET', '/os/badly-asked')).status).toBe(404);
  });

  it('takes null for members that may be absent', async () => {
    await put('/os/nulls', 'x');
    expect((await rename('/os/to-nulls', '/nulls', { source_versions: null, copy_acls: null })).status).toBe(201);
  });

  it('goes on as a chain, and opposite ways cannot meet', async () => {
    const version = await put('/os/chain0', 'moving');
    for (let step = 1; step <= 5; step += 1)
      expect((await rename(`/os/chain${step}`, `/chain${step - 1}`)).status).toBe(201);
    const read = await alice('GET', '/os/chain0');
    expect([read.text, read.headers['content-location']]).toEqual(['moving', `/os/chain5:${version}`]);
    expect((await rename('/os/chain0', '/chain5')).status).toBe(409);
    expect((await alice('DELETE', '/os/chain3')).status).toBe(204);
    // the way is broken, the content is not
    expect((await alice('GET', '/os/chain0')).code).toBe('renamed_target_gone');
    expect((await alice('HEAD', '/os/chain0')).status).toBe(409);
    expect((await alice('GET', '/os/chain5')).text).toBe('moving');
  });

  it('removes only the way when the old version is deleted, and the bytes with the new one', async () => {
    const version = await put('/os/old', 'kept');
    await rename('/os/new', '/old');
    expect((await alice('DELETE', `/os/old:${version}`)).status).toBe(204);
    expect((await alice('GET', '/os/new')).text).toBe('kept');
    expect((await alice('DELETE', `/os/new:${version}`)).status).toBe(204);
    const states = await store.database.withConnection(null, (connection) =>
      connection.query(
        sql`select state from os_blob where state = 'doomed' and id in (select id from os_blob) limit 1`,
      ),
    );
    expect(states).toEqual([{ state: 'doomed' }]);
    // the old name takes new content, as an ordinary current version
    await put('/os/old', 'again');
    expect((await alice('GET', '/os/old')).text).toBe('again');
    expect((await alice('GET', '/os/old')).headers.location).toBeUndefined();
  });

  it('asks the lists of the new name, and no others', async () => {
    await put('/os/secret', 'x');
    await alice('PUT', '/os/secret;acl/subtree-read', '["bob"]', JSON_TYPE);
    const bob = (target: string) => store.http('GET', target, { as: 'bob' });
    expect((await bob('/os/secret')).status).toBe(200);
    await rename('/os/moved', '/secret');
    expect([(await bob('/os/secret')).status, (await bob('/os/moved')).status]).toEqual([403, 403]);
    await alice('PUT', '/os/moved;acl/subtree-read', '["bob"]', JSON_TYPE);
    await alice('DELETE', '/os/secret;acl/subtree-read');
    expect([(await bob('/os/secret')).status, (await bob('/os/moved')).status]).toEqual([200, 200]);
  });

  it('takes the lists along when asked', async () => {
    const version = await put('/os/listed', 'x');
    await alice('PUT', '/os/listed;acl/update', '["bob"]', JSON_TYPE);
    await alice('PUT', `/os/listed:${version};acl/read`, '["carol"]', JSON_TYPE);
    await rename('/os/with', '/listed', { copy_acls: true });
    expect((await alice('GET', '/os/with;acl/update')).text).toBe('["bob"]\n');
    expect((await alice('GET', `/os/with:${version};acl/read`)).text).toBe('["carol"]\n');
    await put('/os/plain', 'x');
    await alice('PUT', '/os/plain;acl/update', '["bob"]', JSON_TYPE);
    await rename('/os/without', '/plain', { copy_acls: false });
    expect((await alice('GET', '/os/without;acl/update')).text).toBe('[]\n');
  });

  it('is conditional on the current version of the new name', async () => {
    await put('/os/source1', 'x');
    const current = await put('/os/onto', 'before');
    expect((await rename('/os/onto', '/source1', {}, { 'If-None-Match': '*' })).status).toBe(412);
    expect((await rename('/os/onto', '/source1', {}, { 'If-Match': '"other"' })).status).toBe(412);
    expect((await rename('/os/onto', '/source1', {}, { 'If-Match': `"${current}"` })).status).toBe(201);
    expect((await alice('GET', '/os/onto')).text).toBe('x');
    expect(JSON.parse((await alice('GET', '/os/onto;versions')).text)).toHaveLength(2);
  });

  it('makes missing parents on request, and nothing when it is refused', async () => {
    await put('/os/source2', 'x');
    expect((await rename('/os/p/q/n', '/source2')).status).toBe(404);
    expect((await rename('/os/p/q/n?parents=true', '/none')).status).toBe(409);
    expect((await alice('GET', '/os/p')).status).toBe(404);
    expect((await rename('/os/p/q/n?parents=true', '/source2')).status).toBe(201);
    expect((await alice('DELETE', '/os/p/q/n')).status).toBe(204);
    await put('/os/source3', 'x');
    expect((await rename('/os/p/q/n', '/source3')).code).toBe('name_deleted');
  });

  it('of two at once, in opposite directions or to two names: each version has its bytes once', async () => {
    for (let round = 0; round < 6; round += 1) {
      const [left, right] = [`left${round}`, `right${round}`];
      await Promise.all([put(`/os/${left}`, 'L'), put(`/os/${right}`, 'R')]);
      const crossed = await Promise.all([rename(`/os/${left}`, `/${right}`), rename(`/os/${right}`, `/${left}`)]);
      for (const { status } of crossed) expect([201, 409]).toContain(status);
      await put(`/os/one${round}`, 'one');
      const split = await Promise.all(['a', 'b'].map((name) => rename(`/os/one${round}${name}`, `/one${round}`)));
      expect(split.map(({ status }) => status).sort()).toEqual([201, 409]);
      expect((await alice('GET', `/os/one${round}`)).text).toBe('one');
    }
  });
});
