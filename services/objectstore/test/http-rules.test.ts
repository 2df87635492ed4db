import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { identifier, sql } from '@holdfast/pg-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openTestStore, type TestStore } from './test-store.js';

const NS = { 'Content-Type': 'application/x-objstore-namespace' };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const TEXT = { 'Content-Type': 'text/plain' };

describe('the object store over HTTP', () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openTestStore({
      overrides: { objectStorePrefixes: ['/os', '/objects'] },
      environment: {
        UNKNOWN_LENGTH_ROLES: 'urn:service:export',
        MAX_OBJECT_BYTES: '1000',
        CORS_ORIGINS: 'https://ok.example',
      },
    });
    await store.http('PUT', '/os/a', { as: 'alice', headers: NS });
    await store.http('PUT', '/os/a;acl/create/urn%3Aservice%3Aexport', { as: 'alice' });
  });
  afterAll(() => store.close());
  const alice = (method: string, target: string, body?: string, headers?: Record<string, string>) =>
    store.http(method, target, { as: 'alice', body, headers });

  it('answers under the prefix of the request', async () => {
    expect((await alice('GET', '/objects/')).text).toContain('"/objects/a"');
    expect((await alice('GET', '/os/')).text).toContain('"/os/a"');
    const [left, right] = [await alice('GET', '/os'), await alice('GET', '/objects')];
    expect(left.headers.etag).toBe(right.headers.etag);
    expect((await alice('GET', '/elsewhere/a')).status).toBe(404);
  });

  it('lets nobody remake the root', async () => {
    expect((await alice('PUT', '/os/', undefined, NS)).code).toBe('name_in_use');
    expect((await store.http('PUT', '/os/', { as: 'bob', headers: NS })).status).toBe(403);
  });

  it('tells what methods a resource has, to everybody', async () => {
    const answer = await store.http('OPTIONS', '/os/whatever;acl');
    expect([answer.status, answer.headers.allow]).toEqual([204, 'GET, HEAD']);
    for (const [method, target] of [
      ['PATCH', '/os/a'],
      ['PUT', '/os/a;acl'],
      ['POST', '/os/a;versions'],
      ['DELETE', '/os/a;metadata'],
      ['PUT', '/os/a:V'],
    ] as const) {
      const refused = await alice(method, target, 'x');
      expect([refused.status, refused.code, typeof refused.headers.allow]).toEqual([
        405,
        'method_not_allowed',
        'string',
      ]);
    }
  });

  it('judges in the order of the specification', async () => {
    // syntax before the method, the method before the client, headers before the name
    expect((await store.http('PATCH', '/os/a%zz')).status).toBe(400);
    expect((await store.http('PUT', '/os/a:V', { body: 'x' })).status).toBe(405);
    expect((await alice('PUT', '/os/none/x', 'x', { 'Content-MD5': 'bad' })).status).toBe(400);
    // the name before the right, the right before the precondition, the precondition before the conflict
    expect((await store.http('PUT', '/os/none/x', { as: 'bob', body: 'x' })).status).toBe(404);
    expect((await store.http('PUT', '/os/a', { as: 'bob', headers: { ...NS, 'If-Match': '"x"' } })).status).toBe(403);
    expect((await alice('PUT', '/os/a', undefined, { ...NS, 'If-Match': '"x"' })).status).toBe(412);
    // a conflict before the missing length
    const unknown = { 'Transfer-Encoding': 'chunked' };
    expect((await alice('PUT', '/os/a', 'x', unknown)).status).toBe(409);
    expect((await alice('PUT', '/os/a/nolength', 'x', unknown)).status).toBe(411);
  });

  it('refuses what PostgreSQL could not hold where it is sent, not when it is looked up', async () => {
    await alice('PUT', '/os/a/nul', 'x');
    for (const [method, target] of [
      ['GET', '/os/a/nul:%00'],
      ['DELETE', '/os/a/nul:%00'],
      ['GET', '/os/a/nul:%00;acl'],
      ['GET', '/os/a/nul;upload/%00'],
      ['POST', '/os/a/nul;upload/%00'],
      ['PUT', '/os/a/nul;upload/%00/0'],
      ['GET', '/os/a;acl/read/%00'],
      ['GET', '/os/a;bulk/versions?after=/os/a/nul,%00'],
    ] as const) {
      const answer = await alice(method, target);
      expect([target, answer.status]).toEqual([target, 400]);
    }
    const command = { command: 'rename_from', source_name: '/a/nul', source_versions: ['\0'] };
    const renamed = await alice('POST', '/os/a/nul2', JSON.stringify(command), JSON_TYPE);
    expect([renamed.status, renamed.code]).toEqual([400, 'bad_request']);
  });

  it('says nothing of its tables when a statement fails', async () => {
    await alice('PUT', '/os/a/defect', 'x');
    const rename = (from: string, to: string) =>
      store.database.withConnection(null, (connection) =>
        connection.execute(sql`alter table ${identifier(from)} rename to ${identifier(to)}`),
      );
    await rename('os_job', 'os_elsewhere');
    try {
      const answer = await alice('GET', '/os/a/defect;upload');
      expect([answer.status, answer.code]).toEqual([500, 'internal']);
      expect(answer.text).not.toContain('os_job');
    } finally {
      await rename('os_elsewhere', 'os_job');
    }
  });

  it('answers conditions on names that were never there or are no more', async () => {
    expect((await alice('PUT', '/os/a/c', 'x', { 'If-Match': '*' })).status).toBe(412);
    expect((await alice('PUT', '/os/a/c', 'x', { 'If-None-Match': '*' })).status).toBe(201);
    expect((await alice('DELETE', '/os/a/c')).status).toBe(204);
    expect((await alice('PUT', '/os/a/c', 'x', { 'If-Match': '*' })).status).toBe(412);
    expect((await alice('PUT', '/os/a/c', 'x', { 'If-None-Match': '*' })).code).toBe('name_deleted');
    expect((await alice('PUT', '/os/a/c/d?parents=true', 'x')).code).toBe('name_deleted');
    expect((await alice('PUT', '/os/a/c/d', 'x')).status).toBe(404);
  });

  it('refuses content codings', async () => {
    const answer = await alice('PUT', '/os/a/gz', 'x', { 'Content-Encoding': 'gzip' });
    expect([answer.status, answer.code]).toEqual([415, 'bad_encoding']);
    // of every change, before the name is looked up
    for (const [method, target, headers] of [
      ['POST', '/os/none/gz', JSON_TYPE],
      ['POST', '/os/none/gz;upload', JSON_TYPE],
      ['POST', '/os/none/gz;upload/J', {}],
      ['PUT', '/os/none/gz;upload/J/0', {}],
      ['PUT', '/os/none/gz;acl/read', JSON_TYPE],
      ['PUT', '/os/none/gz;acl/read/x', {}],
      ['PUT', '/os/none/gz;metadata/content-type', TEXT],
    ] as const)
      expect((await alice(method, target, '{}', { ...headers, 'Content-Encoding': 'gzip' })).status).toBe(415);
  });

  it('has nothing of the content in the answer to a range outside it', async () => {
    await alice('PUT', '/os/a/outside', 'hello', TEXT);
    const { status, headers } = await alice('GET', '/os/a/outside', undefined, { Range: 'bytes=5-' });
    expect([status, headers['content-range']]).toEqual([416, 'bytes */5']);
    for (const name of ['content-location', 'content-disposition', 'etag', 'content-md5'])
      expect([name, headers[name]]).toEqual([name, undefined]);
  });

  it('warns of everybody as an owner, and of nothing else', async () => {
    await alice('PUT', '/os/a/owned', 'x');
    const from = store.log().length;
    await alice('PUT', '/os/a/owned;acl/read', '["*"]', JSON_TYPE);
    expect(store.log().slice(from)).not.toContain('everybody is an owner');
    await alice('PUT', '/os/a/owned;acl/owner', '["alice", "*"]', JSON_TYPE);
    await alice('PUT', '/os/a/owned2', 'x', { 'X-Initial-Acls': '{"owner": ["*"]}' });
    const warnings = store
      .log()
      .slice(from)
      .split('\n')
      .filter((line) => line.includes('everybody is an owner'));
    expect(warnings.map((line) => JSON.parse(line).level)).toEqual([40, 40]);
  });

  it('deletes a namespace under the tag of its listing', async () => {
    await alice('PUT', '/os/a/tagged', undefined, NS);
    const { etag } = (await alice('GET', '/os/a/tagged')).headers;
    await alice('PUT', '/os/a/tagged/x', undefined, NS);
    expect((await alice('DELETE', '/os/a/tagged', undefined, { 'If-Match': etag ?? '' })).status).toBe(412);
    await alice('DELETE', '/os/a/tagged/x');
    expect((await alice('DELETE', '/os/a/tagged', undefined, { 'If-Match': etag ?? '' })).status).toBe(204);
  });

  it('keeps pages of others out of browsers', async () => {
    await alice('PUT', '/os/a/page', '<script>', { 'Content-Type': 'text/html' });
    const page = await alice('GET', '/os/a/page');
    expect(page.headers['content-security-policy']).toBe('sandbox');
    expect(page.headers['x-content-type-options']).toBe('nosniff');
    expect(page.headers['cache-control']).toBe('private, no-cache');
    await alice('PUT', '/os/a/plain', 'x', TEXT);
    expect((await alice('GET', '/os/a/plain')).headers['content-security-policy']).toBeUndefined();
  });

  it('serves content without a type as bytes, and a name in its own spelling', async () => {
    await alice('PUT', '/os/a/%C3%A4%20b', 'x');
    const { headers } = await alice('HEAD', '/os/a/%c3%a4%20b');
    expect(headers['content-type']).toBe('application/octet-stream');
    expect(headers['content-disposition']).toBe("filename*=UTF-8''%C3%A4%20b");
    await alice('PUT', '/os/a/named', 'x', { 'Content-Disposition': "filename*=UTF-8''other.txt" });
    expect((await alice('HEAD', '/os/a/named')).headers['content-disposition']).toBe("filename*=UTF-8''other.txt");
  });

  it('handles empty content', async () => {
    expect((await alice('PUT', '/os/a/empty', '', { 'Content-Length': '0' })).status).toBe(201);
    const got = await alice('GET', '/os/a/empty');
    expect([got.status, got.headers['content-length'], got.text]).toEqual([200, '0', '']);
    expect((await alice('GET', '/os/a/empty', undefined, { Range: 'bytes=0-' })).headers['content-range']).toBe(
      'bytes */0',
    );
  });

  it('answers errors in the form asked for', async () => {
    const json = await alice('GET', '/os/none');
    expect(json.headers['content-type']).toBe('application/json');
    expect(JSON.parse(json.text)).toEqual({
      status: 404,
      title: expect.any(String),
      detail: expect.any(String),
      code: 'not_found',
      request_id: json.headers['x-request-id'],
    });
    const text = await alice('GET', '/os/none', undefined, { Accept: 'text/plain' });
    expect(text.headers['content-type']).toBe('text/plain; charset=utf-8');
    const html = await alice('GET', '/os/none', undefined, { Accept: 'text/html' });
    expect(html.headers['content-type']).toMatch(/^text\/html/);
    expect((await alice('HEAD', '/os/none')).text).toBe('');
  });

  it('gives CORS headers to the origins it knows', async () => {
    const known = await alice('GET', '/os/a', undefined, { Origin: 'https://ok.example' });
    expect(known.headers['access-control-allow-origin']).toBe('https://ok.example');
    const preflight = await store.http('OPTIONS', '/os/a', { headers: { Origin: 'https://ok.example' } });
    expect(preflight.headers['access-control-allow-methods']).toContain('PUT');
    const other = await alice('GET', '/os/a', undefined, { Origin: 'https://bad.example' });
    expect(other.headers['access-control-allow-origin']).toBeUndefined();
  });

  describe('content of unknown length', () => {
    const chunked = { 'Transfer-Encoding': 'chunked' };
    it('is taken from the roles that may, up to the largest object', async () => {
      const service = (body: string) =>
        store.http('PUT', '/os/a/stream', { as: 'urn:service:export', headers: chunked, body });
      expect((await service('x'.repeat(1000))).status).toBe(201);
      expect((await service('x'.repeat(1001))).status).toBe(413);
      expect((await store.http('GET', '/os/a/stream', { as: 'alice' })).bytes.byteLength).toBe(1000);
    });

    it('is nothing when the last piece is missing', async () => {
      const head =
        'PUT /os/a/cut HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer urn:service:export\r\nTransfer-Encoding: chunked\r\n\r\n';
      await new Promise((resolve) => {
        const socket = connect(store.http.port, '127.0.0.1', () => socket.end(`${head}5\r\nhello\r\n`));
        socket.on('close', resolve).on('error', resolve).resume();
      });
      expect((await alice('GET', '/os/a/cut')).status).toBe(404);
      const blobs = (): Promise<readonly object[]> =>
        store.database.withConnection(null, (connection) =>
          connection.query(sql`select from os_blob where state = 'staged'`),
        );
      while ((await blobs()).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
      expect((await alice('GET', '/os/a/cut')).status).toBe(404);
    });

    it('is refused under a transfer coding that would have to be taken off', async () => {
      const headers = { 'Transfer-Encoding': 'gzip, chunked' };
      const answer = await store.http('PUT', '/os/a/coded', { as: 'urn:service:export', headers, body: 'x' });
      expect(answer.status).toBe(411);
    });

    it.each([
      ['right', createHash('md5').update('hello').digest('base64'), 201],
      ['wrong', createHash('md5').update('other').digest('base64'), 400],
    ])('may be followed by its hash: %s', async (name, md5, status) => {
      const answer = await putWithTrailer(store.http.port, `/os/a/trailer-${name}`, 'hello', md5);
      expect(answer).toBe(status);
      expect((await alice('GET', `/os/a/trailer-${name};metadata/content-md5`)).status).toBe(
        status === 201 ? 200 : 404,
      );
    });
  });

  describe('lists at creation', () => {
    const given = (lists: unknown) => ({ 'X-Initial-Acls': JSON.stringify(lists) });
    it('can be given, for namespaces and objects', async () => {
      await alice('PUT', '/os/a/given', undefined, { ...NS, ...given({ owner: ['bob'], read: ['*'] }) });
      expect(JSON.parse((await store.http('GET', '/os/a/given;acl', { as: 'bob' })).text)).toMatchObject({
        owner: ['bob'],
        read: ['*'],
      });
      await alice('PUT', '/os/a/givenobject', 'x', given({ read: ['bob'], update: ['bob'] }));
      // the first version takes owner and read of its object, a later one belongs to its writer
      expect((await store.http('GET', '/os/a/givenobject', { as: 'bob' })).status).toBe(200);
      await store.http('PUT', '/os/a/givenobject', { as: 'bob', body: 'y' });
      const latest = (await alice('HEAD', '/os/a/givenobject')).headers['content-location'] ?? '';
      expect((await alice('GET', `${latest};acl`)).text).toBe('{"owner":["bob"],"read":[]}\n');
    });

    it.each([
      ['nonsense', '{'],
      ['an unknown list', '{"create": ["x"]}'],
      ['nobody as owner', '{"owner": []}'],
      ['no list', '{"read": "bob"}'],
    ])('are refused: %s', async (_, text) => {
      expect((await alice('PUT', '/os/a/bad', 'x', { 'X-Initial-Acls': text })).status).toBe(400);
      expect((await alice('GET', '/os/a/bad')).status).toBe(404);
    });

    it('are refused for an object that is there', async () => {
      await alice('PUT', '/os/a/there', 'x');
      expect((await alice('PUT', '/os/a/there', 'y', given({ read: ['*'] }))).status).toBe(400);
      expect(JSON.parse((await alice('GET', '/os/a/there;versions')).text)).toHaveLength(1);
    });

    it('pass to the owners above when nobody is known', async () => {
      await alice('PUT', '/os/a/public', undefined, NS);
      await alice('PUT', '/os/a/public;acl/create', '["*"]', JSON_TYPE);
      expect((await store.http('PUT', '/os/a/public/n/o?parents=true', { body: 'x' })).status).toBe(201);
      expect((await alice('GET', '/os/a/public/n/o;acl/owner')).text).toBe('["alice"]\n');
    });
  });

  describe('metadata', () => {
    it('go back to what is served without them', async () => {
      await alice('PUT', '/os/a/m', 'hello', TEXT);
      expect((await alice('DELETE', '/os/a/m;metadata/content-type')).status).toBe(204);
      expect((await alice('GET', '/os/a/m;metadata/content-type')).status).toBe(404);
      expect((await alice('HEAD', '/os/a/m')).headers['content-type']).toBe('application/octet-stream');
      for (const body of ['', ' \n ', 'a/b\nc/d', 'nonsense'])
        expect((await alice('PUT', '/os/a/m;metadata/content-type', body, TEXT)).status).toBe(400);
      expect((await alice('PUT', '/os/a/m;metadata/content-disposition', "filename*=UTF-8''z", TEXT)).status).toBe(204);
      expect((await alice('GET', '/os/a/m;metadata')).text).toContain(`"content-disposition":"filename*=UTF-8''z"`);
    });

    it('are changed under their tag', async () => {
      await alice('PUT', '/os/a/mt', 'hello', TEXT);
      const { etag } = (await alice('GET', '/os/a/mt;metadata/content-type')).headers;
      const put = (text: string) =>
        alice('PUT', '/os/a/mt;metadata/content-type', text, { ...TEXT, 'If-Match': etag ?? '' });
      expect((await put('a/b')).status).toBe(204);
      expect((await put('c/d')).status).toBe(412);
      expect(
        (await alice('GET', '/os/a/mt;metadata/content-type', undefined, { 'If-None-Match': etag ?? '' })).text,
      ).toBe('a/b');
    });

    it('need a version', async () => {
      const made = await alice('PUT', '/os/a/mv', 'hello', TEXT);
      await alice('DELETE', made.headers.location ?? '');
      expect((await alice('GET', '/os/a/mv;metadata')).code).toBe('no_current_version');
      expect((await alice('GET', `${made.headers.location};metadata`)).status).toBe(404);
    });
  });

  it('streams a listing that is too long to hold, with its length and tag', async () => {
    await alice('PUT', '/os/long', undefined, NS);
    await store.database.withConnection(null, (connection) =>
      connection.execute(sql`insert into os_name (parent_id, ancestors, path, kind, acl_owner)
        select id, ancestors || id, path || '/' || to_char(number, 'FM00000') || repeat('x', 100), 'namespace', '{alice}'
        from os_name, generate_series(1, 3500) number where path = '/long'`),
    );
    const listed = await alice('GET', '/os/long');
    const paths: string[] = JSON.parse(listed.text);
    expect(paths).toHaveLength(3500);
    expect(paths).toEqual([...paths].sort());
    expect(Number(listed.headers['content-length'])).toBe(listed.bytes.byteLength);
    const head = await alice('HEAD', '/os/long');
    expect([head.headers['content-length'], head.headers.etag, head.text]).toEqual([
      listed.headers['content-length'],
      listed.headers.etag,
      '',
    ]);
    expect((await alice('GET', '/os/long', undefined, { 'If-None-Match': listed.headers.etag ?? '' })).status).toBe(
      304,
    );
  });
});

