import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Harness, startHarness } from './support/harness.js';
import { readZip } from './support/read-zip.js';

const rows = [
  { RID: '1-A', n: 1 },
  { RID: '1-B', n: 2 },
];
const csvT = { processor: 'csv', processor_params: { query_path: '/entity/s:t', output_path: 't' } };

function request(...queries: readonly object[]): { readonly catalog: object } {
  return { catalog: { host: 'x.org', catalog_id: '1', query_processors: queries } };
}

function table(processor: string, queryPath: string, outputPath: string): object {
  return { processor, query_path: queryPath, output_path: outputPath };
}

describe.each(['standard', 'deriva'] as const)('worked examples of spec/export.md 15 (%s)', (profile) => {
  const created = profile === 'standard' ? 200 : 201;
  const base = profile === 'standard' ? 'https://x.org/export' : 'https://x.org/deriva/export';
  const bagPath = profile === 'standard' ? '/bag' : '/bdbag';
  let service: Harness;
  beforeAll(async () => {
    service = await startHarness({ profile });
  });
  afterAll(() => service.close());
  beforeEach(() => {
    service.catalog.answers.clear();
    service.catalog.answers.set('/entity/s:t', rows);
    service.catalog.asked.length = 0;
    service.catalog.snapshotStatus = null;
    service.store.refuse = null;
  });

  async function made(
    body: object,
    path = '/file',
  ): Promise<{ readonly id: string; readonly urls: readonly string[] }> {
    const answer = await service.post(path, body);
    const text = await answer.text();
    expect([answer.status, answer.status === created ? '' : text]).toEqual([created, '']);
    return { id: answer.headers.get('x-export-id') ?? '', urls: text === '' ? [] : text.split('\n') };
  }

  async function failure(answer: Response): Promise<{ readonly status: number; readonly text: string }> {
    return { status: answer.status, text: await answer.text() };
  }

  it('1-3: a file, in all forms of the request', async () => {
    const answer = await service.post('/file', request(csvT));
    expect(answer.status).toBe(created);
    expect(answer.headers.get('content-type')).toBe('text/uri-list');
    const id = answer.headers.get('x-export-id');
    const url = `${base}/file/${id}/t.csv`;
    expect(await answer.text()).toBe(url);
    expect(answer.headers.get('location')).toBe(url);
    expect(answer.headers.get('link')).toBe(
      `<${base}/file/${id}/log>; rel="describedby", <${base}/job/${id}>; rel="monitor"`,
    );
    const result = await service.get(url);
    expect(await result.text()).toBe('RID,n\n1-A,1\n1-B,2\n');
    const formA = {
      catalog: { host: 'x.org', queries: [{ query_path: '/entity/s:t', output_path: 't', output_format: 'csv' }] },
    };
    for (const form of [formA, request(table('csv', '/entity/s:t', 't'))]) {
      expect((await made(form)).urls[0]).toMatch(/\/t\.csv$/);
    }
  });

  it('asks as the caller and stores as the service, for readers only', async () => {
    const { id } = await made(request(csvT));
    expect(service.catalog.asked).toEqual([
      {
        path: '@2YQ-TEST-SNAP/entity/s:t',
        sub: 'alice',
        cookie: null,
        token: expect.objectContaining({ scope: 'read', jti: id, act: { sub: 'urn:service:export' } }),
      },
    ]);
    const [path = '', versions = []] = [...service.store.objects].find(([name]) => name.includes(id)) ?? [];
    expect(path).toMatch(new RegExp(`^/os/export-results/\\d{4}-\\d\\d-\\d\\d/${id}/t\\.csv$`));
    expect(versions).toMatchObject([
      { putBy: 'urn:service:export', chunked: true, acls: { owner: ['urn:service:export'], read: ['alice'] } },
    ]);
  });

  it('4, 11, 12, 19, 20, 22: refused at once, and nobody is asked', async () => {
    const bad = [
      { catalog: { host: 'x.org', queries: [csvT], query_processors: [csvT] } },
      request({ query_path: '/entity/s:t', output_path: 't', output_format: 'xml' }),
      { catalog: { queries: [csvT] } },
      { catalog: { host: 'x.org', queries: [] } },
      '[]',
      '{',
      request(table('csv', '/entity/s:t', '{RID}')),
      request(table('csv', '/entity/s:t', '{x.__class__}')),
      request(csvT, csvT),
    ];
    for (const body of bad) expect((await service.post('/file', body)).status).toBe(400);
    expect(service.catalog.asked).toEqual([]);
  });

  it('5-7: two files, and how they are found', async () => {
    service.catalog.answers.set('/entity/u', rows);
    const { id, urls } = await made(request(csvT, table('json', '/entity/u', 'sub/u')));
    expect(urls).toEqual([`${base}/file/${id}/t.csv`, `${base}/file/${id}/sub/u.json`]);
    expect((await service.get(`/file/${id}`)).status).toBe(400);
    expect(await (await service.get(`/file/${id}/sub/u.json`)).json()).toEqual(rows);
    expect((await service.get(`/file/${id}/nope`)).status).toBe(404);
    expect((await service.get(`${bagPath}/${id}/t.csv`)).status).toBe(200);
    const single = await made(request(csvT));
    expect((await service.get(`/file/${single.id}/`)).headers.get('content-type')).toBe('text/csv');
  });

  it('8: the log says what was done', async () => {
    const { id } = await made(request(csvT));
    const log = await service.get(`/file/${id}/log`);
    expect(log.status).toBe(200);
    expect(log.headers.get('content-type')).toBe(profile === 'standard' ? 'text/plain; charset=utf-8' : 'text/plain');
    const text = await log.text();
    expect(text).toContain('/entity/s:t: status 200, 2 rows, 18 bytes');
    expect(text).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z INFO /);
    expect(text).not.toMatch(/Bearer|eyJ/);
  });

  it('9, 10: for who made it, and nobody else', async () => {
    const { id } = await made(request(csvT));
    for (const path of [`/file/${id}/t.csv`, `/file/${id}/log`, `/job/${id}`]) {
      expect((await service.get(path, { token: 'bob-token' })).status).toBe(403);
      expect((await service.get(path, { token: null })).status).toBe(401);
    }
    expect((await service.get('/file/00000000-0000-4000-8000-000000000000')).status).toBe(404);
    expect((await service.get('/file/nonsense')).status).toBe(404);
    expect((await service.post('/file', request(csvT), { token: null })).status).toBe(401);
  });

  it('17: what the catalog refuses', async () => {
    const missing = await failure(await service.post('/file', request(table('csv', '/entity/nope', 't'))));
    expect(missing).toMatchObject({ status: 400, text: expect.stringContaining('There is nothing at /entity/nope.') });
    const noCatalog = { catalog: { host: 'x.org', catalog_id: '9', queries: [csvT] } };
    expect((await service.post('/file', noCatalog)).status).toBe(404);
    service.catalog.answers.set('/entity/secret', (_request, response) => {
      response.writeHead(403).end();
    });
    const answer = await service.post('/file', request(csvT, table('csv', '/entity/secret', 'secret')));
    expect(answer.status).toBe(403);
    const id = answer.headers.get('x-export-id') ?? '';
    const gone = await failure(await service.get(`/file/${id}/t.csv`));
    expect(gone).toMatchObject({ status: 404, text: expect.stringContaining('403 forbidden') });
    expect((await service.get(`/file/${id}/log`)).status).toBe(200);
  });

  it('18, 21: variables of env queries and of the request', async () => {
    service.catalog.answers.set('/entity/s:t/RID=1-A', [{ RID: '1-A', n: 1 }]);
    service.catalog.answers.set('/entity/s:t/k=a%2Fb', rows);
    const env = { processor: 'env', processor_params: { query_path: '/entity/s:t/RID=1-A', query_keys: ['RID'] } };
    const { id, urls } = await made({
      env: { acc: 'a/b' },
      ...request(env, table('csv', '/entity/s:t/k={acc_urlencoded}', 'd_{RID}')),
    });
    expect(urls).toEqual([`${base}/file/${id}/d_1-A.csv`]);
    expect(service.catalog.asked.map(({ path }) => path)).toContain('@2YQ-TEST-SNAP/entity/s:t/k=a%2Fb');
    const missing = { ...env, processor_params: { query_path: '/entity/s:t/RID=1-A', query_keys: ['x'] } };
    expect((await service.post('/file', request(missing, csvT))).status).toBe(400);
  });

  it('20: braces', async () => {
    const { urls } = await made(request(table('csv', '/entity/s:t', '{{lit}}')));
    expect(urls[0]).toMatch(/\/%7Blit%7D\.csv$/);
    expect((await service.get(urls[0] ?? '')).status).toBe(200);
  });

  it('23: a result without rows', async () => {
    service.catalog.answers.set('/entity/empty', []);
    const answer = await service.post('/file', request(table('csv', '/entity/empty', 'empty')));
    expect(answer.status).toBe(created);
    const id = answer.headers.get('x-export-id');
    expect(await answer.text()).toBe(profile === 'standard' ? `${base}/file/${id}/empty.csv` : '');
    expect(answer.headers.has('location')).toBe(profile === 'standard');
  });

  it('24: a bag', async () => {
    const bag = { bag_name: 'b', bag_archiver: 'zip', bag_metadata: { 'Contact-Name': 'Ann', 'Payload-Oxum': '9.9' } };
    const { id, urls } = await made({ bag, ...request(csvT) }, bagPath);
    expect(urls).toEqual([`${base}/file/${id}/b.zip`]);
    const answer = await service.get(`${bagPath}/${id}`);
    expect(answer.headers.get('content-type')).toBe('application/zip');
    const files = await readZip(Buffer.from(await answer.arrayBuffer()));
    expect([...files.keys()].sort()).toEqual([
      'b/',
      'b/bag-info.txt',
      'b/bagit.txt',
      'b/data/',
      'b/data/t.csv',
      'b/manifest-md5.txt',
      'b/manifest-sha256.txt',
      'b/tagmanifest-md5.txt',
      'b/tagmanifest-sha256.txt',
    ]);
    expect(files.get('b/data/t.csv')).toBe('RID,n\n1-A,1\n1-B,2\n');
    const info = files.get('b/bag-info.txt') ?? '';
    expect(info).toContain('Contact-Name: Ann\n');
    expect(info).toContain('Payload-Oxum: 18.1\n');
    const catalogPath = profile === 'standard' ? '/data/catalog' : '/ermrest/catalog';
    expect(info).toContain(`Source-Catalog: https://x.org${catalogPath}/1@2YQ-TEST-SNAP\n`);
    expect(info).toContain('Source-Query: /entity/s:t > t.csv\n');
    const md5 = createHash('md5').update('RID,n\n1-A,1\n1-B,2\n').digest('hex');
    expect(files.get('b/manifest-md5.txt')).toBe(`${md5}  data/t.csv\n`);
  });

  it('26, 28, 29: what bags need', async () => {
    expect((await service.post(bagPath, request(csvT))).status).toBe(400);
    for (const bag of [
      { bag_name: 'a/b', bag_archiver: 'zip' },
      { bag_name: 'b', bag_archiver: 'rar' },
    ]) {
      expect((await service.post(bagPath, { bag, ...request(csvT) })).status).toBe(400);
    }
    const nameless = await service.post(bagPath, { bag: {}, ...request(csvT) });
    expect(nameless.status).toBe(profile === 'standard' ? 400 : 201);
    const { urls } = await made({ bag: { bag_name: 'b', bag_archiver: 'zip' }, ...request(csvT) });
    expect(urls[0]).toMatch(/\/t\.csv$/);
  });

  it('30: references in a bag', async () => {
    const md5 = '5d41402abc4b2a76b9719d911017c592';
    service.catalog.answers.set('/attribute/f', [{ url: '/os/a/o:V1', length: 5, md5, filename: 'o.txt' }]);
    const bag = { bag_name: 'b', bag_archiver: 'zip' };
    const fetchQuery = { processor: 'fetch', processor_params: { query_path: '/attribute/f', output_path: 'img' } };
    const { id } = await made({ bag, ...request(fetchQuery) }, bagPath);
    const files = await readZip(Buffer.from(await (await service.get(`/file/${id}`)).arrayBuffer()));
    expect(files.get('b/fetch.txt')).toBe('https://x.org/os/a/o:V1\t5\tdata/img/o.txt\n');
    expect(files.get('b/manifest-md5.txt')).toBe(`${md5}  data/img/o.txt\n`);
    expect(files.has('b/manifest-sha256.txt')).toBe(false);
    expect(files.get('b/bag-info.txt')).toContain('Payload-Oxum: 5.1\n');
    expect(await (await service.get(`/file/${id}/log`)).text()).toContain('the manifests use md5');
    expect(service.store.asked.filter((line) => line.includes('/os/a/o'))).toEqual([]);
  });

  it('31, 33: a reference that only the store knows, in a file export', async () => {
    const version = service.store.add('/os/a/known', 'hello', {
      'content-type': 'text/plain',
      'content-disposition': "filename*=UTF-8''k%20n.txt",
    });
    service.catalog.answers.set('/attribute/g', [{ url: '/os/a/known' }, { url: null }]);
    const { id, urls } = await made(request({ processor: 'fetch', query_path: '/attribute/g' }));
    expect(urls).toEqual([`${base}/file/${id}/remote-file-manifest.json`]);
    const line = await (await service.get(`/file/${id}`)).json();
    expect(line).toEqual({
      url: `https://x.org${version}`,
      length: 5,
      filename: 'k n.txt',
      md5: '5d41402abc4b2a76b9719d911017c592',
      sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
      content_type: 'text/plain',
    });
    expect(service.store.asked.filter((asked) => asked.includes('known'))).toEqual(['HEAD /os/a/known']);
    expect(await (await service.get(`/file/${id}/log`)).text()).toContain('it has no url');
  });

  it('15, 34, 35: downloads, and what they may not do', async () => {
    const url = service.store.add('/os/a/d', 'hello', { 'content-type': 'text/plain' });
    const download = (answer: object) => {
      service.catalog.answers.set('/attribute/d', [{ RID: '1-A', ...answer }]);
      return request({ processor: 'download', query_path: '/attribute/d', output_path: 'f/{RID}' });
    };
    const { urls } = await made(download({ url, md5: 'XUFAKrxLKna5cZ2REBfFkg==' }));
    expect(urls[0]).toMatch(/\/f\/1-A\/d$/);
    expect(await (await service.get(urls[0] ?? '')).text()).toBe('hello');
    expect((await service.post('/file', download({ url, md5: '0'.repeat(32) }))).status).toBe(502);
    const escaping = await service.post('/file', download({ url, filename: '../../x' }));
    expect(escaping.status).toBe(400);
    const log = await service.get(`/file/${escaping.headers.get('x-export-id')}/log`);
    expect(await log.text()).toContain('"../../x"');
    for (const outside of ['http://169.254.169.254/x', 'https://y.org/os/a/d', '/etc/passwd', 'file:///etc/passwd']) {
      expect((await service.post('/file', download({ url: outside }))).status).toBe(400);
    }
  });

  it('36: without waiting', async () => {
    const answer = await service.post('/file', request(csvT), { headers: { prefer: 'respond-async' } });
    expect(answer.status).toBe(202);
    expect(answer.headers.get('preference-applied')).toBe('respond-async');
    const { id } = (await answer.json()) as { readonly id: string };
    expect(answer.headers.get('location')).toBe(`${base}/job/${id}`);
    const status = await finalStatus(service, id);
    expect(status).toMatchObject({
      state: 'completed',
      kind: 'file',
      error: null,
      progress: { rows: 3, bytes: 18, files: 1, percent: 100 },
      results: [{ path: 't.csv', bytes: 18, content_type: 'text/csv', url: `${base}/file/${id}/t.csv` }],
    });
    const waited = await service.post('/file', request(csvT), { headers: { prefer: 'respond-async, wait=20' } });
    expect(waited.status).toBe(created);
  });

  it('37: cancelled while it runs', async () => {
    let release: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => {
      service.catalog.answers.set('/entity/slow', (incoming, response) => {
        response.writeHead(200, { 'Content-Type': 'text/csv' });
        response.write('RID\n1\n');
        incoming.socket.on('close', () => release());
        resolve();
      });
    });
    const upstreamGone = new Promise<void>((resolve) => {
      release = resolve;
    });
    const waiting = service.post('/file', request(table('csv', '/entity/slow', 't')));
    await reached;
    const id = await newestId(service);
    expect((await service.get(`/job/${id}`, { method: 'DELETE', token: 'bob-token' })).status).toBe(403);
    expect((await service.get(`/job/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await waiting).status).toBe(409);
    await upstreamGone;
    expect((await service.get(`/file/${id}/t.csv`)).status).toBe(404);
    expect(await (await service.get(`/job/${id}`)).json()).toMatchObject({ state: 'cancelled' });
  });

  it('40: HEAD, and parts of a result', async () => {
    const { id } = await made(request(csvT));
    const head = await service.get(`/file/${id}/t.csv`, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-type')).toBe('text/csv');
    expect(head.headers.get('content-length')).toBe('18');
    expect(head.headers.get('content-disposition')).toBe("filename*=UTF-8''t.csv");
    const etag = head.headers.get('etag') ?? '';
    const read = (headers: Record<string, string>) => service.get(`/file/${id}/t.csv`, { headers });
    const part = await read({ range: 'bytes=2-4' });
    expect([part.status, await part.text(), part.headers.get('content-range')]).toEqual([206, 'D,n', 'bytes 2-4/18']);
    expect((await read({ range: 'bytes=2-4', 'if-range': '"other"' })).status).toBe(200);
    const outside = await read({ range: 'bytes=18-' });
    expect([outside.status, outside.headers.get('content-range')]).toEqual([416, 'bytes */18']);
    expect((await read({ 'if-none-match': etag })).status).toBe(304);
  });

  it('reads live what the snapshot refuses, and says so', async () => {
    service.catalog.snapshotStatus = 409;
    const { id } = await made({ bag: { bag_name: 'b', bag_archiver: 'zip' }, ...request(csvT) }, bagPath);
    expect(service.catalog.asked.map(({ path }) => path)).toEqual(['@2YQ-TEST-SNAP/entity/s:t', '/entity/s:t']);
    const files = await readZip(Buffer.from(await (await service.get(`/file/${id}`)).arrayBuffer()));
    expect(files.get('b/bag-info.txt')).toContain('Source-Warning: /entity/s:t was read live');
    expect(await (await service.get(`/file/${id}/log`)).text()).toContain(
      'WARNING /entity/s:t was refused at the snapshot',
    );
  });

  it('does not take a login page for a table, nor half a table for a whole one', async () => {
    service.catalog.answers.set('/entity/login', (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>');
    });
    expect((await service.post('/file', request(table('csv', '/entity/login', 't')))).status).toBe(502);
    service.catalog.answers.set('/entity/half', (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/csv', 'Content-Length': '100' });
      response.write('RID\n1\n');
      setTimeout(() => response.destroy(), 30);
    });
    const answer = await service.post('/file', request(table('csv', '/entity/half', 't')));
    expect(answer.status).toBe(502);
    const id = answer.headers.get('x-export-id') ?? '';
    expect([...service.store.objects.keys()].filter((path) => path.includes(id))).toEqual([]);
  });

  it.each([
    ['500 when the store refuses the results', 403, 500],
    ['503 when it is away', 503, 503],
  ])('fails %s', async (_what, refusal, status) => {
    service.store.refuse = (method) => (method === 'PUT' ? refusal : null);
    expect((await service.post('/file', request(csvT))).status).toBe(status);
    const bag = { bag: { bag_name: 'b', bag_archiver: 'zip' }, ...request(csvT) };
    expect((await service.post(bagPath, bag)).status).toBe(status);
  });

  it('discards a finished export', async () => {
    const { id } = await made(request(csvT));
    expect((await service.get(`/job/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await service.get(`/file/${id}/t.csv`)).status).toBe(404);
    expect((await service.get(`/job/${id}`, { method: 'DELETE' })).status).toBe(404);
    expect([...service.store.objects.keys()].filter((path) => path.includes(id))).toEqual([]);
  });

  it('knows the methods of each resource', async () => {
    const wrong = await service.get('/file', { method: 'PUT' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
    expect((await service.get('/job/00000000-0000-4000-8000-000000000000', { method: 'OPTIONS' })).status).toBe(204);
    expect((await service.get('/nothing')).status).toBe(404);
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    expect((await service.post('/file', JSON.stringify(request(csvT)), form)).status).toBe(400);
    expect((await service.post('/file?public=true', request(csvT))).status).toBe(403);
  });
});

async function finalStatus(service: Harness, id: string): Promise<unknown> {
  for (;;) {
    const status = (await (await service.get(`/job/${id}`)).json()) as { readonly state: string };
    if (status.state !== 'queued' && status.state !== 'running') return status;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
}

async function newestId(service: Harness): Promise<string> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  const { rows: found } = await client.query('select id from ex_export order by created desc limit 1');
  await client.end();
  return found[0].id;
}
