import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CatalogFixture, startCatalog } from '../support/catalog-fixture.js';
import { testSeed } from '../support/test-seed.js';
import { type PastReader, pastReader } from './past-reader.js';
import { randomFrom } from './replay/random-changes.js';
import { tableDocument, writers, writeTogether } from './replay/writers.js';

const seed = testSeed();

/** Whatever runs beside them: readers of a snapshot see all of it and nothing after, and are never sent away. */
describe(`reading a snapshot while rows and model change (TEST_SEED=${seed})`, () => {
  let fixture: CatalogFixture;
  let past: PastReader;

  beforeAll(async () => {
    fixture = await startCatalog();
    past = await pastReader(fixture);
    await past.done('PUT', '/acl', { owner: [...writers], enumerate: ['*'] });
    await past.done('POST', '/schema/U');
    for (const name of ['parent', 'child', 't']) {
      const more = [{ name: 'b', type: 'text' }];
      await past.done('POST', '/schema/S/table', tableDocument(name));
      for (const column of more) await past.done('POST', `/schema/S/table/${name}/column`, column);
      const rows = Array.from({ length: 25 }, (_, index) => ({ id: index + 1, a: index, b: `text ${index}` }));
      await past.done('POST', `/entity/S:${name}`, rows);
    }
  });
  afterAll(() => fixture.close());

  it('gives the same bytes all the time', async () => {
    const snapshot = await past.now();
    const targets = [
      'entity/S:parent@sort(id)',
      'attribute/P:=S:parent/(id)=(S:child:a)/id,x:=P:b@sort(id)',
      'attributegroup/S:t/b;n:=cnt(*)@sort(b)',
      'aggregate/S:t/n:=cnt(*),s:=sum(a)',
    ].map((rest) => `@${snapshot}/${rest}`);
    const first = await Promise.all(
      targets.map(async (target) => (await past.send('GET', `/${target}`.slice(1))).text),
    );
    let working = true;
    let reads = 0;
    const reader = async (): Promise<void> => {
      while (working) {
        for (const [index, target] of targets.entries()) {
          const { status, text } = await past.send('GET', target);
          expect([status, text]).toEqual([200, first[index]]);
          reads += 1;
        }
      }
    };
    const readers = [reader(), reader()];
    const url = await fixture.databaseUrl(past.id);
    await writeTogether(past, randomFrom(seed), 200, url).finally(() => {
      working = false;
    });
    await Promise.all(readers);
    expect(reads).toBeGreaterThan(0);
    const [gone] = await past.sql('select count(*)::int as n from _catalog.snap');
    expect(Number(gone?.n)).toBeGreaterThan(200);
  }, 300_000);
});
