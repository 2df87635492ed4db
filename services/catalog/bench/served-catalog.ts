import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { startEmbeddedPostgres, temporaryDirectory } from '@holdfast/stack';
import pg from 'pg';

/** A catalog service with one catalog, and the floor beside it: processes of their own over one database server. */
export interface ServedCatalog {
  readonly port: number;
  readonly pid: number;
  /** Path of the catalog. */
  readonly base: string;
  /** Starts the empty Express routes of `floor-server.ts` over the catalog's database; gives the port. */
  startFloor(): Promise<number>;
  /** URL of the catalog's database. */
  databaseUrl(): Promise<string>;
  /** A connection to it. */
  connect(): Promise<pg.Client>;
  send(port: number, method: string, path: string, options?: SendOptions): Promise<Answer>;
  /** Reads an answer to its end, which must be a good one. */
  drain(port: number, path: string, options?: SendOptions): Promise<void>;
  stop(): Promise<void>;
}

export interface SendOptions {
  readonly body?: string | null;
  readonly type?: string;
  readonly accept?: string;
  /** Token of the client: alice's unless another is named. */
  readonly token?: string;
}

export interface Answer {
  readonly status: number;
  readonly bytes: number;
  /** The beginning of the body. */
  readonly text: string;
}

/**
 * Starts everything and makes the catalog, with its model.
 * @param others clients beside alice, who owns the catalog
 */
export async function serveCatalog(model: unknown, others: readonly object[] = []): Promise<ServedCatalog> {
  const directory = await temporaryDirectory('holdfast-bench-');
  const postgres = await startEmbeddedPostgres({ dataDir: join(directory, 'postgres') });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
  const children: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const child of children) child.kill('SIGTERM');
    agent.destroy();
    await postgres.stop();
    await rm(directory, { recursive: true, force: true });
  };
  const start = async (program: string, environment: Record<string, string>): Promise<[port: number, pid: number]> => {
    const child = fork(new URL(program, import.meta.url), { env: { PATH: process.env.PATH, ...environment } });
    children.push(child);
    const [message] = (await once(child, 'message')) as [{ port: number }];
    return [message.port, child.pid ?? 0];
  };
  const send: ServedCatalog['send'] = (port, method, path, options = {}) =>
    sendOver(agent, port, method, path, options);
  const databaseUrl = (): Promise<string> => latestCatalogDatabase(postgres.url);
  try {
    const registry = new URL(postgres.url);
    registry.pathname = '/registry';
    await onServer(postgres.url, (admin) => admin.query('create database registry'));
    const [port, pid] = await start('../src/main.js', {
      REGISTRY_DATABASE_URL: registry.href,
      CATALOG_SERVERS: JSON.stringify([{ name: 'local', url: postgres.url }]),
      CREATE_ROLES: '["alice"]',
      AUTH_MODE: 'dev',
      DEV_TOKENS: JSON.stringify([{ token: 'alice-token', client: { id: 'alice' }, attributes: [] }, ...others]),
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_HOST: '127.0.0.1',
      ADMIN_PORT: '0',
      LOG_LEVEL: 'warn',
    });
    const base = '/data/catalog/1';
    await expectOk(send(port, 'POST', '/data/catalog', { body: '{}' }));
    await expectOk(send(port, 'POST', `${base}/schema`, { body: JSON.stringify(model) }));
    return {
      port,
      pid,
      base,
      startFloor: async () => (await start('./floor-server.js', { DATABASE_URL: await databaseUrl() }))[0],
      databaseUrl,
      connect: async () => {
        const client = new pg.Client({ connectionString: await databaseUrl(), options: '-c timezone=UTC' });
        client.on('error', () => undefined);
        await client.connect();
        return client;
      },
      send,
      drain: (to, path, options) => expectOk(send(to, 'GET', path, options)),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @throws {Error} for an answer that is an error */
export async function expectOk(answer: Promise<Answer>): Promise<void> {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(`answered ${status}: ${text.slice(0, 500)}`);
}

async function latestCatalogDatabase(server: string): Promise<string> {
  const { rows } = await onServer(server, (admin) =>
    admin.query<{ datname: string }>(
      `select datname from pg_database where datname like 'catalog\\_%' order by oid desc limit 1`,
    ),
  );
  const url = new URL(server);
  url.pathname = `/${rows[0]?.datname ?? ''}`;
  return url.href;
}

async function onServer<Result>(url: string, work: (admin: pg.Client) => Promise<Result>): Promise<Result> {
  const admin = new pg.Client({ connectionString: url });
  admin.on('error', () => undefined);
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

/** One request over a kept connection; the body is counted, its beginning kept for messages. */
function sendOver(
  agent: http.Agent,
  port: number,
  method: string,
  path: string,
  { body = null, type = 'application/json', accept = '*/*', token = 'alice-token' }: SendOptions,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        agent,
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: {
          Authorization: `Bearer ${token}`,
          Accept: accept,
          ...(body === null ? {} : { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }),
        },
      },
      (response) => {
        let bytes = 0;
        let text = '';
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.byteLength;
          if (text.length < 500) text += chunk.toString();
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes, text }));
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(body ?? undefined);
  });
}