describe('errors', () => {
  it('are in the words of the deployment where it has some', async () => {
    const templates = { 404: { 'text/html': '<p>Ask {code} for <b>{detail}</b></p>' } };
    const store = await openTestStore({ environment: { ERROR_TEMPLATES: JSON.stringify(templates) } });
    try {
      const none = await store.http('GET', '/os/none', { as: 'alice', headers: { Accept: 'text/html' } });
      expect(none.text).toBe('<p>Ask not_found for <b>There is no namespace or object of this name.</b></p>');
      expect((await store.http('GET', '/os/none', { as: 'alice' })).code).toBe('not_found');
    } finally {
      await store.close();
    }
  });
});

describe('the bounds of URLs', () => {
  it('are those of the deployment', async () => {
    const store = await openTestStore({
      environment: {
        URL_MAX_SEGMENT_BYTES: '10',
        URL_MAX_PATH_BYTES: '30',
        URL_MAX_DEPTH: '3',
        URL_MAX_TARGET_BYTES: '60',
      },
    });
    try {
      const status = async (target: string): Promise<number> =>
        (await store.http('PUT', target, { as: 'alice', body: 'x' })).status;
      expect(await status('/os/1234567890')).toBe(201);
      expect(await status('/os/12345678901')).toBe(400);
      expect(await status('/os/%C3%A4%C3%A4%C3%A4%C3%A4%C3%A4')).toBe(400);
      expect(await status('/os/a/b/c/d?parents=true')).toBe(400);
      expect(await status(`/os/e?${'x'.repeat(54)}`)).toBe(201);
      expect(await status(`/os/f?${'x'.repeat(55)}`)).toBe(414);
      const command = { command: 'rename_from', source_name: '/12345678901' };
      const rename = { as: 'alice', headers: JSON_TYPE, body: JSON.stringify(command) };
      expect((await store.http('POST', '/os/g', rename)).code).toBe('bad_name');
    } finally {
      await store.close();
    }
  });
});

