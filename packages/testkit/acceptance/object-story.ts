import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { expectError } from './expect-error.js';
import type { Story } from './story.js';

/** Ten bytes that are no text. */
export const picture = Buffer.from('89504e470d0a1a0a0001', 'hex');
const hash = (name: string, form: 'hex' | 'base64'): string => createHash(name).update(picture).digest(form);

/** Files go into the object store, and what it says about them into the catalog. */
export function describeObjects(story: () => Story): void {
  describe('a namespace', () => {
    it('is created with its parents, once, by the media types of the profile', async () => {
      const { server, catalogId } = story();
      const { client, wire } = server;
      const parent = `${wire.objects}/acceptance/${catalogId}-${Date.now().toString(36)}`;
      const path = `${parent}/pictures%20of%20pools`;
      const headers = { 'content-type': wire.namespaceTypes.at(-1) ?? '' };
      expectError(await client.call('PUT', path, { headers }), wire, 404);
      expectError(await client.call('PUT', `${path}?parents=true`, { headers, as: null }), wire, 401);
      const created = await client.call('PUT', `${path}?parents=true`, { headers });
      expect(created.status).toBe(201);
      expect(created.headers).toMatchObject({ location: path, 'content-type': 'text/uri-list' });
      expect(created.text).toBe(`${path}\n`);
      expect((await client.call('PUT', path, { headers })).status).toBe(409);
      const neutral = { 'content-type': wire.namespaceTypes[0] ?? '' };
      expect((await client.call('PUT', `${parent}/another`, { headers: neutral })).status).toBe(201);
      const listed = await client.call('GET', parent);
      expect(listed.headers['content-type']).toBe('application/json');
      expect(listed.json()).toEqual([`${parent}/another`, path]);
      story().namespace = path;
    });
  });

  describe('an object', () => {
    it('is stored as a version of its own, checked against the hash that comes with it', async () => {
      const { server, namespace } = story();
      const { client, wire } = server;
      const path = `${namespace}/pool.png`;
      const headers = {
        'content-type': 'image/png',
        'content-md5': hash('md5', 'base64'),
        'content-disposition': "filename*=UTF-8''pool.png",
      };
      expectError(await client.call('PUT', path, { body: picture, headers, as: null }), wire, 401);
      expectError(await client.call('PUT', path, { body: picture, headers, as: 'carol' }), wire, 403);
      const wrong = { ...headers, 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==' };
      expect((await client.call('PUT', path, { body: picture, headers: wrong })).status).toBe(400);
      expect((await client.call('GET', path)).status).toBe(404);
      const stored = await client.call('PUT', path, { body: picture, headers });
      expect(stored.status).toBe(201);
      const { location = '', etag = '' } = stored.headers;
      expect(location).toMatch(/^.+\/pool\.png:[A-Z2-7]{26}$/);
      expect(location.startsWith(path)).toBe(true);
      expect(etag).toBe(`"${location.split(':').at(-1)}"`);
      expect(stored.text).toBe(`${location}\n`);
      story().picture = location;
    });

    it('is read with its hashes, whole and in parts', async () => {
      const { server, namespace, picture: version } = story();
      const { client, wire } = server;
      const path = `${namespace}/pool.png`;
      for (const method of ['GET', 'HEAD'] as const) {
        const read = await client.call(method, path);
        expect(read.status).toBe(200);
        expect(read.headers).toMatchObject({
          'content-type': 'image/png',
          'content-length': '10',
          'content-md5': hash('md5', 'base64'),
          'content-sha256': hash('sha256', 'base64'),
          'content-location': version,
          'content-disposition': "filename*=UTF-8''pool.png",
          'accept-ranges': 'bytes',
        });
        expect(read.bytes.equals(method === 'GET' ? picture : Buffer.alloc(0))).toBe(true);
      }
      const part = await client.call('GET', version, { headers: { range: 'bytes=1-3' } });
      expect([part.status, part.headers['content-range'], part.text]).toEqual([206, 'bytes 1-3/10', 'PNG']);
      const parts = await client.call('GET', version, { headers: { range: 'bytes=0-0,5-6' } });
      expect(parts.status).toBe(wire.severalRanges);
      const beyond = await client.call('GET', version, { headers: { range: 'bytes=10-' } });
      expect([beyond.status, beyond.headers['content-range']]).toEqual([416, 'bytes */10']);
    });

    it('answers conditions by its entity tag', async () => {
      const { server, picture: version, namespace } = story();
      const { client, wire } = server;
      const { etag = '' } = (await client.call('HEAD', version)).headers;
      const get = (headers: Readonly<Record<string, string>>) => client.call('GET', version, { headers });
      expect((await get({ 'if-none-match': etag })).status).toBe(304);
      expect((await get({ 'if-match': '"other"' })).status).toBe(wire.failedIfMatchOnRead);
      const headers = { 'if-none-match': '*', 'content-type': 'image/png' };
      expect((await client.call('PUT', `${namespace}/pool.png`, { body: picture, headers })).status).toBe(412);
    });

    it('tells its metadata', async () => {
      const { server, picture: version } = story();
      const { client, wire } = server;
      const all = await client.call('GET', `${version};metadata`);
      expect(all.json()).toMatchObject({ 'content-type': 'image/png', 'content-md5': hash('md5', 'base64') });
      const one = await client.call('GET', `${version};metadata/content-md5`);
      expect(one.text).toBe(`${hash('md5', 'base64')}${wire.metadataValueEnd}`);
    });

    it('is shown to others when its owner says so', async () => {
      const { server, picture: version } = story();
      const { client, wire } = server;
      expectError(await client.call('GET', version, { as: 'carol' }), wire, 403);
      expectError(await client.call('GET', version, { as: null }), wire, 401);
      expect((await client.call('PUT', `${version};acl/read`, { json: ['carol'] })).status).toBe(204);
      expect((await client.call('GET', version, { as: 'carol' })).bytes.equals(picture)).toBe(true);
      expectError(await client.call('GET', version, { as: 'bob' }), wire, 403);
    });

    it('is recorded in the catalog', async () => {
      const { server, catalog, picture: version } = story();
      const row = {
        filename: 'pool.png',
        url: version,
        length: picture.byteLength,
        md5: hash('md5', 'hex'),
        sha256: hash('sha256', 'hex'),
      };
      const recorded = await server.client.call('POST', `${catalog}/entity/shore:picture`, { json: [row] });
      expect(recorded.status).toBe(200);
      expect(recorded.headers['content-type']).toBe('application/json');
      expect(recorded.json()).toMatchObject([row]);
    });
  });
}
