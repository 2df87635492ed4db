import { describe, expect, it } from '@jest/globals';
import { type ParsedRequest, parseRequest, type RequestFacts, type RequestSettings } from './parse-request.js';

const standard: RequestSettings = {
  catalogs: [{ publicHost: 'x.org', baseUrl: 'http://127.0.0.1:1', path: '/data/catalog/' }],
  maxQueries: 100,
  fileWithBag: 'ignore',
  bagDefaults: { archiver: null, namePrefix: null, algorithms: ['md5', 'sha256'] },
  externalProcessors: new Set(['org.example.Shape']),
};
const deriva: RequestSettings = {
  ...standard,
  bagDefaults: { archiver: 'zip', namePrefix: 'deriva_bag_', algorithms: ['md5', 'sha256'] },
};
const facts: RequestFacts = {
  endpoint: 'file',
  clientAddress: '192.0.2.7',
  serviceUrl: 'https://x.org/export/file/ID',
  now: new Date('2026-03-04T05:06:07.890Z'),
};

function parse(body: unknown, endpoint: 'file' | 'bag' = 'file', settings = standard): ParsedRequest {
  return parseRequest(body, settings, { ...facts, endpoint });
}

function refusal(body: unknown, endpoint: 'file' | 'bag' = 'file', settings = standard): unknown {
  try {
    parse(body, endpoint, settings);
  } catch (error) {
    return error;
  }
  throw new Error('it was accepted');
}

function fileRequest(...queries: readonly object[]): object {
  return { catalog: { host: 'x.org', catalog_id: '1', queries } };
}

const csv = { processor: 'csv', processor_params: { query_path: '/entity/s:t', output_path: 't' } };

