import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
  HttpError,
  type RetryPolicy,
  TransportError,
} from '../src/index.js';
import { type RecordingServer, recordingServer } from './support/recording-server.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serverAndClient(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  options: Partial<HttpClientOptions> = {},
  raw = false,
): Promise<{ readonly server: RecordingServer; readonly http: HttpClient }> {
  const server = await recordingServer(answer, { raw });
  const http = createHttpClient({ origin: server.origin, ...options });
  closing.push(server.close, http.close);
  return { server, http };
}

const quick: RetryPolicy = { tries: 3, firstDelay: 1 };

describe('the HTTP client', () => {
  it('keeps its connection and sends its credential, asking for it each time', async () => {
    let count = 0;
    const { server, http } = await serverAndClient((_request, response) => response.end('ok'), {
      credential: () => {
        count += 1;
        return { bearer: `t${count}` };
      },
      userAgent: 'tests/1',
    });
    for (let round = 0; round < 10; round += 1) await (await http.request({ method: 'GET', path: '/a' })).discard();
    expect(server.connections()).toBeLessThanOrEqual(2);
    expect(server.seen.slice(0, 2).map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t2']);
    expect(server.seen[0]?.headers['user-agent']).toBe('tests/1');
    await (await http.as({ cookie: 'session=x' }).request({ method: 'GET', path: '/a' })).discard();
    expect(server.seen.at(-1)?.headers).toMatchObject({ cookie: 'session=x' });
    expect(server.seen.at(-1)?.headers.authorization).toBeUndefined();
  });

  it('turns a refusal into an HttpError with everything the service said', async () => {
    const { http } = await serverAndClient((_request, response) => {
      response.writeHead(503, { 'X-Request-Id': 'r1', 'Retry-After': '7', 'Content-Type': 'application/json' });
      response.end('{"status":503,"title":"Away.","detail":"Try again.","code":"unavailable","request_id":"r1"}');
    });
    const failure = await http.request({ method: 'GET', path: '/x?token=s' }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(HttpError);
    expect(failure).toMatchObject({
      status: 503,
      code: 'unavailable',
      title: 'Away.',
      detail: 'Try again.',
      requestId: 'r1',
      retryAfter: 7,
      path: '/x',
    });
  });

  it('reads the text form of an error too, and a HEAD without a body', async () => {
    const { http } = await serverAndClient((_request, response) => {
      response.writeHead(404, { 'Content-Type': 'text/plain' });
      response.end('Resource not found. Detail: No such table.\n');
    });
    await expect(http.request({ method: 'GET', path: '/' })).rejects.toMatchObject({ detail: 'No such table.' });
    await expect(http.request({ method: 'HEAD', path: '/' })).rejects.toMatchObject({ status: 404, detail: '' });
  });

  it('repeats reads that may pass, and only those', async () => {
    let failures = 2;
    const { server, http } = await serverAndClient(
      (_request, response) => {
        response.statusCode = failures > 0 ? 502 : 200;
        failures -= 1;
        response.end('x');
      },
      { retry: quick },
    );
    expect(await (await http.request({ method: 'GET', path: '/' })).text()).toBe('x');
    expect(server.seen).toHaveLength(3);
    failures = 1;
    await expect(http.request({ method: 'POST', path: '/', body: 'b' })).rejects.toMatchObject({ status: 502 });
    expect(server.seen).toHaveLength(4);
    failures = 9;
    await expect(http.request({ method: 'HEAD', path: '/' })).rejects.toMatchObject({ status: 502 });
    expect(server.seen).toHaveLength(7);
  });

  it('does not repeat what the service refused for good', async () => {
    const { server, http } = await serverAndClient(
      (_request, response) => {
        response.statusCode = 404;
        response.end();
      },
      { retry: quick },
    );
    await expect(http.request({ method: 'GET', path: '/' })).rejects.toBeInstanceOf(HttpError);
    expect(server.seen).toHaveLength(1);
  });

  it('tells apart a server that is away, one that is silent, and one that breaks off', async () => {
    const away = createHttpClient({ origin: 'http://127.0.0.1:1' });
    closing.push(away.close);
    await expect(away.request({ method: 'GET', path: '/' })).rejects.toMatchObject({
      name: 'TransportError',
      kind: 'connect',
    });
    const { http } = await serverAndClient((request, response) => {
      if (request.url === '/silent') return;
      response.writeHead(200, { 'Content-Length': '10' });
      response.write('half');
      setTimeout(() => response.destroy(), 20);
    });
    await expect(http.request({ method: 'GET', path: '/silent', idleTimeout: 50 })).rejects.toMatchObject({
      kind: 'timeout',
    });
    const cut = await http.request({ method: 'GET', path: '/cut' });
    await expect(cut.text()).rejects.toBeInstanceOf(TransportError);
  });

  it('streams a body of unknown length in chunks, no faster than the server reads', async () => {
    let produced = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (; produced < 4_000; produced += 1) yield Buffer.alloc(64 * 1024);
    }
    let resume: () => void = () => undefined;
    const arrived = new Promise<IncomingMessage>((resolve) => {
      void serverAndClient(
        (request, response) => {
          resume = () => {
            request.resume();
            request.on('end', () => response.end('done'));
          };
          resolve(request);
        },
        {},
        true,
      ).then(({ http }) => {
        answer = http.request({ method: 'PUT', path: '/', body: endless() }).then((got) => got.text());
      });
    });
    let answer: Promise<string> | undefined;
    const request = await arrived;
    expect(request.headers['transfer-encoding']).toBe('chunked');
    await new Promise((resolve) => {
      setTimeout(resolve, 200);
    });
    expect(produced).toBeLessThan(1_000);
    resume();
    expect(await answer).toBe('done');
    expect(produced).toBe(4_000);
  });

  it('gives the error of the body that could not be produced', async () => {
    const { http } = await serverAndClient((_request, response) => response.end('never'));
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('a');
      throw new RangeError('the disk is gone');
    }
    await expect(http.request({ method: 'PUT', path: '/', body: broken() })).rejects.toThrow('the disk is gone');
  });

  it('ends with the reason of the signal, and takes the request away from the server', async () => {
    const abort = new AbortController();
    const gone = new Promise<void>((resolve) => {
      void serverAndClient((request, response) => {
        request.socket.on('close', () => resolve());
        response.flushHeaders();
        abort.abort(new Error('enough'));
      }).then(({ http }) => {
        answer = http.request({ method: 'GET', path: '/', signal: abort.signal }).then((got) => got.text());
        answer.catch(() => undefined);
      });
    });
    let answer: Promise<string> | undefined;
    await gone;
    await expect(answer).rejects.toThrow('enough');
  });

  it('follows redirects only when told, and leaves the credential behind at another origin', async () => {
    const other = await recordingServer((_request, response) => response.end('elsewhere'));
    closing.push(other.close);
    const { server, http } = await serverAndClient(
      (request, response) => {
        response.writeHead(303, { Location: request.url === '/a' ? '/b' : `${other.origin}/presigned?sig=1` });
        response.end();
      },
      { credential: { bearer: 'secret' } },
    );
    const first = await http.request({ method: 'GET', path: '/a' });
    expect(first.status).toBe(303);
    await first.discard();
    expect(await (await http.request({ method: 'GET', path: '/a', redirects: 2 })).text()).toBe('elsewhere');
    expect(server.seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/a', 'Bearer secret'],
      ['/a', 'Bearer secret'],
      ['/b', 'Bearer secret'],
    ]);
    expect(other.seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/presigned?sig=1', undefined],
    ]);
  });
});
