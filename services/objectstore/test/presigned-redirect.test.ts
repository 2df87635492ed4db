import { expect, it } from '@jest/globals';
import { describeOnS3, openTestBucket } from './s3-bucket.js';
import { openTestStore } from './test-store.js';

/** spec/objectstore.md 6.7, off unless a deployment sets the threshold. */
describeOnS3('content above the threshold', () => {
  it('is fetched from the store itself; parts of it, HEAD and smaller content are not', async () => {
    const bucket = await openTestBucket();
    const store = await openTestStore({ s3: bucket, environment: { PRESIGN_THRESHOLD: '5', PRESIGN_SECONDS: '60' } });
    const alice = (method: string, target: string, headers?: Record<string, string>, body?: string) =>
      store.http(method, target, { as: 'alice', headers, body });
    await alice('PUT', '/os/large', { 'Content-Type': 'text/csv' }, 'a,b,c,d');
    await alice('PUT', '/os/small', {}, 'small');
    const redirect = await alice('GET', '/os/large');
    const url = redirect.headers.location ?? '';
    expect([redirect.status, redirect.headers['content-type'], redirect.text]).toEqual([
      303,
      'text/uri-list',
      `${url}\n`,
    ]);
    expect(redirect.headers['cache-control']).toBe('no-store');
    const fetched = await fetch(url);
    expect([
      await fetched.text(),
      fetched.headers.get('content-type'),
      fetched.headers.get('content-disposition'),
    ]).toEqual(['a,b,c,d', 'text/csv', "filename*=UTF-8''large"]);
    expect((await alice('GET', '/os/large', { Range: 'bytes=0-2' })).text).toBe('a,b');
    expect((await alice('HEAD', '/os/large')).status).toBe(200);
    expect((await alice('GET', '/os/small')).text).toBe('small');
    expect((await store.http('GET', '/os/large')).status).toBe(401);
    await store.close();
    await bucket.close();
  });
});
