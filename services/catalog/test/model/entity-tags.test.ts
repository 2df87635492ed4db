import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';

const json = { 'content-type': 'application/json' };

/** Entity tags of catalogs and aliases (spec/catalog-model.md 1.6). */
describe.each(['standard', 'deriva'] as const)('entity tags, profile %s', (profile) => {
  let fixture: CatalogFixture;

  beforeAll(async () => {
    fixture = await startCatalog({ profile });
    await fixture.createCatalog({ id: 'one' });
    await fixture.request('alice', 'POST', '/alias', { id: 'other', alias_target: 'one' });
  });
  afterAll(() => fixture.close());

  const tagOf = async (path: string): Promise<string> => {
    const { status, headers } = await fixture.request('alice', 'GET', path);
    const tag = headers.get('etag') ?? '';
    expect([status, tag, headers.get('vary')]).toEqual([200, expect.stringMatching(/^"/), 'Authorization, Cookie']);
    return tag;
  };

  it.each([
    ['catalog', { id: 'made', name: 'A name', description: 'words' }],
    ['catalog', { name: 'its id is a number' }],
    ['catalog', { id: 'cloned', clone_source: 'one' }],
    ['alias', { id: 'loose' }],
    ['alias', { id: 'bound', alias_target: 'one', owner: ['alice', 'bob'] }],
  ])('the creation of a %s %j answers with the tag that a GET of it gives', async (word, document) => {
    const { status, headers, json: made } = await fixture.request('alice', 'POST', `/${word}`, document);
    expect([status, headers.get('vary')]).toEqual([201, 'Authorization, Cookie, Accept']);
    const { id } = made as { readonly id: string };
    expect(headers.get('etag')).toBe(await tagOf(`/${word}/${id}`));
    const same = await fixture.request('alice', 'GET', `/${word}/${id}`, undefined, {
      'if-none-match': headers.get('etag') ?? '',
    });
    expect(same.status).toBe(304);
  });

  it('the description of a catalog has another one when what the registry says of it is another', async () => {
    const snapshot = await fixture.request('alice', 'GET', '/catalog/one');
    const paths = ['/catalog/one', '/catalog/other', `/catalog/one@${String((snapshot.json as Described).snaptime)}`];
    for (const change of [{ name: 'Lemurs' }, { description: 'and apes' }, { name: null }, { clone_source: 'other' }]) {
      const before = await Promise.all(paths.map(tagOf));
      const target = `/catalog/0/attributegroup/registry/id;${Object.keys(change).join()}`;
      const edited = await fixture.request('alice', 'PUT', target, [{ id: 'one', ...change }], json);
      expect(edited.status).toBe(200);
      for (const [index, path] of paths.entries()) {
        const tag = before[index] ?? '';
        const read = await fixture.request('alice', 'GET', path, undefined, { 'if-none-match': tag });
        expect(read.status).toBe(200);
        expect(read.headers.get('etag')).not.toBe(tag);
      }
      const deletion = await fixture.request('alice', 'DELETE', '/catalog/one', undefined, {
        'if-match': before[0] ?? '',
      });
      expect(deletion.status).toBe(412);
    }
  });

  it('an alias that is called otherwise has a description with another one', async () => {
    const before = await tagOf('/catalog/other');
    expect((await fixture.request('alice', 'PUT', '/alias/other', { name: 'My own' })).status).toBe(200);
    expect((await fixture.request('alice', 'GET', '/catalog/other')).json).toMatchObject({ name: 'My own' });
    expect(await tagOf('/catalog/other')).not.toBe(before);
  });

  it('a catalog is deleted with the tag of its description', async () => {
    const path = await fixture.createCatalog({ name: 'short-lived' });
    const tag = await tagOf(path);
    expect((await fixture.request('alice', 'DELETE', path, undefined, { 'if-match': tag })).status).toBe(204);
  });
});

interface Described {
  readonly snaptime: unknown;
}