describe('an export request', () => {
  it('is the same in form B, form A and a mixture (examples 1 to 3)', () => {
    const normal = {
      kind: 'table',
      pointer: '/catalog/queries/0',
      format: 'csv',
      queryPath: '/entity/s:t',
      outputPath: 't',
      paging: null,
    };
    const forms = [
      csv,
      { query_path: '/entity/s:t', output_path: 't', output_format: 'csv' },
      { processor: 'csv', query_path: '/entity/s:t', output_path: 't' },
      { processor: 'csv', output_format: 'csv', query_path: 'ignored', processor_params: csv.processor_params },
    ];
    for (const form of forms) expect(parse(fileRequest(form)).request.queries).toEqual([normal]);
    const other = parse({ catalog: { host: 'x.org', query_processors: [csv] } });
    expect(other.request.queries).toEqual([{ ...normal, pointer: '/catalog/query_processors/0' }]);
    expect(other.request.catalog).toEqual({ publicHost: 'x.org', hostname: 'x.org', id: '1', snapshot: null });
  });

  it('joins a file name to its directory, under either name', () => {
    const outputs = [{ output_filename: 'u' }, { output_name: 'u' }].map((name) =>
      parse(fileRequest({ ...name, processor: 'csv', query_path: '/entity/t', output_path: 'sub' })),
    );
    for (const { request } of outputs) expect(request.queries[0]).toMatchObject({ outputPath: 'sub/u' });
  });

  it.each<[string, unknown, string]>([
    ['both lists (4)', { catalog: { host: 'x.org', queries: [csv], query_processors: [csv] } }, '/catalog'],
    [
      'an unknown format (11)',
      fileRequest({ ...csv, processor: undefined, output_format: 'xml' }),
      '/catalog/queries/0',
    ],
    ['no processor', fileRequest({ query_path: '/entity/t', output_path: 't' }), '/catalog/queries/0'],
    ['two processors', fileRequest({ ...csv, output_format: 'json' }), '/catalog/queries/0'],
    ['no host (12)', { catalog: { queries: [csv] } }, '/catalog/host'],
    ['no queries (12)', { catalog: { host: 'x.org', queries: [] } }, '/catalog/queries'],
    ['missing queries', { catalog: { host: 'x.org' } }, '/catalog/queries'],
    ['an array (12)', [], 'The request'],
    ['no catalog', {}, '/catalog'],
    ['a wrong type', { catalog: { host: 5, queries: [csv] } }, '/catalog/host'],
    ['a token in the body', { catalog: { host: 'x.org', token: 't', queries: [csv] } }, '/catalog/token'],
    [
      'a user name without password',
      { catalog: { host: 'x.org', username: 'u', queries: [csv] } },
      '/catalog/password',
    ],
    ['an id of two segments', { catalog: { host: 'x.org', catalog_id: '1/2', queries: [csv] } }, '/catalog/catalog_id'],
    ['no query path', fileRequest({ processor: 'csv', output_path: 't' }), '/catalog/queries/0/query_path'],
    ['no output path', fileRequest({ processor: 'json', query_path: '/entity/t' }), '/catalog/queries/0/output_path'],
    [
      'another resource (16)',
      fileRequest({ ...csv, processor_params: { query_path: '/schema/s', output_path: 't' } }),
      '/catalog/queries/0/query_path',
    ],
    [
      'a relative query (16)',
      fileRequest({ ...csv, processor_params: { query_path: 'entity/s:t', output_path: 't' } }),
      '/catalog/queries/0/query_path',
    ],
    [
      'an unknown variable (19)',
      fileRequest({ processor: 'csv', query_path: '/entity/t/RID={RID}', output_path: 't' }),
      '/catalog/queries/0/query_path',
    ],
    [
      'an unknown variable in the path',
      fileRequest({ processor: 'csv', query_path: '/entity/t', output_path: 't{RID}' }),
      '/catalog/queries/0/output_path',
    ],
    [
      'attributes of a variable (20)',
      fileRequest({ processor: 'csv', query_path: '/entity/t', output_path: '{x.__class__}' }),
      '/catalog/queries/0/output_path',
    ],
    ['an object in env', { env: { a: {} }, ...fileRequest(csv) }, '/env/a'],
    ['transform processors', { transform_processors: [{}], ...fileRequest(csv) }, '/transform_processors'],
    [
      'an unregistered class',
      fileRequest({ ...csv, processor_type: 'evil.Module' }),
      '/catalog/queries/0/processor_type',
    ],
    ['a page of nothing', fileRequest({ ...csv, paged_query_size: 0 }), '/catalog/queries/0/paged_query_size'],
  ])('is refused with %s', (_what, body, pointer) => {
    expect(refusal(body)).toMatchObject({ status: 400, detail: expect.stringContaining(pointer) });
  });

  it.each(['evil.example', 'x.org:444', 'http://x.org:8080', 'y.x.org'])('is refused for the host %s (13)', (host) => {
    expect(refusal({ catalog: { host, queries: [csv] } })).toMatchObject({ code: 'host_not_allowed', status: 400 });
  });

  it.each(['x.org/data', 'x.org?a', 'user@x.org', 'ftp://x.org', 'x.org/', 'https://x.org/#'])(
    'is refused for %s, which is no host',
    (host) => {
      expect(refusal({ catalog: { host, queries: [csv] } })).toMatchObject({ code: 'bad_request' });
    },
  );

  it.each(['X.org', 'x.org:443', 'https://x.org', 'https://X.ORG:443/', 'http://x.org:80'])(
    'is taken for the host %s',
    (host) => {
      expect(parse({ catalog: { host, queries: [csv] } }).request.catalog.publicHost).toBe('x.org');
    },
  );

  it.each(['../t', '/etc/t', 'a\\b', 'a/../../t', 'a\u0000b', '', `${'a/'.repeat(40)}t`])(
    'is refused with the output path %j (14)',
    (outputPath) => {
      const body = fileRequest({ processor: 'csv', query_path: '/entity/t', output_path: outputPath });
      expect(refusal(body)).toMatchObject({ status: 400, code: 'bad_path' });
    },
  );

  it.each([
    ['t', 't'],
    ['t', 't.csv'],
    ['t', './t'],
    ['t.csv/u', 't'],
  ])('is refused when the tables %j and %j collide (22)', (first, second) => {
    const table = (path: string) => ({ processor: 'csv', query_path: '/entity/t', output_path: path });
    expect(refusal(fileRequest(table(first), table(second)))).toMatchObject({ code: 'bad_path' });
  });

  it('may use columns of an env query that comes before, and none it was not told of', () => {
    const env = (keys: object) => ({ processor: 'env', query_path: '/entity/s:t', ...keys });
    const use = { processor: 'csv', query_path: '/entity/t', output_path: 'd_{RID}' };
    expect(parse(fileRequest(env({ query_keys: ['RID'] }), use)).request.queries).toHaveLength(2);
    expect(parse(fileRequest(env({}), use)).request.queries).toHaveLength(2);
    expect(refusal(fileRequest(env({ query_keys: ['n'] }), use))).toMatchObject({ code: 'bad_variable' });
    expect(refusal(fileRequest(use, env({ query_keys: ['RID'] })))).toMatchObject({ code: 'bad_variable' });
  });

  it('leaves the columns of rows to the rows, but not in a query', () => {
    const fetch = { processor: 'fetch', query_path: '/entity/t', output_path: 'img/{RID}', output_filename: '{name}' };
    expect(parse(fileRequest(fetch)).request.queries[0]).toMatchObject({ kind: 'fetch', outputPath: 'img/{RID}' });
    expect(refusal(fileRequest({ ...fetch, query_path: '/entity/t/{RID}' }))).toMatchObject({ code: 'bad_variable' });
  });

  it('knows its variables from the start', () => {
    const body = { env: { acc: 'a/b', n: 5, b: true, hostname: 'lies', request_ip: 'mine' }, ...fileRequest(csv) };
    expect(parse(body).request.variables).toEqual({
      request_ip: 'mine',
      service_url: 'https://x.org/export/file/ID',
      deriva_service_url: 'https://x.org/export/file/ID',
      acc: 'a/b',
      n: '5',
      b: 'true',
      hostname: 'x.org',
    });
  });

  it('warns of what it does not know, and of what it does nothing about', () => {
    const body = {
      colour: 'red',
      catalog: {
        host: 'x.org',
        mood: 1,
        queries: [
          { ...csv, extra: 1 },
          { processor: 'dir', output_path: 'd' },
        ],
      },
    };
    const { warnings, request } = parse(body);
    expect(request.queries).toHaveLength(1);
    expect(warnings.join('\n')).toMatch(
      /\/colour[\s\S]*\/catalog\/mood[\s\S]*\/catalog\/queries\/0\/extra[\s\S]*empty directory/,
    );
    expect(warnings).toHaveLength(4);
  });

  it('reads a query in pages when it is asked to', () => {
    const paging = (members: object) => parse(fileRequest({ ...csv, ...members })).request.queries[0];
    expect(paging({ paged_query: 'true' })).toMatchObject({ paging: { size: 100_000, sortColumns: ['RID'] } });
    const own = { paged_query: true, paged_query_size: 7, paged_query_sort_columns: ['a', 'b'] };
    expect(paging(own)).toMatchObject({ paging: { size: 7, sortColumns: ['a', 'b'] } });
    expect(paging({ paged_query_size: 7 })).toMatchObject({ paging: null });
  });

  it('gives a login beside the request, which is stored without it', () => {
    const login = { username: 'dora', password: 'secret' };
    const parsed = parse({ catalog: { host: 'x.org', queries: [csv], ...login } });
    expect(parsed.login).toEqual(login);
    expect(JSON.stringify(parsed.request)).not.toContain('secret');
    expect(parse({ catalog: { host: 'x.org', queries: [csv], password: 'secret' } }).login).toBeNull();
  });

  it('takes the id of the catalog from the path, a number or a snapshot', () => {
    const id = (members: object) => parse({ catalog: { host: 'x.org', queries: [csv], ...members } }).request.catalog;
    expect(id({ path: '/data/catalog/7' })).toMatchObject({ id: '7' });
    expect(id({ path: '/data/catalog/7', catalog_id: 8 })).toMatchObject({ id: '8' });
    expect(id({ catalog_id: '3@2YQ-ABC' })).toMatchObject({ id: '3', snapshot: '2YQ-ABC' });
  });

  it('maps the class names of old clients to processors', () => {
    const type = 'deriva.transfer.download.processors.query.base_query_processor.JSONStreamQueryProcessor';
    expect(parse(fileRequest({ ...csv, processor_type: type })).request.queries[0]).toMatchObject({
      format: 'json-stream',
    });
  });
});

