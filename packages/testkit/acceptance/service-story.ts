import { describe, expect, it } from '@jest/globals';
import { at, items } from './documents.js';
import { expectError } from './expect-error.js';
import type { Story } from './story.js';

/** Who is there, and who is asking. */
export function describeServices(story: () => Story): void {
  describe('the services', () => {
    it('advertise the catalog to anybody, in bare JSON', async () => {
      const { client, wire } = story().server;
      const answer = await client.call('GET', `${wire.catalog}/`, { as: null });
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toBe('application/json');
      expect(answer.json()).toMatchObject({
        version: expect.any(String),
        features: { catalog_post_input: true, implicit_fkey_index: true },
      });
    });

    it('answer under every prefix of the profile and under no other', async () => {
      const { client, wire } = story().server;
      for (const prefix of wire.otherCatalogPrefixes) {
        expect((await client.call('GET', `${prefix}/`, { as: null })).status).toBe(200);
      }
      expect((await client.call('GET', '/nothing-here', { as: null })).status).toBe(404);
      if (wire.otherCatalogPrefixes.length === 0) {
        expect((await client.call('GET', '/ermrest/', { as: null })).status).toBe(404);
      }
    });

    it('take a request id and send it back, or make one', async () => {
      const { client, wire } = story().server;
      const given = await client.call('GET', `${wire.catalog}/`, { headers: { 'x-request-id': 'acceptance-1' } });
      expect(given.headers['x-request-id']).toBe('acceptance-1');
      const first = await client.call('GET', `${wire.objects}/`);
      const second = await client.call('GET', `${wire.objects}/`);
      expect(first.headers['x-request-id']).toMatch(/^\S{8,}$/);
      expect(first.headers['x-request-id']).not.toBe(second.headers['x-request-id']);
    });

    it('accept a client context header of any kind', async () => {
      const { client, wire } = story().server;
      const context = encodeURIComponent(JSON.stringify({ pid: 'p', wid: 'w', filler: 'x'.repeat(6_000) }));
      const answer = await client.call('GET', `${wire.catalog}/`, { headers: { 'deriva-client-context': context } });
      expect(answer.status).toBe(200);
    });
  });

  describe('the session', () => {
    it('shows who a token stands for', async () => {
      const answer = await story().server.client.call('GET', '/authn/session');
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toBe('application/json');
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(at(answer.json(), 'client')).toMatchObject({
        id: 'alice',
        display_name: expect.any(String),
        identities: expect.any(Array),
      });
      const ids = items(at(answer.json(), 'attributes')).map((attribute) => at(attribute, 'id'));
      expect(ids).toEqual(expect.arrayContaining(['alice', 'g1']));
      expect(answer.text).not.toContain('alice-token');
    });

    it('takes the token as the value of the cookie of the profile', async () => {
      const { client, wire } = story().server;
      const cookie = `${wire.cookie}=bob-token`;
      const answer = await client.call('GET', '/authn/session', { as: null, headers: { cookie } });
      expect(at(answer.json(), 'client', 'id')).toBe('bob');
    });

    it('has nobody without a credential, and refuses a token it does not know', async () => {
      const { client } = story().server;
      expect((await client.call('GET', '/authn/session', { as: null })).status).toBe(404);
      const headers = { authorization: 'Bearer no-such-token' };
      const refused = await client.call('GET', '/authn/session', { as: null, headers });
      expect(refused.status).toBe(401);
      expect(refused.headers['www-authenticate']).toMatch(/^Bearer/);
    });
  });

  describe('an error', () => {
    it('has the form of the profile unless the client asks for another', async () => {
      const { client, wire } = story().server;
      const path = `${wire.catalog}/catalog/no-such-catalog`;
      expectError(await client.call('GET', path), wire, 404);
      expectError(await client.call('GET', path, { headers: { accept: '*/*' } }), wire, 404);
      const json = await client.call('GET', path, { headers: { accept: 'application/json' } });
      expect(json.headers['content-type']).toBe('application/json');
      expect(json.json()).toMatchObject({ status: 404, title: wire.titles[404], code: expect.any(String) });
      const plain = await client.call('GET', path, { headers: { accept: 'text/plain' } });
      expect(plain.headers['content-type']).toMatch(/^text\/plain/);
      expect(plain.text).toMatch(/^[^{].*\n$/s);
    });
  });
}
