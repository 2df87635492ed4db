import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { catalogClient, createHttpClient, exportClient, type HttpClient, objectStoreClient } from '../src/index.js';
import { type RecordingServer, recordingServer, type SeenRequest } from './support/recording-server.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(
  answer: (request: IncomingMessage, response: ServerResponse, seen: SeenRequest) => void,
): Promise<{ readonly server: RecordingServer; readonly http: HttpClient }> {
  const server = await recordingServer(answer);
  const http = createHttpClient({ origin: server.origin });
  closing.push(server.close, http.close);
  return { server, http };
}

function json(response: ServerResponse, status: number, document: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify(document));
}

describe('the catalog client', () => {
  it('creates a catalog and goes on with it', async () => {
    const { server, http } = await start((request, response) =>
      request.method === 'POST'
        ? json(response, 201, { id: '7' })
        : json(response, 200, { id: '7', snaptime: '2YQ-ABC', rights: { owner: true }, annotations: {} }),
    );
    const catalog = await catalogClient(http).createCatalog({ name: 'n' });
    expect(catalog.id).toBe('7');
    expect(await catalog.describe()).toMatchObject({ id: '7', snaptime: '2YQ-ABC', rights: { owner: true } });
    expect(server.seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', '/data/catalog', '{"name":"n"}'],
      ['GET', '/data/catalog/7', ''],
    ]);
  });

  it('queries a snapshot in the format asked for', async () => {
    const { server, http } = await start((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/csv' });
      response.end('a,b\n1,2\n');
    });
    const answer = await catalogClient(http, '/ermrest')
      .catalog('1')
      .query('/entity/s:t', { accept: 'text/csv', snapshot: '2YQ' });
    expect(answer.contentType).toBe('text/csv');
    expect(await answer.text()).toBe('a,b\n1,2\n');
    expect(server.seen[0]).toMatchObject({ url: '/ermrest/catalog/1@2YQ/entity/s:t', headers: { accept: 'text/csv' } });
  });

  it('iterates over rows, and lets go of the query when the reader stops', async () => {
    let closed: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const { http } = await start((request, response) => {
      request.socket.on('close', () => closed());
      response.writeHead(200, { 'Content-Type': 'application/x-json-stream' });
      response.write('{"n":1}\n{"n":2}\n{"n":');
    });
    const seen: unknown[] = [];
    for await (const row of catalogClient(http).catalog('1').rows('/entity/t')) {
      seen.push(row);
      if (seen.length === 2) break;
    }
    expect(seen).toEqual([{ n: 1 }, { n: 2 }]);
    await gone;
  });

  it('sends objects as a JSON stream, with what happens to columns and conflicts', async () => {
    const { server, http } = await start((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/x-json-stream' });
      response.end('{"RID":"1-A"}\n');
    });
    const answer = await catalogClient(http)
      .catalog('1')
      .createEntities(
        { schema: 'my schema', table: 't' },
        { kind: 'objects', rows: [{ n: 1 }, { n: 2 }] },
        { defaults: ['a', 'b,c'], nondefaults: ['RID'], onconflict: 'skip' },
      );
    const rows: unknown[] = [];
    for await (const row of answer.rows()) rows.push(row);
    expect(rows).toEqual([{ RID: '1-A' }]);
    expect(server.seen[0]).toMatchObject({
      method: 'POST',
      url: '/data/catalog/1/entity/my%20schema:t?defaults=a,b%2Cc&nondefaults=RID&onconflict=skip',
      headers: { 'content-type': 'application/x-json-stream' },
      body: '{"n":1}\n{"n":2}\n',
    });
  });
});

