import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Harness, startHarness } from './support/harness.js';
import { readZip } from './support/read-zip.js';
import { csvOf } from './support/requests.js';

const bag = { bag_name: 'b', bag_archiver: 'zip' };

function downloads(queryPath = '/attribute/files'): { readonly catalog: object } {
  return {
    catalog: { host: 'x.org', queries: [{ processor: 'download', query_path: queryPath, output_path: 'f' }] },
  };
}

describe('transfers', () => {
  let service: Harness;
  beforeAll(async () => {
    service = await startHarness();
  });
  afterAll(() => service.close());
  beforeEach(() => {
    service.store.refuse = null;
    service.store.asked.length = 0;
    service.catalog.answers.clear();
    service.catalog.asked.length = 0;
  });

  /** Files `0`, `1`, … of different lengths. */
  function withFiles(count: number, length = 10): readonly string[] {
    const contents = Array.from({ length: count }, (_, index) => `${index}`.repeat(length + index));
    const rows = contents.map((content, index) => ({ url: service.store.add(`/os/files/${index}`, content) }));
    service.catalog.answers.set('/attribute/files', rows);
    return contents;
  }

  async function logOf(answer: Response): Promise<string> {
    return (await service.get(`/file/${answer.headers.get('x-export-id')}/log`)).text();
  }

  it('of a file export: four at a time, listed and logged in the order of the rows', async () => {
    const contents = withFiles(12);
    let under = 0;
    let most = 0;
    service.store.slow = async (method, path) => {
      if (method !== 'PUT' || !path.includes('/f/')) return;
      under += 1;
      most = Math.max(most, under);
      // later ones are faster
      await new Promise((resolve) => {
        setTimeout(resolve, 200 - Number(path.split('/').at(-1)) * 15);
      });
      under -= 1;
    };
    const answer = await service.post('/file', downloads());
    service.store.slow = null;
    const urls = (await answer.text()).split('\n');
    expect(urls.map((url) => url.split('/').at(-1))).toEqual(contents.map((_, index) => `${index}`));
    expect(most).toBe(4);
    expect(await (await service.get(urls[11] ?? '')).text()).toBe(contents[11]);
    const logged = [...(await logOf(answer)).matchAll(/\/os\/files\/(\d+):.* bytes > f/g)].map(([, name]) => name);
    expect(logged).toEqual(contents.map((_, index) => `${index}`));
  });

  it('of a file export that fails leave nothing behind', async () => {
    withFiles(8);
    service.store.refuse = (method, path) => (method === 'GET' && path.startsWith('/os/files/5') ? 403 : null);
    const answer = await service.post('/file', downloads());
    expect(answer.status).toBe(403);
    expect((await service.get(`/file/${answer.headers.get('x-export-id')}/f/0`)).status).toBe(404);
  });

  it('into a bag: small files are read ahead, a large one is asked for when its turn comes', async () => {
    const contents = withFiles(5);
    const large = 'x'.repeat(2_000_000);
    const urls = [service.store.add('/os/files/large', large), service.store.add('/os/files/sized', large)];
    const rows = [0, 1].map((index) => ({ url: `/os/files/${index}` }));
    service.catalog.answers.set('/attribute/files', [
      ...rows,
      { url: urls[0] },
      { url: urls[1], length: 2_000_000 },
      ...[2, 3, 4].map((index) => ({ url: `/os/files/${index}` })),
    ]);
    const answer = await service.post('/bag', { bag, ...downloads() });
    expect(answer.status).toBe(200);
    const files = await readZip(
      Buffer.from(await (await service.get(`/file/${answer.headers.get('x-export-id')}`)).arrayBuffer()),
    );
    expect(files.get('b/data/f/large')).toBe(large);
    expect(files.get('b/data/f/4')).toBe(contents[4]);
    const names = [...files.keys()].filter((name) => name.startsWith('b/data/f/'));
    expect(names.map((name) => name.slice('b/data/f/'.length))).toEqual(['0', '1', 'large', 'sized', '2', '3', '4']);
    const gets = service.store.asked.filter((line) => line.startsWith('GET /os/files/'));
    // without a length in its row, that a file is large is seen when it is asked for
    expect(gets.filter((line) => line.includes('large'))).toHaveLength(2);
    expect(gets.filter((line) => line.includes('sized'))).toHaveLength(1);
  });

  it('go on where they broke off (object store)', async () => {
    const content = 'abcdefghij'.repeat(200_000);
    service.catalog.answers.set('/attribute/files', [{ url: service.store.add('/os/files/big', content) }]);
    service.store.cuts.set('/os/files/big', 700_000);
    const answer = await service.post('/file', downloads());
    expect(answer.status).toBe(200);
    expect(await (await service.get(await answer.text())).text()).toBe(content);
    expect(service.store.asked.filter((line) => line.startsWith('GET /os/files/big'))).toHaveLength(2);
  });

  it('are none for references: the store is asked about eight at a time, and they stand in the order of the rows', async () => {
    withFiles(20);
    let under = 0;
    let most = 0;
    service.store.slow = async (method, path) => {
      if (method !== 'HEAD') return;
      under += 1;
      most = Math.max(most, under);
      // later ones are faster
      await new Promise((resolve) => {
        setTimeout(resolve, 220 - Number(/\d+/.exec(path.split('/').at(-1) ?? '')?.[0]) * 10);
      });
      under -= 1;
    };
    const query = { processor: 'fetch', query_path: '/attribute/files', output_path: 'f' };
    const answer = await service.post('/file', { catalog: { host: 'x.org', queries: [query] } });
    service.store.slow = null;
    const lines = (await (await service.get(await answer.text())).text()).trimEnd().split('\n');
    const names = lines.map((line) => (JSON.parse(line) as { readonly filename: string }).filename);
    expect(names).toEqual(Array.from({ length: 20 }, (_, index) => `f/${index}`));
    expect(most).toBe(8);
    expect(service.store.asked.filter((line) => line.startsWith('GET /os/files'))).toEqual([]);
  });

  describe('of a query that break off', () => {
    const rows = Array.from({ length: 2_000 }, (_, index) => `${index},${'v'.repeat(50)}\n`);

    function breakingOnce(second: readonly string[]): void {
      let asked = 0;
      service.catalog.answers.set('/entity/s:t', (_request, response) => {
        asked += 1;
        response.writeHead(200, { 'Content-Type': 'text/csv' });
        if (asked === 1) {
          response.write(`n,v\n${rows.slice(0, 1_000).join('')}half`);
          // what was not read yet when a connection breaks is lost: give it time
          setTimeout(() => response.destroy(), 300);
        } else response.end(`n,v\n${second.join('')}`);
      });
    }

    const half = (line: string) => line.replace(/^1000,/, 'half,');

    it('are asked again, and nothing stands there twice', async () => {
      const whole = rows.map(half);
      for (const body of [csvOf('/entity/s:t'), { bag, ...csvOf('/entity/s:t') }]) {
        breakingOnce(whole);
        const isBag = 'bag' in body;
        const answer = await service.post(isBag ? '/bag' : '/file', body);
        expect(answer.status).toBe(200);
        const result = await service.get(await answer.text());
        const text = isBag
          ? (await readZip(Buffer.from(await result.arrayBuffer()))).get('b/data/t.csv')
          : await result.text();
        expect(text).toBe(`n,v\n${whole.join('')}`);
        expect(await logOf(answer)).toContain('broke off after');
      }
    });

    it('fail when the catalog answers differently the second time', async () => {
      for (const other of [rows.map((line) => line.replace('7', '8')), rows.slice(0, 10)]) {
        breakingOnce(other);
        const answer = await service.post('/file', csvOf('/entity/s:t'));
        expect(answer.status).toBe(502);
        expect(await answer.text()).toContain('another answer');
      }
    });
  });
});

