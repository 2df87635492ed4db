import { testPostgresUrl } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CatalogFixture, onServer, startCatalog } from '../support/catalog-fixture.js';

/** The advertisement is the health check (spec/catalog-model.md 2). */
describe.each(['standard', 'deriva'] as const)('the advertisement, profile %s', (profile) => {
  let fixture: CatalogFixture;

  beforeAll(async () => {
    fixture = await startCatalog({ profile });
  });
  afterAll(() => fixture.close());

  const advertisements = async () => {
    const answers = await Promise.all(['', '/'].map((path) => fixture.request('anon', 'GET', path)));
    return answers.map(({ status }) => status);
  };

  it('answers 503 while the database of the registry is away, and 200 when it is back', async () => {
    expect(await advertisements()).toEqual([200, 200]);
    const name = new URL(fixture.registryUrl).pathname.slice(1);
    await onServer(testPostgresUrl(), `alter database "${name}" with allow_connections false`);
    await onServer(testPostgresUrl(), 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      name,
    ]);
    try {
      for (let count = 0; count < 3; count += 1) {
        const away = await fixture.request('anon', 'GET', '/');
        expect([away.status, away.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
        if (profile === 'standard') expect(away.json).toMatchObject({ code: 'unavailable' });
      }
      expect(await advertisements()).toEqual([503, 503]);
    } finally {
      await onServer(testPostgresUrl(), `alter database "${name}" with allow_connections true`);
    }
    expect(await advertisements()).toEqual([200, 200]);
    expect((await fixture.request('anon', 'GET', '/')).json).toMatchObject({
      version: expect.any(String),
      features: { trs: true },
    });
  });
});
