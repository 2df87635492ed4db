import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  createHttpClient,
  externalClient,
  type HttpClient,
  isPublicAddress,
  objectStoreClient,
  RefusedAddressError,
  steadyRead,
} from '../src/index.js';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<number> {
  const server = createServer(answer);
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

const retry = { tries: 4, firstDelay: 1 };

describe('servers that somebody else named', () => {
  /** Everything resolves to this machine; which addresses count as public is the test's to say. */
  function client(mayConnect: (address: string) => boolean, mayAsk = (_host: string) => true) {
    const resolved: string[] = [];
    const external = externalClient({
      mayAsk,
      mayConnect,
      retry,
      resolve: async (host) => {
        resolved.push(host);
        return [{ address: '127.0.0.1', family: 4 }];
      },
    });
    closing.push(() => void external.close());
    return { external, resolved };
  }

  it('are asked at the address that was checked, without a second look-up', async () => {
    const asked: IncomingMessage['headers'][] = [];
    const port = await serve((request, response) => {
      asked.push(request.headers);
      response.end('content');
    });
    const { external, resolved } = client((address) => address === '127.0.0.1');
    const answer = await external.request('GET', `http://data.example:${port}/a?b`);
    expect(await answer.text()).toBe('content');
    expect(resolved).toEqual(['data.example']);
    expect(asked[0]).not.toHaveProperty('authorization');
  });

  it('are not connected to when their name leads inside', async () => {
    let connections = 0;
    const port = await serve((_request, response) => {
      connections += 1;
      response.end();
    });
    const { external } = client(isPublicAddress);
    for (const host of ['data.example', '127.0.0.1', '[::1]', '2130706433', '[::ffff:127.0.0.1]', '169.254.169.254']) {
      await expect(external.request('GET', `http://${host}:${port}/`)).rejects.toBeInstanceOf(RefusedAddressError);
    }
    expect(connections).toBe(0);
  });

  it('are checked again at each redirect, of which there are three at most', async () => {
    const port = await serve((request, response) => {
      const { url = '' } = request;
      const location = url === '/inside' ? 'http://10.0.0.1/' : url === '/other' ? 'http://no.example/' : url;
      response.writeHead(302, { Location: location }).end();
    });
    const { external } = client(
      (address) => address === '127.0.0.1',
      (host) => host !== 'no.example',
    );
    for (const path of ['/inside', '/other', '/round']) {
      await expect(external.request('GET', `http://data.example:${port}${path}`)).rejects.toBeInstanceOf(
        RefusedAddressError,
      );
    }
  });
});

describe('an object whose transfer breaks off', () => {
  const content = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => (at * 31) >> 7));

  async function read(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Buffer> {
    const port = await serve(answer);
    const http: HttpClient = createHttpClient({ origin: `http://127.0.0.1:${port}`, retry });
    closing.push(() => void http.close());
    const chunks: Uint8Array[] = [];
    const { body } = await steadyRead(objectStoreClient(http), '/os/a', { retry });
    for await (const chunk of body) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  it('is read on where it was, again and again as long as it gets ahead', async () => {
    const ranges: (string | undefined)[] = [];
    const result = await read((request, response) => {
      ranges.push(request.headers.range);
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
      const part = content.subarray(from);
      response.writeHead(from === 0 ? 200 : 206, {
        ETag: '"V"',
        'Content-Length': part.length,
        'Content-Range': `bytes ${from}-${content.length - 1}/${content.length}`,
      });
      if (from > 0) expect(request.headers['if-range']).toBe('"V"');
      if (part.length < 700_000) response.end(part);
      else response.write(part.subarray(0, 600_000), () => response.destroy());
    });
    const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    expect(hash(result)).toBe(hash(content));
    expect(ranges.length).toBeGreaterThan(3);
  });

  it('is given up when it was changed, or does not get ahead', async () => {
    const changed = read((request, response) => {
      response.writeHead(200, { ETag: request.headers.range === undefined ? '"V"' : '"W"', 'Content-Length': 100 });
      response.write('x', () => response.destroy());
    });
    await expect(changed).rejects.toThrow('was changed');
    let asked = 0;
    const stuck = read((request, response) => {
      asked += 1;
      const from = Number(/\d+/.exec(request.headers.range ?? '0')?.[0]);
      response.writeHead(from === 0 ? 200 : 206, {
        ETag: '"V"',
        'Content-Range': `bytes ${from}-99/100`,
        'Content-Length': 100 - from,
      });
      response.write('x', () => response.destroy());
    });
    await expect(stuck).rejects.toThrow();
    expect(asked).toBe(4);
  });
});
