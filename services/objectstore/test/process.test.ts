import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTestDatabase, type TestDatabase } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HttpClient, httpClient } from './http-client.js';

const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url));
const NS = { 'Content-Type': 'application/x-objstore-namespace' };

/** The service as it is deployed: a process, its environment, its two ports, and identity with development tokens. */
describe('the process', () => {
  let database: TestDatabase;
  let identityDatabase: TestDatabase;
  let directory: string;
  let environment: Record<string, string>;
  beforeAll(async () => {
    database = await createTestDatabase('objectstore');
    identityDatabase = await createTestDatabase('identity');
    directory = await mkdtemp(join(tmpdir(), 'holdfast-process-'));
    environment = {
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_HOST: '127.0.0.1',
      ADMIN_PORT: '0',
      LOG_LEVEL: 'error',
      DATABASE_URL: database.url,
      IDENTITY_DATABASE_URL: identityDatabase.url,
      STORAGE_ROOT: directory,
      AUTH_MODE: 'dev',
      DEV_TOKENS: JSON.stringify([{ token: 'alice-token', client: { id: 'alice' } }]),
    };
  });
  afterAll(async () => {
    await database.drop();
    await identityDatabase.drop();
    await rm(directory, { recursive: true, force: true });
  });

  it('does not start with nobody to own the root, or with wrong configuration', async () => {
    expect(await outcome(environment)).toMatchObject({ code: 1, output: expect.stringContaining('ROOT_ACLS') });
    const wrong = await outcome({
      ...environment,
      DATABASE_URL: 'mysql://x',
      GC_GRACE_SECONDS: 'soon',
      ROOT_ACLS: '{"owner": []}',
    });
    expect(wrong.code).toBe(1);
    for (const name of ['DATABASE_URL', 'GC_GRACE_SECONDS', 'ROOT_ACLS']) expect(wrong.output).toContain(name);
  });

  it('serves, keeps what it has over a restart, and stops when told', async () => {
    const first = await start({ ...environment, ROOT_ACLS: '{"owner": ["alice"]}' });
    const alice = (http: HttpClient, method: string, target: string, body?: string, headers?: Record<string, string>) =>
      http(method, target, { as: 'alice-token', body, headers });
    expect((await alice(first.http, 'PUT', '/objects/a', undefined, NS)).status).toBe(201);
    expect((await alice(first.http, 'PUT', '/objects/a/o', 'hello')).status).toBe(201);
    expect((await first.http('GET', '/objects/a', { as: 'stranger' })).status).toBe(401);
    expect((await first.admin('GET', '/readyz')).text).toContain('"blobs":"ok"');
    expect((await first.admin('GET', '/metrics')).text).toMatch(
      /route="name"[\s\S]*objectstore_connections_used|objstore_gc_pending/,
    );
    await first.stop();
    // the lists of the root are those of the first start
    const second = await start({ ...environment, ROOT_ACLS: '{"owner": ["somebody"]}' });
    expect((await alice(second.http, 'GET', '/objects/a/o')).text).toBe('hello');
    expect((await alice(second.http, 'GET', '/objects;acl/owner')).text).toBe('["alice"]\n');
    await second.stop();
  });

  it('logs a line for each request, with what it was and without any secret', async () => {
    const { http, admin, stop, output } = await start({
      ...environment,
      LOG_LEVEL: 'debug',
      ROOT_ACLS: '{"owner": ["alice"]}',
    });
    const headers = {
      'X-Request-Id': 'logged-1',
      'Content-Type': 'text/plain',
      'X-Initial-Acls': '{"read": ["confidential-group"]}',
      'Deriva-Client-Context': '{"cid":"uploader"}',
      Cookie: 'session=cookie-secret',
    };
    expect((await http('PUT', '/objects/%6Cogged', { as: 'alice-token', headers, body: 'hello' })).status).toBe(201);
    await http('PUT', '/objects/logged;acl/read', {
      as: 'alice-token',
      headers: { 'Content-Type': 'application/json' },
      body: '["confidential-group"]',
    });
    await http('GET', '/objects/logged', { as: 'wrong-secret' });
    const metrics = (await admin('GET', '/metrics')).text;
    await stop();
    const lines = output()
      .split('\n')
      .filter((line) => line.includes('"req":"logged-1"') && line.includes('"status"'));
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        method: 'PUT',
        path: '/logged',
        status: 201,
        client: 'alice',
        clientContext: '{"cid":"uploader"}',
        bytes: expect.any(Number),
        ms: expect.any(Number),
      }),
    ]);
    for (const secret of ['alice-token', 'wrong-secret', 'cookie-secret', 'confidential-group'])
      expect([secret, output().includes(secret)]).toEqual([secret, false]);
    for (const name of ['objstore_gc_pending', 'objstore_gc_removed_total', 'http_request_duration_seconds_count'])
      expect(metrics).toMatch(new RegExp(`^${name}(\\{.*\\})? \\d`, 'm'));
  });

  it('lets a waiting client send its body only when the request may succeed', async () => {
    const { http, stop } = await start({ ...environment, ROOT_ACLS: '{"owner": ["alice"]}' });
    const finalize = `POST /objects/none;upload/J HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer alice-token\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`;
    expect(await converse(http.port, finalize)).toMatch(/^HTTP\/1\.1 404 /);
    const head = (target: string, token: string) =>
      `PUT ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 5\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`;
    expect(await converse(http.port, head('/objects/none/o', 'alice-token'))).toMatch(/^HTTP\/1\.1 404 /);
    const conversation = await converse(http.port, head('/objects/waited', 'alice-token'), 'hello');
    expect(conversation).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
    await stop();
  });
});

interface Running {
  readonly http: HttpClient;
  readonly admin: HttpClient;
  /** Everything it has written. */
  output(): string;
  stop(): Promise<void>;
}

async function start(environment: Record<string, string>): Promise<Running> {
  const { child, output } = launch(environment);
  const ports = await new Promise<{ port: number; adminPort: number }>((resolve, reject) => {
    child.on('message', (message) => resolve(message as { port: number; adminPort: number }));
    child.on('exit', (code) => reject(new Error(`exit ${code}: ${output()}`)));
  });
  return {
    http: httpClient(ports.port),
    admin: httpClient(ports.adminPort),
    output,
    stop: async () => {
      child.removeAllListeners('exit');
      const code = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      expect(await code).toBe(0);
    },
  };
}

async function outcome(
  environment: Record<string, string>,
): Promise<{ readonly code: number; readonly output: string }> {
  const { child, output } = launch(environment);
  const code = await new Promise<number>((resolve) => child.once('close', resolve));
  return { code, output: output() };
}

function launch(environment: Record<string, string>): { readonly child: ChildProcess; readonly output: () => string } {
  const child = fork(MAIN, { env: environment, stdio: ['ignore', 'pipe', 'pipe', 'ipc'], execArgv: [] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, output: () => text };
}

/** Sends a head, and the body once 100 has come; gives everything received. */
function converse(port: number, head: string, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(head));
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString();
      if (body !== undefined && received === 'HTTP/1.1 100 Continue\r\n\r\n') socket.write(body);
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}
