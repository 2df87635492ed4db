import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestStore, type TestStore } from './test-store.js';

const NS = { 'Content-Type': 'application/x-objstore-namespace' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

describe('bulk listings', () => {
  let store: TestStore;
  let second: string;
  beforeAll(async () => {
    store = await openTestStore();
    await alice('PUT', '/os/b', undefined, NS);
    await alice('PUT', '/os/b/sub/deep?parents=true', undefined, NS);
    await alice('PUT', '/os/b/o', 'one', { 'Content-Type': 'text/plain' });
    second = (await alice('PUT', '/os/b/o', 'second')).headers.etag?.slice(1, -1) ?? '';
    await alice('PUT', '/os/b/sub/deep/x%2Fy', 'x');
    await alice('PUT', '/os/b/gone', 'x');
    await alice('DELETE', '/os/b/gone');
    // sorts between /b/sub and /b/sub/…, and is outside the tree /b
    await alice('PUT', '/os/b/sub-b', 'x');
    await alice('PUT', '/os/b0', 'x');
    await alice('POST', '/os/b/sub/renamed', '{"command":"rename_from","source_name":"/b/sub-b"}', JSON_TYPE);
  });
  afterAll(() => store.close());
  const alice = (method: string, target: string, body?: string, headers?: Record<string, string>) =>
    store.http(method, target, { as: 'alice', body, headers });
  const lines = async (target: string, as = 'alice') => {
    const answer = await store.http('GET', target, { as });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/x-ndjson']);
    return answer.text
      .split('\n')
      .slice(0, -1)
      .map((line): Record<string, unknown> => JSON.parse(line));
  };
  const names = async (target: string, as?: string) => (await lines(target, as)).map(({ name }) => name);

  it('show children, or everything beneath, in the order of paths', async () => {
    expect(await names('/os/b;bulk/names')).toEqual(['/os/b/o', '/os/b/sub', '/os/b/sub-b']);
    expect(await names('/os/b;bulk/names?recursive=true')).toEqual([
      '/os/b/o',
      '/os/b/sub',
      '/os/b/sub-b',
      '/os/b/sub/deep',
      '/os/b/sub/deep/x%2Fy',
      '/os/b/sub/renamed',
    ]);
    expect(await names('/os/b;bulk/names?recursive=true&kind=namespace')).toEqual(['/os/b/sub', '/os/b/sub/deep']);
    expect((await lines('/os/b;bulk/names'))[0]).toEqual({
      name: '/os/b/o',
      kind: 'object',
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      current: second,
    });
    expect((await names('/os;bulk/names?recursive=true')).length).toBe(8);
  });

  it('show versions with what they are', async () => {
    const all = await lines('/os/b;bulk/versions?recursive=true');
    expect(all.map(({ name, bytes, current }) => [name, bytes, current])).toEqual([
      ['/os/b/o', 6, true],
      ['/os/b/o', 3, false],
      ['/os/b/sub-b', 1, true],
      ['/os/b/sub/deep/x%2Fy', 1, true],
      ['/os/b/sub/renamed', 1, true],
    ]);
    expect(all[1]).toMatchObject({ 'content-type': 'text/plain', 'content-md5': expect.stringMatching(/==$/) });
    expect([all[2]?.forward_to, all[4]?.forward_to]).toEqual([`/os/b/sub/renamed:${all[2]?.version}`, null]);
  });

  it.each(['/os/b;bulk/names?recursive=true', '/os/b;bulk/versions?recursive=true', '/os/b;bulk/names'])(
    'go on page by page: %s',
    async (target) => {
      const whole = await lines(target);
      const paged: Record<string, unknown>[] = [];
      let next: string | undefined = `${target}${target.includes('?') ? '&' : '?'}limit=1`;
      while (next !== undefined) {
        const answer = await alice('GET', next);
        expect(answer.status).toBe(200);
        paged.push(JSON.parse(answer.text));
        next = /^<(.*)>; rel="next"$/.exec(String(answer.headers.link ?? ''))?.[1];
      }
      expect(paged).toEqual(whole);
    },
  );

  it('show nothing below a namespace that the client may not list, nor versions it may not', async () => {
    await alice('PUT', '/os/b;acl/read', '["bob"]', JSON_TYPE);
    await alice('PUT', '/os/b/sub/deep;acl/read', '["bob"]', JSON_TYPE);
    expect(await names('/os/b;bulk/names?recursive=true', 'bob')).toEqual(['/os/b/o', '/os/b/sub', '/os/b/sub-b']);
    expect(await names('/os/b;bulk/versions?recursive=true', 'bob')).toEqual([]);
    await alice('PUT', '/os/b/o;acl/read', '["bob"]', JSON_TYPE);
    expect(await names('/os/b;bulk/versions?recursive=true', 'bob')).toEqual(['/os/b/o', '/os/b/o']);
    expect((await store.http('GET', '/os/b/sub;bulk/names', { as: 'bob' })).status).toBe(403);
    expect((await store.http('GET', '/os/b;bulk/names')).status).toBe(401);
  });

  it('refuse what they do not know', async () => {
    for (const query of ['limit=0', 'limit=10001', 'limit=x', 'recursive=yes', 'kind=link', 'after=b'])
      expect([query, (await alice('GET', `/os/b;bulk/names?${query}`)).status]).toEqual([query, 400]);
    expect((await alice('GET', '/os/b;bulk/versions?after=/os/b/o,NONE')).status).toBe(400);
    for (const target of ['/os/b/o;bulk/names', '/os/b;bulk/others', '/os/b;bulk', '/os/none;bulk/names'])
      expect([target, (await alice('GET', target)).status]).toEqual([target, 404]);
    expect((await alice('PUT', '/os/b;bulk/names')).status).toBe(405);
    const head = await alice('HEAD', '/os/b;bulk/names?limit=1');
    expect([head.status, head.text, head.headers.link]).toEqual([200, '', expect.stringContaining('limit=1')]);
  });
});