describe('paged queries', () => {
  let service: Harness;
  beforeAll(async () => {
    service = await startHarness();
  });
  afterAll(() => service.close());
  beforeEach(() => {
    service.catalog.answers.clear();
    service.catalog.asked.length = 0;
  });

  const rows = Array.from({ length: 7 }, (_, index) => ({
    RID: `1-${index}`,
    v: index === 2 ? 'two\nlines, "q"' : index,
  }));

  /** Answers pages as a catalog does, of at most so many rows. */
  function withPages(most: number): void {
    const answer = service.catalog.answers.get.bind(service.catalog.answers);
    service.catalog.answers.get = (path) => {
      const [, after, limit] = /^\/entity\/s:t@sort\(RID\)(?:@after\(([^)]*)\))?\?a=b&limit=(\d+)$/.exec(path) ?? [];
      if (limit === undefined) return answer(path);
      if (Number(limit) > most) {
        return (_request, response) => {
          response.writeHead(400, { 'Content-Type': 'text/plain' }).end('Query run time limit exceeded');
        };
      }
      const from = after === undefined ? 0 : rows.findIndex(({ RID }) => RID === after) + 1;
      const page = rows.slice(from, from + Number(limit));
      return (request, response) => {
        const accept = request.headers.accept ?? '';
        response.writeHead(200, { 'Content-Type': accept });
        const csv = ({ RID, v }: (typeof rows)[number]) =>
          `${RID},${typeof v === 'number' ? v : `"${v.replaceAll('"', '""')}"`}\n`;
        const json = (row: object) => `${JSON.stringify(row)}\n`;
        response.end(accept === 'text/csv' ? `RID,v\n${page.map(csv).join('')}` : page.map(json).join(''));
      };
    };
  }

  async function read(processor: string, size: number): Promise<string> {
    const query = {
      processor,
      query_path: '/entity/s:t?a=b&limit=5',
      output_path: 't',
      paged_query: true,
      paged_query_size: size,
    };
    const answer = await service.post('/file', { catalog: { host: 'x.org', queries: [query] } });
    const url = await answer.text();
    expect([answer.status, answer.status === 200 ? '' : url]).toEqual([200, '']);
    return (await service.get(url)).text();
  }

  it.each([1, 3, 7, 100])('of %s rows a page give the same as one stream', async (size) => {
    withPages(100);
    expect(await read('csv', size)).toBe('RID,v\n1-0,0\n1-1,1\n1-2,"two\nlines, ""q"""\n1-3,3\n1-4,4\n1-5,5\n1-6,6\n');
    expect(await read('json-stream', size)).toBe(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  });

  it('take smaller pages when the catalog finds them too much work', async () => {
    withPages(2);
    expect((await read('csv', 16)).split('\n')).toHaveLength(10);
    const limits = service.catalog.asked.map(({ path }) => Number(/limit=(\d+)$/.exec(path)?.[1]));
    expect(limits).toEqual([16, 8, 4, 2, 2, 2, 2]);
  });
});

describe('files elsewhere', () => {
  it('35: are never read from addresses inside, whatever is configured', async () => {
    for (const mode of ['deny', 'allowlist', 'public']) {
      const service = await startHarness({
        environment: { EXTERNAL_FETCH: mode, EXTERNAL_FETCH_HOSTS: '169.254.169.254,127.0.0.1' },
      });
      try {
        for (const url of ['http://169.254.169.254/x', `${service.catalog.origin}/x`]) {
          service.catalog.answers.set('/attribute/files', [{ url }]);
          const before = service.catalog.asked.length;
          expect((await service.post('/file', downloads())).status).toBe(400);
          expect(service.catalog.asked.length).toBe(before + 1);
        }
      } finally {
        await service.close();
      }
    }
  });
});
