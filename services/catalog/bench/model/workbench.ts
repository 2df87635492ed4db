import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from '@holdfast/stack';
import pg from 'pg';

/** What the measurements work with: the service, and the database behind its back. */
export interface Workbench {
  /** A request of alice; fails unless it is answered with a success or 304. */
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  /** Creates a catalog: `catalog/1`. */
  createCatalog(): Promise<string>;
  /** A connection to the database of the catalog made last. */
  connectToLast(): Promise<pg.Client>;
  /** A connection to a database of the server. */
  connect(database: string): Promise<pg.Client>;
  close(): Promise<void>;
}

export interface Answered {
  readonly status: number;
  readonly etag: string;
  readonly body: Buffer;
  readonly milliseconds: number;
}

/** Starts PostgreSQL and one process of the service, as they run in production, the log of requests included. */
export async function workbench(directory: string): Promise<Workbench> {
  const postgres = await startEmbeddedPostgres({ dataDir: join(directory, 'postgres') });
  const connect = async (database: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: databaseUrl(postgres.url, database) });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const admin = await connect('postgres');
  await admin.query('create database registry');
  const service = fork(fileURLToPath(new URL('../../src/main.js', import.meta.url)), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      REGISTRY_DATABASE_URL: databaseUrl(postgres.url, 'registry'),
      CATALOG_SERVERS: JSON.stringify([{ name: 'local', url: postgres.url }]),
      CREATE_ROLES: 'alice',
      AUTH_MODE: 'dev',
      DEV_TOKENS: JSON.stringify([{ token: 'alice-token', client: { id: 'alice' } }]),
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_HOST: '127.0.0.1',
      ADMIN_PORT: '0',
    },
  });
  const [{ port }] = (await once(service, 'message')) as [{ readonly port: number }];
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const call: Workbench['call'] = async (method, path, body, headers = {}) => {
    const answered = await send(agent, `http://127.0.0.1:${port}/data/${path}`, method, body, {
      authorization: 'Bearer alice-token',
      ...headers,
    });
    if (answered.status >= 400) throw new Error(`${method} ${path}: ${answered.status} ${answered.body}`);
    return answered;
  };
  return {
    call,
    connect,
    createCatalog: async () =>
      `catalog/${(JSON.parse((await call('POST', 'catalog')).body.toString()) as { id: string }).id}`,
    connectToLast: async () => {
      const { rows } = await admin.query<{ readonly datname: string }>(
        `select datname from pg_database where datname like 'catalog\\_%' order by oid desc limit 1`,
      );
      return connect(rows[0]?.datname ?? '');
    },
    close: async () => {
      agent.destroy();
      await admin.end();
      const ended = once(service, 'exit');
      service.kill('SIGTERM');
      await ended;
      await postgres.stop();
    },
  };
}

function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/** Sends a request and reads its answer whole. */
export function send(
  agent: Agent,
  url: string,
  method: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<Answered> {
  const started = process.hrtime.bigint();
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, agent, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          etag: incoming.headers.etag ?? '',
          body: Buffer.concat(chunks),
          milliseconds: Number(process.hrtime.bigint() - started) / 1e6,
        }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Documents of a schema with so many tables, each of so many columns beside the system columns, every one with a foreign key. */
export function schemaDocument(schema: string, tables: number, columns: number): object {
  const types = ['text', 'int4', 'float8', 'timestamptz', 'markdown', 'boolean', 'text[]', 'jsonb'];
  const definitions = Array.from({ length: tables }, (_, table) => {
    const name = `table_${table}`;
    const document = {
      column_definitions: [
        { name: 'id', type: 'int8', nullok: false },
        { name: 'other', type: 'int8' },
        ...Array.from({ length: columns - 2 }, (_, column) => ({
          name: `column_${column}`,
          type: types[column % types.length],
          comment: column % 3 === 0 ? `What column ${column} means` : null,
        })),
      ],
      keys: [{ unique_columns: ['id'] }],
      foreign_keys: [
        {
          foreign_key_columns: [{ column_name: 'other' }],
          referenced_columns: [
            { schema_name: schema, table_name: `table_${(table * 7 + 1) % tables}`, column_name: 'id' },
          ],
        },
      ],
    };
    return [name, document] as const;
  });
  return { schemas: { [schema]: { tables: Object.fromEntries(definitions) } } };
}