describe('the rate limit', () => {
  it('holds for each client alone, and only where there is one', async () => {
    const store = await openTestStore({ environment: { RATE_LIMIT_PER_SECOND: '0.001', RATE_LIMIT_BURST: '2' } });
    try {
      const ask = (as?: string) => store.http('GET', '/os', { as });
      for (const client of ['alice', undefined]) {
        await ask(client);
        await ask(client);
        const refused = await ask(client);
        expect([refused.status, refused.code, Number(refused.headers['retry-after']) > 900]).toEqual([
          429,
          'too_many',
          true,
        ]);
      }
      expect((await ask('bob')).status).toBe(403);
    } finally {
      await store.close();
    }
  });
});

describe('bulk deletion', () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await openTestStore({ profile: 'deriva', environment: { MAX_BULK_DELETE: '20' } });
  });
  afterAll(() => store.close());
  const as = (client: string, method: string, target: string, body?: string, headers?: Record<string, string>) =>
    store.http(method, target, { as: client, body, headers });

  it('takes everything beneath, or nothing when one version may not be deleted', async () => {
    // bob owns all names, alice one version
    await as('alice', 'PUT', '/os/t', undefined, { ...NS, 'X-Initial-Acls': '{"owner": ["bob"]}' });
    await as('bob', 'PUT', '/os/t/n', undefined, NS);
    await as('bob', 'PUT', '/os/t/n/o', 'x');
    await as('alice', 'PUT', '/os/t/n/o', 'y');
    expect((await as('bob', 'DELETE', '/os/t')).status).toBe(403);
    expect((await store.http('DELETE', '/os/t')).status).toBe(401);
    expect((await as('alice', 'GET', '/os/t/n/o')).text).toBe('y');
    expect((await as('alice', 'DELETE', '/os/t')).status).toBe(204);
    for (const target of ['/os/t', '/os/t/n', '/os/t/n/o']) expect((await as('alice', 'GET', target)).status).toBe(404);
    expect((await as('alice', 'PUT', '/os/t/n/o', 'z')).status).toBe(404);
  });

  it('is bounded', async () => {
    for (let index = 0; index < 20; index += 1) await as('alice', 'PUT', `/os/b/n${index}?parents=true`, undefined, NS);
    expect((await as('alice', 'DELETE', '/os/b')).status).toBe(409);
    await as('alice', 'DELETE', '/os/b/n0');
    expect((await as('alice', 'DELETE', '/os/b')).status).toBe(204);
  });

  it('knows the other media type of its clients, and answers them in text', async () => {
    const made = await as('alice', 'PUT', '/os/h', undefined, {
      'Content-Type': 'application/x-hatrac-namespace; v=1',
    });
    expect(made.text).toBe('/os/h\n');
    const again = await as('alice', 'PUT', '/os/h', undefined, NS);
    expect([again.status, again.headers['content-type']]).toEqual([409, 'text/plain']);
  });
});