describe('the object store client', () => {
  it('stores content with length, hash, name and lists, and learns its version', async () => {
    const { server, http } = await start((_request, response) => {
      response.writeHead(201, { Location: '/objects/a/b:V1', 'Content-Type': 'text/uri-list' });
      response.end('/objects/a/b:V1\n');
    });
    const version = await objectStoreClient(http).put('/objects/a/b', 'hello', {
      length: 5,
      md5: '5d41402abc4b2a76b9719d911017c592',
      contentType: 'text/plain',
      fileName: 'grüße (1).txt',
      parents: true,
      acls: { read: ['ümlaut'] },
      onlyIf: 'absent',
    });
    expect(version).toBe('/objects/a/b:V1');
    expect(server.seen[0]).toMatchObject({
      method: 'PUT',
      url: '/objects/a/b?parents=true',
      body: 'hello',
      headers: {
        'content-length': '5',
        'content-md5': '5d41402abc4b2a76b9719d911017c592',
        'content-disposition': "filename*=UTF-8''gr%C3%BC%C3%9Fe%20%281%29.txt",
        'x-initial-acls': '{"read":["\\u00fcmlaut"]}',
        'if-none-match': '*',
      },
    });
  });

  it('may take longer over a slow content than a server may be silent', async () => {
    const server = await recordingServer((_request, response) => {
      response.writeHead(201, { Location: '/objects/a:V1' }).end();
    });
    const http = createHttpClient({ origin: server.origin, idleTimeout: 1_000 });
    closing.push(server.close, http.close);
    async function* trickle(): AsyncGenerator<Uint8Array> {
      for (let count = 0; count < 5; count += 1) {
        yield Buffer.from('x');
        await new Promise((resolve) => {
          setTimeout(resolve, 500);
        });
      }
    }
    expect(await objectStoreClient(http).put('/objects/a', trickle(), { idleTimeout: 0 })).toBe('/objects/a:V1');
    expect(server.seen[0]?.body).toBe('xxxxx');
  });

  it('says what is known of a version', async () => {
    const { http } = await start((_request, response) => {
      response.writeHead(200, {
        'Content-Length': '5',
        'Content-Type': 'text/plain',
        'Content-MD5': 'XUFAKrxLKna5cZ2REBfFkg==',
        'Content-Location': '/objects/a/b:V1',
        'Content-Disposition': "filename*=UTF-8''b%20c.txt",
        ETag: '"V1"',
      });
      response.end();
    });
    expect(await objectStoreClient(http).head('/objects/a/b')).toEqual({
      versionPath: '/objects/a/b:V1',
      length: 5,
      contentType: 'text/plain',
      md5: '5d41402abc4b2a76b9719d911017c592',
      sha256: null,
      fileName: 'b c.txt',
      etag: '"V1"',
    });
  });
});

describe('the export client', () => {
  it('runs an export and reads what it made, but from no other server', async () => {
    const { server, http } = await start((request, response) => {
      if (request.method === 'POST') {
        response.writeHead(200, { 'Content-Type': 'text/uri-list', 'X-Export-Id': 'e1' });
        response.end(`${server.origin}/export/file/e1/a.csv\n${server.origin}/export/file/e1/b.csv`);
      } else response.end('content');
    });
    const client = exportClient(http);
    const { id, urls } = await client.run('file', { catalog: {} });
    expect(id).toBe('e1');
    expect(urls).toHaveLength(2);
    expect(await (await client.fetch(urls[1] ?? '')).text()).toBe('content');
    expect(server.seen[1]?.url).toBe('/export/file/e1/b.csv');
    expect(() => client.fetch('https://elsewhere.example/export/file/e1/a.csv')).toThrow('another server');
  });

  it('starts an export and asks how far it is', async () => {
    const status = { id: 'e1', state: 'running', results: [], error: null, progress: { rows: 5 } };
    const { server, http } = await start((request, response) =>
      json(response, request.method === 'POST' ? 202 : 200, status),
    );
    const client = exportClient(http);
    expect((await client.start('bag', {})).state).toBe('running');
    expect(server.seen[0]).toMatchObject({ url: '/export/bag', headers: { prefer: 'respond-async' } });
    expect(await client.status('e1')).toMatchObject({ id: 'e1', progress: { rows: 5 } });
  });
});
