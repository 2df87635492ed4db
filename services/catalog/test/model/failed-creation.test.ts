import { testPostgresUrl } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';

/** Spec/catalog-model.md 3.2: the id stays claimed for those of its owner list. */
describe('a creation whose storage cannot be made', () => {
  let working: CatalogFixture;
  let failing: CatalogFixture;

  beforeAll(async () => {
    working = await startCatalog();
    const nowhere = new URL(testPostgresUrl());
    nowhere.port = '1';
    failing = await startCatalog({
      registryUrl: working.registryUrl,
      environment: { CATALOG_SERVERS: JSON.stringify([{ name: 'test', url: nowhere.href }]) },
    });
  });
  afterAll(async () => {
    await failing.close();
    await working.close();
  });

  it('answers 503 and keeps the id for its owner', async () => {
    const failed = await failing.request('alice', 'POST', '/catalog', { id: 'broken', name: 'first' });
    expect(failed.status).toBe(503);
    expect(failed.headers.get('retry-after')).not.toBeNull();
    expect((await working.request('alice', 'GET', '/catalog/broken')).status).toBe(404);
    expect((await working.request('bob', 'POST', '/catalog', { id: 'broken' })).status).toBe(403);
    const claim = await working.request('alice', 'GET', '/alias/broken');
    expect(claim.json).toEqual({ id: 'broken', owner: ['alice'], alias_target: null });
  });

  it('succeeds when it is tried again', async () => {
    const again = await working.request('alice', 'POST', '/catalog', { id: 'broken', name: 'second' });
    expect(again.status).toBe(201);
    const { json } = await working.request('alice', 'GET', '/catalog/broken');
    expect(json).toMatchObject({ id: 'broken', name: 'second' });
  });

  it('leaves nothing of a refused one', async () => {
    await working.request('alice', 'POST', '/catalog', { id: 'never', owner: ['bob'] });
    expect((await working.request('bob', 'POST', '/catalog', { id: 'never' })).status).toBe(201);
  });
});