describe('the firewall', () => {
  it('stands before the lists of resources', async () => {
    const store = await openTestStore({ environment: { READ_ONLY: 'true', FIREWALL_ACLS: '{"create": ["alice"]}' } });
    try {
      const alice = (method: string, target: string, headers?: Record<string, string>) =>
        store.http(method, target, { as: 'alice', headers, body: '' });
      expect((await alice('PUT', '/os/a', NS)).status).toBe(201);
      expect((await store.http('PUT', '/os/none/b', { as: 'bob', headers: NS })).status).toBe(403);
      expect((await store.http('PUT', '/os/none/b', { headers: NS })).status).toBe(401);
      expect((await alice('DELETE', '/os/a')).status).toBe(403);
      expect((await alice('PUT', '/os/a;acl/read/bob')).status).toBe(403);
      expect((await alice('DELETE', '/os/a;metadata/content-type')).status).toBe(403);
      expect((await alice('GET', '/os/a')).status).toBe(200);
    } finally {
      await store.close();
    }
  });
});

function putWithTrailer(port: number, path: string, body: string, md5: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      Authorization: 'Bearer urn:service:export',
      'Transfer-Encoding': 'chunked',
      Trailer: 'Content-MD5',
    };
    const sent = httpRequest({ host: '127.0.0.1', port, method: 'PUT', path, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    }).on('error', reject);
    sent.write(body);
    sent.addTrailers([['Content-MD5', md5]]);
    sent.end();
  });
}
