import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { wireProfile } from '@holdfast/http-kit';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type FrontDoor, startFrontDoor } from '../src/front-door/front-door.js';
import { routesOf } from '../src/front-door/routes.js';

const servers: Server[] = [];
const doors: FrontDoor[] = [];

afterEach(async () => {
  await Promise.all(doors.splice(0).map((door) => door.close()));
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A front door before one service that answers every path. */
async function doorBefore(listener: RequestListener): Promise<{ port: number; service: Server }> {
  const service = createServer(listener).listen(0, '127.0.0.1');
  servers.push(service);
  await once(service, 'listening');
  const address = service.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const door = await startFrontDoor({ host: '127.0.0.1', port: 0, routes: routesOf(wireProfile('standard')) });
  doors.push(door);
  door.open({ catalog: port, objectstore: port, export: port });
  return { port: door.port, service };
}

/** Sends bytes as they are and gives everything that comes back until the connection closes. */
async function exchange(port: number, message: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(message, 'latin1');
  return text(socket);
}

const close = 'Host: localhost\r\nConnection: close\r\n';

describe('the front door', () => {
  it.each([
    '/objects/a%2Fb//c/./../d:v;metadata/x%20y',
    '/data/catalog/1/entity/S:T/n%3A=%E2%82%AC&n::regexp::a%7Cb?limit=1&a=%',
    '/objects;acl',
    '/objects?x',
    '/data//',
  ])('hands on the target %j byte for byte', async (target) => {
    const { port } = await doorBefore((incoming, response) => response.end(incoming.url));
    expect(await exchange(port, `GET ${target} HTTP/1.1\r\n${close}\r\n`)).toContain(target);
  });

  it('understands a target with scheme and authority', async () => {
    const { port } = await doorBefore((incoming, response) => response.end(incoming.url));
    expect(await exchange(port, `GET http://localhost/data/x HTTP/1.1\r\n${close}\r\n`)).toMatch(/^\/data\/x/m);
  });

  it.each(['/database', '/dat', '/objectsx/1', '/%64ata/', '//data/'])('has nobody for %s', async (target) => {
    const { port } = await doorBefore((_, response) => response.end('wrong'));
    const answer = await exchange(port, `GET ${target} HTTP/1.1\r\n${close}\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 404/);
    expect(answer).toContain('"/objects":"objectstore"');
  });

  it('says at its root what is here', async () => {
    const { port } = await doorBefore((_, response) => response.end());
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect(await answer.json()).toMatchObject({
      prefixes: { '/data': 'catalog', '/authn': 'catalog', '/export': 'export' },
    });
  });

  it('says that it is not ready before the services are, and that a service is gone', async () => {
    const door = await startFrontDoor({ host: '127.0.0.1', port: 0, routes: routesOf(wireProfile('standard')) });
    doors.push(door);
    expect((await fetch(`http://127.0.0.1:${door.port}/data/`)).status).toBe(503);
    door.open({ catalog: 1, objectstore: 1, export: 1 });
    const answer = await fetch(`http://127.0.0.1:${door.port}/objects/x`);
    expect([answer.status, await answer.json()]).toEqual([
      502,
      expect.objectContaining({ detail: expect.stringContaining('objectstore') }),
    ]);
  });

  it('keeps header lines, repeated ones too, and drops those of the connection', async () => {
    const { port } = await doorBefore((incoming, response) => {
      response.setHeader('Set-Cookie', ['a=1', 'b=2']);
      response.setHeader('Warning', ['199 - "x"', '199 - "y"']);
      response.setHeader('Date', 'yesterday');
      response.statusMessage = 'As You Like';
      response.end(JSON.stringify(incoming.rawHeaders));
    });
    const answer = await exchange(
      port,
      'GET /data/ HTTP/1.1\r\nHost: example.org:81\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nTE: trailers\r\n' +
        'If-Match: "a"\r\nIf-Match: "b"\r\nCookie: s=1\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 As You Like\r\n/);
    for (const line of [
      'set-cookie: a=1',
      'set-cookie: b=2',
      'warning: 199 - "x"',
      'warning: 199 - "y"',
      'date: yesterday',
    ]) {
      expect(answer.toLowerCase()).toContain(`${line}\r\n`);
    }
    expect(answer.match(/^date:/gim)).toHaveLength(1);
    const received = answer.toLowerCase();
    expect(received).toContain('"host","example.org:81"');
    expect(received).toContain('"if-match","\\"a\\"","if-match","\\"b\\""');
    expect(received).not.toMatch(/"x-hop"|"te"/);
  });

  it('tells the services which address the client used', async () => {
    const { port } = await doorBefore((incoming, response) => response.end(JSON.stringify(incoming.headers)));
    const plain = await (await fetch(`http://localhost:${port}/data/`)).json();
    expect(plain).toMatchObject({
      'x-forwarded-for': expect.stringMatching(/127\.0\.0\.1$/),
      'x-forwarded-proto': 'http',
      'x-forwarded-host': `localhost:${port}`,
    });
    const headers = {
      'X-Forwarded-For': '203.0.113.9',
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Host': 'data.example.org',
    };
    const behind = await (await fetch(`http://localhost:${port}/data/`, { headers })).json();
    expect(behind).toMatchObject({
      'x-forwarded-for': '203.0.113.9, 127.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'data.example.org',
    });
  });

  it('invents no body and no length', async () => {
    const seen: object[] = [];
    const { port } = await doorBefore((incoming, response) => {
      const { 'content-length': length, 'transfer-encoding': encoding } = incoming.headers;
      seen.push({ method: incoming.method, length, encoding });
      incoming.resume().on('end', () => response.end());
    });
    for (const method of ['GET', 'POST', 'PUT', 'DELETE'])
      await exchange(port, `${method} /data/ HTTP/1.1\r\n${close}\r\n`);
    await exchange(port, `PUT /data/ HTTP/1.1\r\n${close}Content-Length: 0\r\n\r\n`);
    await exchange(port, `PUT /data/ HTTP/1.1\r\n${close}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`);
    expect(seen).toEqual([
      { method: 'GET' },
      { method: 'POST' },
      { method: 'PUT' },
      { method: 'DELETE' },
      { method: 'PUT', length: '0' },
      { method: 'PUT', encoding: 'chunked' },
    ]);
  });

  it('leaves HEAD, 204 and 304 without a body and HEAD with its length', async () => {
    const { port } = await doorBefore((incoming, response) => {
      if (incoming.url === '/data/204') response.writeHead(204).end();
      else if (incoming.url === '/data/304') response.writeHead(304, { ETag: '"x"' }).end();
      else response.writeHead(200, { 'Content-Length': 1_000_000 }).end();
    });
    expect(await exchange(port, `HEAD /data/x HTTP/1.1\r\n${close}\r\n`)).toMatch(
      /content-length: 1000000\r\n[\s\S]*\r\n\r\n$/i,
    );
    expect(await exchange(port, `GET /data/204 HTTP/1.1\r\n${close}\r\n`)).toMatch(/^HTTP\/1.1 204[\s\S]*\r\n\r\n$/);
    expect(await exchange(port, `GET /data/304 HTTP/1.1\r\n${close}\r\n`)).toMatch(/^HTTP\/1.1 304[\s\S]*\r\n\r\n$/);
  });

  it('passes trailers both ways', async () => {
    const { port } = await doorBefore(async (incoming, response) => {
      await buffer(incoming);
      response.setHeader('Trailer', 'X-Sum');
      response.write('body');
      response.addTrailers({ 'X-Sum': incoming.trailers['x-count'] ?? 'none' });
      response.end();
    });
    const message = `POST /data/ HTTP/1.1\r\n${close}Trailer: X-Count\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX-Count: 7\r\n\r\n`;
    expect(await exchange(port, message)).toMatch(/4\r\nbody\r\n0\r\nx-sum: 7\r\n\r\n$/i);
  });

  it('lets the service decide about Expect: 100-continue', async () => {
    const { port, service } = await doorBefore(() => {});
    service.on('checkContinue', (incoming, response) => {
      if (incoming.url === '/objects/no') response.writeHead(403, { Connection: 'close' }).end('no');
      else {
        response.writeContinue();
        incoming.pipe(response);
      }
    });
    const ask = (path: string) => {
      const outgoing = request({ port, path, method: 'PUT', headers: { expect: '100-continue', 'content-length': 5 } });
      const continued = once(outgoing, 'continue').then(() => 'continue');
      const answered = once(outgoing, 'response').then(([answer]: IncomingMessage[]) => answer?.statusCode);
      outgoing.flushHeaders();
      return { outgoing, first: Promise.race([continued, answered]), answered };
    };
    const yes = ask('/objects/yes');
    expect(await yes.first).toBe('continue');
    yes.outgoing.end('hello');
    expect(await yes.answered).toBe(200);
    const no = ask('/objects/no');
    expect(await no.first).toBe(403);
    no.outgoing.on('error', () => {});
    no.outgoing.destroy();
  });

  it('streams: the first bytes arrive while the service still writes', async () => {
    const { port } = await doorBefore((incoming, response) => {
      response.write('first');
      // the rest comes only when the client has seen the first part
      incoming.on('data', (chunk) => response.end(chunk));
    });
    const outgoing = request({ port, path: '/data/', method: 'POST' });
    outgoing.flushHeaders();
    const [answer]: IncomingMessage[] = await once(outgoing, 'response');
    const [first] = await once(answer ?? outgoing, 'data');
    expect(String(first)).toBe('first');
    outgoing.end('second');
    expect(await text(answer ?? Readable.from([]))).toBe('second');
  });

  it('does not take in an upload that the service does not read', async () => {
    let received = 0;
    const { port } = await doorBefore((incoming) => incoming.pause());
    const outgoing = request({ port, path: '/objects/x', method: 'PUT', headers: { 'content-length': 1e12 } });
    outgoing.on('error', () => {});
    const chunk = Buffer.alloc(1 << 20);
    const feed = () => {
      while (outgoing.write(chunk)) received += chunk.length;
    };
    outgoing.on('drain', () => {
      received += chunk.length;
      feed();
    });
    feed();
    await untilStill(() => received);
    outgoing.destroy();
    expect(received).toBeLessThan(64 * 1024 * 1024);
  });

  it('does not fetch an answer that the client does not read', async () => {
    let sent = 0;
    const chunk = Buffer.alloc(1 << 20);
    const { port } = await doorBefore((_, response) => {
      const feed = () => {
        do sent += chunk.length;
        while (response.write(chunk));
      };
      response.on('drain', feed);
      feed();
    });
    const outgoing = request({ port, path: '/objects/x' }).end();
    const [answer]: IncomingMessage[] = await once(outgoing, 'response');
    answer?.pause();
    await untilStill(() => sent);
    answer?.destroy();
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  it('carries large bodies unchanged in both directions', async () => {
    const { port } = await doorBefore((incoming, response) => incoming.pipe(response));
    const body = Buffer.alloc(20 * 1024 * 1024, 'holdfast ');
    const answer = await fetch(`http://127.0.0.1:${port}/objects/x`, { method: 'PUT', body });
    expect(Buffer.from(await answer.arrayBuffer()).equals(body)).toBe(true);
  });

  it.each(['before', 'during'])('tells the service when the client goes away %s the answer', async (when) => {
    const gone = deferred();
    const { port } = await doorBefore((_, response) => {
      response.on('close', gone.resolve);
      if (when === 'during') response.write('x');
      arrived.resolve();
    });
    const arrived = deferred();
    const outgoing = request({ port, path: '/data/' }).end();
    outgoing.on('error', () => {});
    await (when === 'during' ? once(outgoing, 'response') : arrived.promise);
    outgoing.destroy();
    await gone.promise;
  });

  it('cuts the answer when the service dies in the middle of it', async () => {
    const { port } = await doorBefore((_, response) => {
      response.write('half', () => response.destroy());
    });
    const answer = await fetch(`http://127.0.0.1:${port}/data/`);
    await expect(answer.text()).rejects.toThrow();
  });

  it('hands on a refusal that comes while the client still sends', async () => {
    const { port } = await doorBefore((_, response) => {
      response.writeHead(413).end('too large');
    });
    const outgoing = request({ port, path: '/objects/x', method: 'PUT', headers: { 'content-length': 1e9 } });
    outgoing.on('error', () => {});
    outgoing.write(Buffer.alloc(1 << 20));
    const [answer]: IncomingMessage[] = await once(outgoing, 'response');
    expect([answer?.statusCode, await text(answer ?? Readable.from([]))]).toEqual([413, 'too large']);
    outgoing.destroy();
  });

  it('uses connections to the services again', async () => {
    let connections = 0;
    const { port, service } = await doorBefore((_, response) => response.end());
    service.on('connection', () => {
      connections += 1;
    });
    const agent = new Agent({ keepAlive: true });
    for (let count = 0; count < 5; count += 1) {
      const outgoing = request({ port, path: '/data/', agent }).end();
      const [answer]: IncomingMessage[] = await once(outgoing, 'response');
      await text(answer ?? Readable.from([]));
    }
    agent.destroy();
    expect(connections).toBe(1);
  });

  it('lets a request end that runs when it stops to accept new ones', async () => {
    const arrived = deferred();
    const release = deferred();
    const { port } = await doorBefore(async (_, response) => {
      arrived.resolve();
      await release.promise;
      response.end('done');
    });
    const answer = fetch(`http://127.0.0.1:${port}/data/`);
    await arrived.promise;
    doors[0]?.pause();
    await expect(fetch(`http://127.0.0.1:${port}/data/`)).rejects.toThrow();
    release.resolve();
    expect(await (await answer).text()).toBe('done');
  });
});

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Waits until a number stops to grow. */
async function untilStill(read: () => number): Promise<void> {
  for (let before = -1; before !== read(); ) {
    before = read();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