describe('the bag of a request', () => {
  const bag = (members: object, settings = standard) =>
    parse({ bag: members, ...fileRequest(csv) }, 'bag', settings).request.bag;

  it('is needed on the bag endpoint and nowhere else (28, 29)', () => {
    expect(refusal(fileRequest(csv), 'bag')).toMatchObject({ detail: expect.stringContaining('/bag') });
    expect(parse({ bag: { bag_name: 'b', bag_archiver: 'zip' }, ...fileRequest(csv) }).request.bag).toBeNull();
    const asBag = { ...standard, fileWithBag: 'bag' as const };
    expect(
      parse({ bag: { bag_name: 'b', bag_archiver: 'zip' }, ...fileRequest(csv) }, 'file', asBag).request.bag,
    ).not.toBeNull();
  });

  it('has everything a bag needs (24, 27)', () => {
    expect(bag({ bag_name: 'b_{hostname}', bag_archiver: 'ZIP', bag_metadata: { 'Contact-Name': 'Ann' } })).toEqual({
      name: 'b_x.org',
      archiver: 'zip',
      metadata: [{ label: 'Contact-Name', value: 'Ann' }],
      algorithms: ['md5', 'sha256'],
      idempotent: false,
      strict: true,
      researchObject: false,
    });
  });

  it.each<[object]>([
    [{ bag_name: 'b', bag_archiver: 'rar' }],
    [{ bag_name: 'b' }],
    [{ bag_archiver: 'zip' }],
    [{ bag_name: 'a/b', bag_archiver: 'zip' }],
    [{ bag_name: '.b', bag_archiver: 'zip' }],
    [{ bag_name: '', bag_archiver: 'zip' }],
    [{ bag_name: 'b', bag_archiver: 'zip', bag_metadata: { n: 1 } }],
    [{ bag_name: 'b', bag_archiver: 'zip', bag_metadata: { 'a:b': 'x' } }],
    [{ bag_name: 'b', bag_archiver: 'zip', bag_algorithms: ['crc32'] }],
    [{ bag_name: 'b', bag_archiver: 'zip', bag_algorithms: [] }],
    [{ bag_name: '{RID}', bag_archiver: 'zip' }],
  ])('is refused: %j (26)', (members) => {
    expect(refusal({ bag: members, ...fileRequest(csv) }, 'bag')).toMatchObject({ status: 400 });
  });

  it('gets its format and its name from the deriva profile (26)', () => {
    expect(bag({}, deriva)).toMatchObject({ name: 'deriva_bag_2026-03-04_05.06.07', archiver: 'zip' });
  });

  it('takes the id of the catalog from its path only if it is one', () => {
    const at = (path: string): object => ({ catalog: { host: 'x.org', path, queries: [csv] } });
    expect(parse(at('/ermrest/catalog/7')).request.catalog).toMatchObject({ id: '7', snapshot: null });
    expect(parse(at('/data/catalog/7@2YQ-1/')).request.catalog).toMatchObject({ id: '7', snapshot: '2YQ-1' });
    expect(parse(at('/somewhere')).request.catalog).toMatchObject({ id: '1' });
    for (const path of ['/data/catalog/a b', '/data/catalog/..', '/data/catalog/1@2@3', '/data/catalog/1%2F2']) {
      expect(refusal(at(path))).toMatchObject({
        code: 'bad_request',
        detail: expect.stringMatching(/^\/catalog\/path /),
      });
    }
  });

  it("asks for a processor of the operator's by its type, whatever its parameters are", () => {
    const params = { query_path: '/entity/s:t', output_path: 'o/{request_ip}', anything: [1] };
    const query = { processor: 'shape', processor_type: 'org.example.Shape', processor_params: params };
    const { request, warnings } = parse(fileRequest(query));
    expect(request.queries).toMatchObject([{ kind: 'external', type: 'org.example.Shape', params }]);
    expect(warnings).toEqual([]);
    const wrong = { ...params, output_path: '../o' };
    expect(refusal(fileRequest({ ...query, processor_params: wrong }))).toMatchObject({ code: 'bad_path' });
    expect(refusal(fileRequest({ ...query, processor_type: 'org.example.Other' }))).toMatchObject({
      code: 'bad_request',
    });
  });
});
