import { createServer } from 'node:http';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Express, Request, Response } from 'express';
import request from 'supertest';
import {
  AppError,
  contextOf,
  createLogger,
  createMetrics,
  type ErrorTemplates,
  listen,
  methodNotAllowed,
  readJson,
  sendJson,
  serviceApp,
  type WireProfileName,
  wireProfile,
} from '../src/index.js';

let logged = '';
const destination = new Writable({
  write(chunk, _encoding, done) {
    logged += String(chunk);
    done();
  },
});
const aborted: string[] = [];
const stop = new AbortController();

function appOf(profile: WireProfileName, templates: ErrorTemplates = {}): Express {
  return serviceApp({
    log: createLogger({ service: 'test', level: 'info', destination }),
    metrics: createMetrics(),
    profile: wireProfile(profile),
    stopSignal: stop.signal,
    trustProxy: 'loopback',
    errorRules: { templates },
    routes: (app) => {
      app.use(async (incoming: Request, response: Response, next) => {
        switch (incoming.path) {
          case '/conflict':
            throw new AppError('name_in_use', 'The name <b>"x"</b> is taken; choose another.');
          case '/bug':
            throw new Error('select secret from table');
          case '/method':
            throw methodNotAllowed(['GET', 'PUT']);
          case '/echo':
            return sendJson(incoming, response, 200, { body: await readJson(incoming, 100) });
          case '/half':
            response.write('half');
            throw new Error('too late');
          case '/wait': {
            const { signal } = contextOf(incoming);
            const onAbort = (): void => {
              aborted.push(signal.reason.message);
              response.destroy();
            };
            if (signal.aborted) onAbort();
            signal.addEventListener('abort', onAbort);
            return undefined;
          }
          default:
            return next();
        }
      });
    },
  });
}

const standard = appOf('standard');
const deriva = appOf('deriva');

describe('error answers', () => {
  it('are JSON documents with the stable code and the request id', async () => {
    const answer = await request(standard).get('/conflict').set('X-Request-Id', 'mine-1');
    expect(answer.status).toBe(409);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.headers['x-request-id']).toBe('mine-1');
    expect(answer.body).toEqual({
      status: 409,
      title: 'Request conflicts with state of server.',
      detail: 'The name <b>"x"</b> is taken; choose another.',
      code: 'name_in_use',
      request_id: 'mine-1',
    });
  });

  it('are text or escaped HTML when asked for, and problem+json by that name', async () => {
    const text = await request(standard).get('/conflict').accept('text/plain');
    expect(text.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(text.text).toBe(
      'Request conflicts with state of server. Detail: The name <b>"x"</b> is taken; choose another.\n',
    );
    const html = await request(standard).get('/conflict').accept('text/html');
    expect(html.text).not.toContain('<b>');
    const problem = await request(standard).get('/conflict').accept('application/problem+json');
    expect(problem.headers['content-type']).toBe('application/problem+json');
  });

  it('are bare text for an undecided client of the deriva profile', async () => {
    const answer = await request(deriva).get('/conflict');
    expect(answer.headers['content-type']).toBe('text/plain');
    expect(answer.text).toMatch(/^Request conflicts with state of server\. Detail: /);
    expect((await request(deriva).get('/conflict').accept('application/json')).body.code).toBe('name_in_use');
  });

  it('are in the words of the deployment where it has some, with what is known of the error made safe', async () => {
    const templated = appOf('standard', {
      409: {
        'text/html': '<h1>{status} {title}</h1>{detail} {other}',
        'text/plain': '{code}: {detail}',
        'application/json': '{"error": "{detail}", "id": "{request_id}"}',
      },
    });
    const conflict = (type: string) => request(templated).get('/conflict').set('X-Request-Id', 'mine-2').accept(type);
    const html = await conflict('text/html');
    expect(html.text).toBe(
      '<h1>409 Request conflicts with state of server.</h1>The name &#60;b&#62;&#34;x&#34;&#60;/b&#62; is taken; choose another. {other}',
    );
    expect(Number(html.headers['content-length'])).toBe(html.text.length);
    expect((await conflict('text/plain')).text).toBe('name_in_use: The name <b>"x"</b> is taken; choose another.');
    expect((await conflict('application/json')).body).toEqual({
      error: 'The name <b>"x"</b> is taken; choose another.',
      id: 'mine-2',
    });
    // no template for these
    expect((await conflict('application/problem+json')).body.code).toBe('name_in_use');
    expect((await request(templated).get('/nothing').accept('text/plain')).text).toMatch(/^Not found\. Detail: /);
  });

  it('show nothing of a defect but the request id that finds it in the log', async () => {
    const answer = await request(standard).get('/bug');
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('secret');
    expect(logged).toContain(String(answer.headers['x-request-id']));
  });

  it('have no body on HEAD, Allow on 405, and 404 for what nobody answers', async () => {
    expect((await request(standard).head('/conflict')).text).toBeUndefined();
    expect((await request(standard).post('/method')).headers.allow).toBe('GET, PUT');
    expect((await request(standard).get('/nothing%2Fhere')).status).toBe(404);
  });

  it('refuse bodies that are no JSON, too long, or coded', async () => {
    expect((await request(standard).post('/echo').set('Content-Type', 'text/plain').send('{')).body.code).toBe(
      'bad_json',
    );
    expect(
      (
        await request(standard)
          .post('/echo')
          .send({ a: 'x'.repeat(200) })
      ).status,
    ).toBe(413);
    expect((await request(standard).post('/echo').set('Content-Encoding', 'gzip').send('{}')).status).toBe(415);
    expect((await request(standard).post('/echo').send({ a: 1 })).body).toEqual({ body: { a: 1 } });
  });
});

describe('connections', () => {
  const server = createServer(standard);
  let port = 0;
  beforeAll(async () => {
    port = await listen(server, 0, '127.0.0.1');
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  const raw = (path: string, leaveAfter: number | null): Promise<string> =>
    new Promise((resolve) => {
      let received = '';
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
        if (leaveAfter !== null) setTimeout(() => socket.destroy(), leaveAfter);
      });
      socket.on('data', (chunk) => {
        received += String(chunk);
      });
      socket.on('close', () => resolve(received));
    });

  it('break when an error comes after the first byte, so that the answer does not look complete', async () => {
    const received = await raw('/half', null);
    expect(received).toContain('half');
    expect(received).not.toMatch(/\r\n0\r\n\r\n$/);
  });

  /** Until so many requests have been given up. */
  const givenUp = async (count: number): Promise<void> => {
    while (aborted.length < count) await new Promise((resolve) => setTimeout(resolve, 10));
  };

  it('end the work of a client that has gone', async () => {
    await raw('/wait', 50);
    await givenUp(1);
    expect(aborted.splice(0)).toEqual(['cancelled: The client has gone.']);
  });

  it('end the work of all requests when the service gives them up, those that still come included', async () => {
    const running = [raw('/wait', null), raw('/wait', null)];
    await raw('/wait', 50);
    await givenUp(1);
    stop.abort(new Error('The service is stopping.'));
    await Promise.all([...running, raw('/wait', null)]);
    expect(aborted).toEqual([
      'cancelled: The client has gone.',
      ...Array.from({ length: 3 }, () => 'The service is stopping.'),
    ]);
  });

  it('name the port when it is in use', async () => {
    await expect(listen(createServer(), port, '127.0.0.1')).rejects.toThrow(`Port ${port} of 127.0.0.1 is in use`);
  });
});
