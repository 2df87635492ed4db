import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Harness, startHarness } from './support/harness.js';
import { readZip } from './support/read-zip.js';
import { withRows } from './support/requests.js';

const bag = { bag_name: 'b', bag_archiver: 'zip' };

describe('what bag-info.txt says of the source', () => {
  let service: Harness;
  beforeAll(async () => {
    service = await startHarness();
  });
  afterAll(() => service.close());
  beforeEach(() => {
    service.catalog.snapshotStatus = null;
    service.catalog.answers.clear();
    service.catalog.asked.length = 0;
    withRows(service.catalog);
  });

  async function sources(...queries: readonly object[]): Promise<readonly string[]> {
    const answer = await service.post('/bag', { bag, catalog: { host: 'x.org', queries } });
    const text = await answer.text();
    expect([answer.status, answer.status === 200 ? '' : text]).toEqual([200, '']);
    const files = await readZip(Buffer.from(await (await service.get(text)).arrayBuffer()));
    const info = files.get('b/bag-info.txt') ?? '';
    return info.split('\n').filter((line) => /^Source-(?:Query|Warning):/.test(line));
  }

  const env = { processor: 'env', query_path: '/entity/s:t/RID=1-A', query_keys: ['RID'] };
  const csv = { processor: 'csv', query_path: '/entity/s:t', output_path: 't' };
  const assets = (processor: string) => ({ processor, query_path: `/attribute/${processor}`, output_path: 'f' });

  function withAssets(): void {
    service.catalog.answers.set('/entity/s:t/RID=1-A', [{ RID: '1-A', n: 1 }]);
    const url = service.store.add('/os/a/d', 'hello');
    service.catalog.answers.set('/attribute/download', [{ url }]);
    service.catalog.answers.set('/attribute/fetch', [{ url, filename: 'reference' }]);
  }

  it('names every query, those that only give variables too', async () => {
    withAssets();
    expect(await sources(env, csv, assets('download'), assets('fetch'))).toEqual([
      'Source-Query: /entity/s:t/RID=1-A',
      'Source-Query: /entity/s:t > t.csv',
      'Source-Query: /attribute/download > f',
      'Source-Query: /attribute/fetch > f',
    ]);
  });

  it('warns of every query that was read live, of whatever kind', async () => {
    withAssets();
    service.catalog.snapshotStatus = 409;
    expect(await sources(env, csv, assets('download'), assets('fetch'))).toEqual([
      'Source-Query: /entity/s:t/RID=1-A',
      'Source-Warning: /entity/s:t/RID=1-A was read live, not at the snapshot',
      'Source-Query: /entity/s:t > t.csv',
      'Source-Warning: /entity/s:t was read live, not at the snapshot',
      'Source-Query: /attribute/download > f',
      'Source-Warning: /attribute/download was read live, not at the snapshot',
      'Source-Query: /attribute/fetch > f',
      'Source-Warning: /attribute/fetch was read live, not at the snapshot',
    ]);
  });

  it('warns once of a query of which a later page was read live', async () => {
    for (const [after, row] of [
      ['', '1-A'],
      ['@after(1-A)', '1-B'],
      ['@after(1-B)', '1-C'],
    ] as const) {
      service.catalog.answers.set(`/entity/s:t@sort(RID)${after}?limit=1`, (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/csv' });
        response.end(`RID\n${row}\n`);
        // the snapshot is gone from now on
        service.catalog.snapshotStatus = 409;
      });
    }
    service.catalog.answers.set('/entity/s:t@sort(RID)@after(1-C)?limit=1', (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/csv' });
      response.end('RID\n');
    });
    expect(await sources({ ...csv, paged_query: true, paged_query_size: 1 })).toEqual([
      'Source-Query: /entity/s:t > t.csv',
      'Source-Warning: /entity/s:t was read live, not at the snapshot',
    ]);
    expect(service.catalog.asked.filter(({ path }) => !path.startsWith('@'))).toHaveLength(3);
  });
});

describe('a strict snapshot', () => {
  it('fails rather than read anything live', async () => {
    const service = await startHarness({ environment: { PIN_SNAPSHOT: 'strict' } });
    try {
      withRows(service.catalog);
      service.catalog.snapshotStatus = 404;
      const query = { processor: 'csv', query_path: '/entity/s:t', output_path: 't' };
      const answer = await service.post('/bag', { bag, catalog: { host: 'x.org', queries: [query] } });
      expect(answer.status).toBe(404);
      expect(service.catalog.asked.map(({ path }) => path)).toEqual(['@2YQ-TEST-SNAP/entity/s:t']);
    } finally {
      await service.close();
    }
  });
});
