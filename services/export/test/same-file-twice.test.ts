import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Harness, startHarness } from './support/harness.js';
import { readZip } from './support/read-zip.js';

const bag = { bag_name: 'b', bag_archiver: 'zip' };

describe('the same path twice (spec/export.md 6.2)', () => {
  let service: Harness;
  beforeAll(async () => {
    service = await startHarness();
  });
  afterAll(() => service.close());

  function queries(processor: string, ...paths: readonly string[]): { readonly catalog: object } {
    const list = paths.map((query_path) => ({ processor, query_path, output_path: 'f' }));
    return { catalog: { host: 'x.org', queries: list } };
  }

  it('is one file when two queries download the same URL to it, and refused when they are different', async () => {
    const url = service.store.add('/os/a/d', 'hello');
    service.catalog.answers.set('/attribute/one', [{ url }, { url, filename: 'd' }]);
    service.catalog.answers.set('/attribute/two', [{ url: `https://x.org${url}` }]);
    const other = service.store.add('/os/other/d', 'other');
    service.catalog.answers.set('/attribute/other', [{ url: other }]);
    const file = await service.post('/file', queries('download', '/attribute/one', '/attribute/two'));
    expect([file.status, (await file.text()).split('\n').length]).toEqual([200, 1]);
    const answer = await service.post('/bag', { bag, ...queries('download', '/attribute/one', '/attribute/two') });
    const files = await readZip(Buffer.from(await (await service.get(await answer.text())).arrayBuffer()));
    expect([...files.keys()].filter((name) => name.startsWith('b/data/f/'))).toEqual(['b/data/f/d']);
    const refused = await service.post('/file', queries('download', '/attribute/one', '/attribute/other'));
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ code: 'bad_path' });
  });

  it('is one reference when URL and common hashes agree, whatever else the rows say', async () => {
    const reference = { url: 'https://x.org/os/a/o:V1', length: 5, filename: 'o' };
    const md5 = { md5: '5d41402abc4b2a76b9719d911017c592' };
    const sha1 = { sha1: 'aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d' };
    service.catalog.answers.set('/attribute/agree', [
      { ...reference, ...md5, content_type: 'text/plain' },
      { ...reference, ...md5, ...sha1 },
      { ...reference, url: '/os/a/o:V1', ...md5 },
    ]);
    service.catalog.answers.set('/attribute/differ', [{ ...reference, md5: '0'.repeat(32) }]);
    for (const body of [queries('fetch', '/attribute/agree'), { bag, ...queries('fetch', '/attribute/agree') }]) {
      const isBag = 'bag' in body;
      const answer = await service.post(isBag ? '/bag' : '/file', body);
      expect(answer.status).toBe(200);
      const result = await service.get(await answer.text());
      const text = isBag
        ? ((await readZip(Buffer.from(await result.arrayBuffer()))).get('b/fetch.txt') ?? '')
        : await result.text();
      expect(text.trimEnd().split('\n')).toHaveLength(1);
    }
    for (const path of ['/file', '/bag']) {
      const refused = await service.post(path, { bag, ...queries('fetch', '/attribute/agree', '/attribute/differ') });
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ code: 'bad_path' });
    }
  });
});
