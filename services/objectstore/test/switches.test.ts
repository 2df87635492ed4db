import { type WireProfile, wireProfile } from '@holdfast/http-kit';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openTestStore, type TestStore } from './test-store.js';

const NS = { 'Content-Type': 'application/x-objstore-namespace' };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const TEXT = { 'Content-Type': 'text/plain' };
const MD5 = { 'Content-MD5': 'XUFAKrxLKna5cZ2REBfFkg==' };

/** The compatibility switches of spec/objectstore.md 16 that are off, or on, in both profiles; the others are in the worked examples. */
describe('the switch', () => {
  let store: TestStore;
  const open = async (overrides: Partial<WireProfile>): Promise<void> => {
    store = await openTestStore({ overrides });
    await alice('PUT', '/os/a', undefined, NS);
    await alice('PUT', '/os/a/o', 'hello', { ...TEXT, ...MD5 });
  };
  const alice = (method: string, target: string, body?: string, headers?: Record<string, string>) =>
    store.http(method, target, { as: 'alice', body, headers });
  afterEach(() => store.close());

  it('unknownAclStatus: 400 instead of 404 for lists a resource does not have', async () => {
    await open({ unknownAclStatus: 400 });
    for (const [method, target] of [
      ['GET', '/os/a;acl/bogus'],
      ['GET', '/os/a/o;acl/create/x'],
      ['PUT', '/os/a;acl/update/x'],
      ['DELETE', '/os/a;acl/bogus'],
    ] as const)
      expect((await alice(method, target)).status).toBe(400);
    expect((await alice('PUT', '/os/a;acl/bogus', '[]', JSON_TYPE)).status).toBe(400);
    expect((await alice('GET', '/os/none;acl/bogus')).status).toBe(404);
    expect((await alice('GET', '/os/a;acl/read/nobody')).status).toBe(404);
  });

  it('unescapedSubDelimiters: 400 for reserved characters in names; what follows a name is free', async () => {
    await open({ unescapedSubDelimiters: 'refuse' });
    for (const name of ['p+q', '(x)', "it's", 'a@b', 'a=b,c']) {
      const answer = await alice('PUT', `/os/a/${name}`, 'x');
      expect([name, answer.status, answer.code]).toEqual([name, 400, 'bad_name']);
    }
    expect((await alice('PUT', '/os/a/p%2Bq', 'x')).status).toBe(201);
    expect((await alice('PUT', '/os/a;acl/read/*')).status).toBe(204);
  });

  it('checksumDelete: a checksum can be taken away, and the service goes by what it computed', async () => {
    await open({ checksumDelete: 'allow', exposeComputedHashes: 'never' });
    expect((await alice('HEAD', '/os/a/o')).headers['content-md5']).toBe(MD5['Content-MD5']);
    expect((await alice('DELETE', '/os/a/o;metadata/content-md5')).status).toBe(204);
    expect((await alice('GET', '/os/a/o;metadata/content-md5')).status).toBe(404);
    expect((await alice('HEAD', '/os/a/o')).headers['content-md5']).toBeUndefined();
    const put = (hash: string) => alice('PUT', '/os/a/o;metadata/content-md5', hash, TEXT);
    expect((await put('1B2M2Y8AsgTpgAmY7PhCfg==')).code).toBe('write_once');
    expect((await put(MD5['Content-MD5'])).status).toBe(204);
    expect((await alice('PUT', '/os/a/o;metadata/content-sha256', 'a'.repeat(64), TEXT)).code).toBe('write_once');
  });

  it('emptyOwner: a list of owners may become empty', async () => {
    await open({ emptyOwner: 'allow' });
    expect((await alice('DELETE', '/os/a/o;acl/owner/alice')).status).toBe(204);
    expect((await alice('GET', '/os/a/o;acl/owner')).text).toBe('[]\n');
    expect((await alice('PUT', '/os/a;acl/owner', '[]', JSON_TYPE)).status).toBe(204);
    // a new resource has an owner all the same
    expect((await alice('PUT', '/os/a/p', 'x', { 'X-Initial-Acls': '{"owner": []}' })).code).toBe('would_orphan');
  });

  it('renameVersionsAlias: without it, versions is unknown in a rename', async () => {
    await open({ renameVersionsAlias: false });
    const version = (await alice('HEAD', '/os/a/o')).headers.etag?.replaceAll('"', '');
    const rename = (member: string) =>
      alice(
        'POST',
        '/os/a/n',
        JSON.stringify({ command: 'rename_from', source_name: '/a/o', [member]: [version] }),
        JSON_TYPE,
      );
    expect((await rename('versions')).status).toBe(400);
    expect((await rename('source_versions')).status).toBe(201);
  });

  it('severalRanges: refused ones are refused though they could be made one', async () => {
    await open({ severalRanges: 'refuse' });
    for (const range of ['bytes=0-0,2-2', 'bytes=0-1,1-2', 'bytes=0-,0-'])
      expect((await alice('GET', '/os/a/o', undefined, { Range: range })).status).toBe(501);
    expect((await alice('GET', '/os/a/o', undefined, { Range: 'bytes=0-1,9-' })).text).toBe('he');
  });
});

describe('both profiles', () => {
  it('have the switches that no known client needs as the specification says', () => {
    for (const name of ['standard', 'deriva'] as const)
      expect(wireProfile(name)).toMatchObject({
        unknownAclStatus: 404,
        unescapedSubDelimiters: 'accept',
        checksumDelete: 'refuse',
        emptyOwner: 'refuse',
        renameVersionsAlias: true,
      });
  });
});
