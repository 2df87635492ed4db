import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';
import { expectPart } from '../support/expect-part.js';
import { bulk, configuration, type Example, model, references, service } from './examples.js';

/** Each example a test of its own, in the order of its story: what fails first shows where it went wrong. */
describe.each(['standard', 'deriva'] as const)('worked examples of spec/catalog-model.md 26, profile %s', (profile) => {
  let fixture: CatalogFixture;
  let snapshot = '';

  beforeAll(async () => {
    fixture = await startCatalog({ profile });
    await fixture.createCatalog({ id: '42', name: 'A name' });
  });
  afterAll(() => fixture.close());

  async function check(example: Example): Promise<void> {
    const path = example.path
      .replace('{S}', '{C}/schema/S')
      .replace('{T}', '{C}/schema/S/table/t')
      .replace('{C}', '/catalog/42')
      .replace('{now}', snapshot);
    const answer = await fixture.request(example.as, example.method, path, example.body, example.headers);
    const status = typeof example.status === 'number' ? example.status : example.status[profile];
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status });
    if (example.json !== undefined) expectPart(answer.json, ofProfile(example.json));
    if (example.text !== undefined) expect(answer.text).toBe(example.text);
    for (const member of example.without ?? []) expect(answer.json).not.toHaveProperty(member);
    if (status >= 400) {
      const type = profile === 'standard' ? 'application/json' : 'text/plain';
      expect(answer.headers.get('content-type')).toBe(type);
    }
  }

  function ofProfile(json: unknown): object {
    const isPair = typeof json === 'object' && json !== null && 'standard' in json && 'deriva' in json;
    const chosen: unknown = isPair ? json[profile] : json;
    if (typeof chosen !== 'object' || chosen === null) throw new Error('an example expects an object or an array');
    return chosen;
  }

  describe('catalogs and aliases', () => {
    it.each(service)('$name: $as $method $path', check);
  });

  describe('the model', () => {
    beforeAll(async () => {
      await fixture.request('alice', 'PUT', '/catalog/42/acl', { owner: ['alice'], select: ['*'], enumerate: ['*'] });
    });
    const filled = model.findIndex(({ name }) => name === '46');
    it.each(model.slice(0, filled))('$name: $as $method $path', check);
    it('a row is added with SQL', async () => {
      await fixture.query('42', 'insert into "S".t (id) values (1)');
      const [row] = await fixture.query('42', 'select "RID", "RCT" = "RMT" as together, "RCB" from "S".t');
      expect(row).toEqual({ RID: expect.any(String), together: true, RCB: null });
    });
    it.each(model.slice(filled, filled + 1))('$name: $as $method $path', check);
    it('46: existing rows now have 5', async () => {
      expect(await fixture.query('42', 'select id, n from "S".t')).toEqual([{ id: '1', n: 5 }]);
      const read = await fixture.request('alice', 'GET', '/catalog/42/entity/S:t');
      expect([read.status, read.json]).toEqual([200, [expect.objectContaining({ id: 1, n: 5 })]]);
    });
    it.each(model.slice(filled + 1))('$name: $as $method $path', check);
    it('a row is added to what will be referred to', async () => {
      await fixture.query('42', 'insert into "S".u (id) values (5)');
    });
    it.each(references)('$name: $as $method $path', check);
    it.each(bulk)('$name: $as $method $path', check);
    it('the present snapshot has an id', async () => {
      const { json } = await fixture.request('alice', 'GET', '/catalog/42');
      snapshot = (json as { snaptime: string }).snaptime;
      expect(snapshot).toMatch(/^[0-9A-Z]{3}-[0-9A-Z]{4}-[0-9A-Z]{4}$/);
    });
    it.each(configuration)('$name: $as $method $path', check);
  });

  it('70, 71: preconditions of the whole model', async () => {
    const { headers, text } = await fixture.request('alice', 'GET', '/catalog/42/schema');
    const etag = headers.get('etag') ?? '';
    const same = await fixture.request('alice', 'GET', '/catalog/42/schema', undefined, { 'if-none-match': etag });
    expect([same.status, same.text]).toEqual([304, '']);
    const stale = await fixture.request('alice', 'POST', '/catalog/42/schema/Z', undefined, { 'if-match': '"x"' });
    expect(stale.status).toBe(412);
    expect((await fixture.request('alice', 'GET', '/catalog/42/schema')).text).toBe(text);
    const read = await fixture.request('alice', 'GET', '/catalog/42/schema', undefined, { 'if-match': '"x"' });
    expect(read.status).toBe(profile === 'standard' ? 412 : 304);
    // a tag of one model resource is good for every other
    const made = await fixture.request('alice', 'POST', '/catalog/42/schema/Z', undefined, { 'if-match': etag });
    expect(made.status).toBe(201);
    const after = await fixture.request('alice', 'GET', '/catalog/42/schema');
    expect(after.headers.get('etag')).toBe(made.headers.get('etag'));
    expect(after.headers.get('etag')).not.toBe(etag);
    const bob = await fixture.request('bob', 'GET', '/catalog/42/schema');
    expect(bob.headers.get('etag')).not.toBe(after.headers.get('etag'));
  });

  it('refuses wrong methods with the ones there are', async () => {
    const { status, headers } = await fixture.request('alice', 'POST', '/catalog/42/schema/S/table/t', {});
    expect([status, headers.get('allow')]).toEqual([405, 'GET, PUT, DELETE, HEAD, OPTIONS']);
  });

  it('answers below each of its prefixes, and says so in Location', async () => {
    const [, prefix] = profile === 'deriva' ? ['/ermrest', '/data'] : ['', '/data'];
    const answer = await fixture.request('alice', 'POST', `${new URL(fixture.url).origin}${prefix}/catalog`);
    expect(answer.headers.get('location')).toMatch(new RegExp(`^${prefix}/catalog/\\d+$`));
  });
});
