import type { WireProfileName } from '@holdfast/http-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestStore, type TestStore } from './test-store.js';

const NS = { 'Content-Type': 'application/x-objstore-namespace' };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const TEXT = { 'Content-Type': 'text/plain' };

/** Everything that can be read beside content, with what is common to it (spec/objectstore.md 3.2 to 3.5). */
const TAGGED = [
  { target: '/os', type: 'application/json', varies: true },
  { target: '/os/a', type: 'application/json', varies: true },
  { target: '/os/a/o;versions', type: 'application/json', varies: true },
  { target: '/os;acl', type: 'application/json', varies: false },
  { target: '/os/a;acl', type: 'application/json', varies: false },
  { target: '/os/a/o;acl/owner', type: 'application/json', varies: false },
  { target: '/os/a/o:{V};acl/owner/alice', type: 'text/plain', varies: false },
  { target: '/os/a/o:{V};metadata', type: 'application/json', varies: false },
  { target: '/os/a/o;metadata/content-type', type: 'text/plain', varies: false },
] as const;
const UNTAGGED = [
  { target: '/os/a/o;upload', type: 'application/json', varies: true },
  { target: '/os/a/o;upload/{J}', type: 'application/json', varies: false },
  { target: '/os/a;bulk/names', type: 'application/x-ndjson', varies: false },
  { target: '/os/a;bulk/versions', type: 'application/x-ndjson', varies: false },
] as const;

describe.each(['standard', 'deriva'] as const)('what can be read in the %s profile', (profile: WireProfileName) => {
  let store: TestStore;
  let fill: (target: string) => string;
  beforeAll(async () => {
    store = await openTestStore({ profile });
    await alice('PUT', '/os/a', undefined, NS);
    const made = await alice('PUT', '/os/a/o', 'hello', TEXT);
    const job = await alice('POST', '/os/a/o;upload', '{"chunk-length":1,"content-length":1}', JSON_TYPE);
    fill = (target) =>
      target
        .replace('{V}', (made.headers.location ?? '').split(':')[1] ?? '')
        .replace('{J}', (job.headers.location ?? '').split(';upload/')[1] ?? '');
  });
  afterAll(() => store.close());
  const alice = (method: string, target: string, body?: string, headers?: Record<string, string>) =>
    store.http(method, target, { as: 'alice', body, headers });

  it.each(TAGGED)('has a tag that conditions are judged by: $target', async ({ target }) => {
    const { etag = '' } = (await alice('GET', fill(target))).headers;
    expect(etag).toMatch(/^"[A-Za-z0-9_-]{22}"$/);
    const outcome = async (headers: Record<string, string>) => {
      const [get, head] = [
        await alice('GET', fill(target), undefined, headers),
        await alice('HEAD', fill(target), undefined, headers),
      ];
      expect([head.status, head.headers.etag, head.headers.vary]).toEqual([
        get.status,
        get.headers.etag,
        get.headers.vary,
      ]);
      expect([get.headers.etag, get.headers.vary === undefined]).toEqual([etag, false]);
      if (get.status === 304) expect(get.text).toBe('');
      return get.status;
    };
    const failed = profile === 'standard' ? 412 : 304;
    expect(await outcome({ 'If-None-Match': etag })).toBe(304);
    expect(await outcome({ 'If-None-Match': `"other", W/${etag}` })).toBe(304);
    expect(await outcome({ 'If-None-Match': '*' })).toBe(304);
    expect(await outcome({ 'If-None-Match': '"other"' })).toBe(200);
    expect(await outcome({ 'If-Match': '"other"' })).toBe(failed);
    expect(await outcome({ 'If-Match': '"other"', 'If-None-Match': etag })).toBe(failed);
    expect(await outcome({ 'If-Match': etag })).toBe(200);
    expect(await outcome({ 'If-Match': '*' })).toBe(200);
    expect(await outcome({ 'If-Match': 'no tag', 'If-None-Match': 'no tag' })).toBe(200);
  });

  it.each(UNTAGGED)('has no tag, and conditions mean nothing: $target', async ({ target }) => {
    const answer = await alice('GET', fill(target), undefined, { 'If-Match': '"other"', 'If-None-Match': '*' });
    expect([answer.status, answer.headers.etag]).toEqual([200, undefined]);
  });

  it.each([...TAGGED, ...UNTAGGED])('has its bare type, and HEAD is GET without the body: $target', async (one) => {
    const get = await alice('GET', fill(one.target), undefined, { 'X-Request-Id': 'same' });
    const head = await alice('HEAD', fill(one.target), undefined, { 'X-Request-Id': 'same' });
    expect(get.headers['content-type']).toBe(one.type);
    expect(get.headers.vary).toBe(one.varies ? 'Accept, Authorization, Cookie' : 'Authorization, Cookie');
    expect(get.headers['x-content-type-options']).toBe('nosniff');
    expect(Number(get.headers['content-length'])).toBe(get.bytes.byteLength);
    expect([head.text, { ...head.headers, date: '' }]).toEqual(['', { ...get.headers, date: '' }]);
  });

  it.each([...TAGGED, ...UNTAGGED])('has no ranges: $target', async ({ target }) => {
    expect((await alice('GET', fill(target), undefined, { Range: 'bytes=0-0' })).status).toBe(501);
    expect((await alice('HEAD', fill(target), undefined, { Range: 'bytes=0-0' })).status).toBe(200);
  });

  it.each([...TAGGED, ...UNTAGGED].filter(({ varies }) => varies))('is a list in three forms: $target', async (one) => {
    const typeFor = async (accept: string) =>
      (await alice('GET', fill(one.target), undefined, { Accept: accept })).headers['content-type'];
    expect(await typeFor('text/uri-list;q=0.5, application/json;q=0.4')).toBe('text/uri-list');
    expect(await typeFor('text/html, application/json;q=0.9')).toBe('text/html');
    expect(await typeFor('text/*')).toBe('text/uri-list');
    expect(await typeFor('application/json;q=0, */*')).toBe('text/uri-list');
    // nothing fits: the default, never 406
    expect(await typeFor('image/png')).toBe('application/json');
    expect(await typeFor('application/json;q=0')).toBe('application/json');
    const [json, list, page] = [
      await alice('GET', fill(one.target)),
      await alice('GET', fill(one.target), undefined, { Accept: 'text/uri-list' }),
      await alice('GET', fill(one.target), undefined, { Accept: 'text/html' }),
    ];
    const paths: readonly string[] = JSON.parse(json.text);
    expect(list.text).toBe(paths.map((path) => `${path}\n`).join(''));
    for (const path of paths) expect(page.text).toContain(`<a href="${path}">`);
    expect([list.headers.etag, page.headers.etag]).toEqual([json.headers.etag, json.headers.etag]);
  });

  it('has a tag of lists that does not depend on the order of roles', async () => {
    const tag = async (list: string) => {
      await alice('PUT', '/os/a;acl/read', list, JSON_TYPE);
      return [
        (await alice('GET', '/os/a;acl/read')).headers.etag,
        (await alice('GET', '/os/a;acl')).headers.etag,
        (await alice('GET', '/os/a;acl/read/x')).headers.etag,
      ];
    };
    const first = await tag('["x", "y"]');
    expect(await tag('["y", "x"]')).toEqual(first);
    expect((await tag('["x"]')).filter((other, index) => other === first[index])).toEqual([]);
  });
});

describe('changes of lists', () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openTestStore();
    await store.http('PUT', '/os/a', { as: 'alice', headers: NS });
  });
  afterAll(() => store.close());
  const alice = (method: string, target: string, body?: string, headers?: Record<string, string>) =>
    store.http(method, target, { as: 'alice', body, headers });

  it('are conditional: the state of an entry is that of its list, while it is in it', async () => {
    await alice('PUT', '/os/a;acl/read', '["x"]', JSON_TYPE);
    const { etag = '' } = (await alice('GET', '/os/a;acl/read')).headers;
    const statusOf = async (method: string, entry: string, headers: Record<string, string>) =>
      (await alice(method, `/os/a;acl/read${entry}`, undefined, headers)).status;
    expect(await statusOf('PUT', '/y', { 'If-Match': etag })).toBe(412);
    expect(await statusOf('PUT', '/x', { 'If-None-Match': '*' })).toBe(412);
    expect(await statusOf('PUT', '/x', { 'If-Match': etag })).toBe(204);
    expect(await statusOf('PUT', '/y', { 'If-None-Match': '*' })).toBe(204);
    // the list has another tag now
    expect(await statusOf('DELETE', '/x', { 'If-Match': etag })).toBe(412);
    expect(await statusOf('DELETE', '', { 'If-Match': etag })).toBe(412);
    expect(await statusOf('DELETE', '', { 'If-None-Match': '*' })).toBe(412);
    expect(await statusOf('DELETE', '/none', { 'If-Match': '*' })).toBe(412);
    expect(await statusOf('DELETE', '/none', {})).toBe(404);
    expect((await alice('GET', '/os/a;acl/read')).text).toBe('["x","y"]\n');
    expect(await statusOf('DELETE', '', { 'If-Match': '*' })).toBe(204);
    expect(await statusOf('DELETE', '', {})).toBe(204);
  });

  it.each([
    '"x"',
    '{}',
    '[1]',
    '[""]',
    '[null]',
    '["\\u0000"]',
    '["\\ud800"]',
    '',
    `["${'x'.repeat(1025)}"]`,
    `[${'"x",'.repeat(1000)}"y"]`,
  ])('refuse what is no list: %#', async (body) => {
    expect((await alice('PUT', '/os/a;acl/create', body, JSON_TYPE)).status).toBe(400);
    expect((await alice('GET', '/os/a;acl/create')).text).toBe('[]\n');
  });

  it('keep each role once, where it came first, and refuse an entry too long or one too many', async () => {
    expect((await alice('PUT', '/os/a;acl/read', '["b", "a", "b"]', JSON_TYPE)).status).toBe(204);
    expect((await alice('GET', '/os/a;acl/read')).text).toBe('["b","a"]\n');
    expect((await alice('PUT', `/os/a;acl/read/${'x'.repeat(1025)}`)).status).toBe(400);
    const full = JSON.stringify(Array.from({ length: 1000 }, (_, index) => `role ${index}`));
    expect((await alice('PUT', '/os/a;acl/read', full, JSON_TYPE)).status).toBe(204);
    expect((await alice('PUT', '/os/a;acl/read/more')).status).toBe(400);
    expect((await alice('PUT', '/os/a;acl/read/role%207')).status).toBe(204);
  });
});
