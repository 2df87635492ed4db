import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  closeServer,
  createLogger,
  createMetrics,
  parseEnvironment,
  processVariables,
  wireProfile,
} from '@holdfast/http-kit';
import { createTestDatabase, testPostgresUrl } from '@holdfast/testkit';
import pg from 'pg';
import { startCatalog as startService } from '../../src/app.js';
import { catalogVariables } from '../../src/variables.js';

/** Who sends a request: the clients of the development stack, or nobody. */
export type ClientName = 'alice' | 'bob' | 'carol' | 'admin' | 'anon';

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined when it is not JSON. */
  readonly json: unknown;
}

/** A catalog service that listens, over a registry of its own. */
export interface CatalogFixture {
  /** Scheme, authority and prefix: `http://127.0.0.1:1234/data`. */
  readonly url: string;
  readonly registryUrl: string;
  /**
   * Sends a request.
   * @param path behind the prefix, `/catalog/1`; a full path when it starts with `http`
   * @param body a string or bytes as they are, anything else as JSON; undefined for none
   */
  request(
    as: ClientName,
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  /** Creates a catalog and gives its path: `/catalog/1`. Alice owns it. */
  createCatalog(document?: object): Promise<string>;
  /** URL of the database of a catalog. */
  databaseUrl(catalogId: string): Promise<string>;
  /** Runs SQL in the database of a catalog. */
  query(catalogId: string, text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** How a fixture differs from the usual one. */
export interface FixtureOptions {
  readonly profile?: 'standard' | 'deriva';
  /** Registry of another fixture: two processes of one deployment. It is then dropped with the other one. */
  readonly registryUrl?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Tokens of the clients, for `DEV_TOKENS`. */
export const developmentTokens = [
  {
    token: 'alice-token',
    client: { id: 'alice', display_name: 'Alice' },
    attributes: [{ id: 'g1', display_name: 'Group 1' }],
  },
  { token: 'bob-token', client: { id: 'bob' }, attributes: [{ id: 'g1' }, { id: 'g2' }] },
  { token: 'carol-token', client: { id: 'carol' } },
  { token: 'admin-token', client: { id: 'admin-user' }, attributes: [{ id: 'admin' }] },
];

/** Starts a catalog service in this process; alice, bob and the admin may create catalogs. */
export async function startCatalog(options: FixtureOptions = {}): Promise<CatalogFixture> {
  const registry = options.registryUrl === undefined ? await createTestDatabase('registry') : null;
  const registryUrl = options.registryUrl ?? registry?.url ?? '';
  const environment = {
    REGISTRY_DATABASE_URL: registryUrl,
    CATALOG_SERVERS: JSON.stringify([{ name: 'test', url: testPostgresUrl() }]),
    CREATE_ROLES: JSON.stringify(['admin', 'alice', 'bob']),
    AUTH_MODE: 'dev',
    DEV_TOKENS: JSON.stringify(developmentTokens),
    WIRE_PROFILE: options.profile ?? 'standard',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    ...options.environment,
  };
  const config = {
    ...parseEnvironment(catalogVariables, environment),
    ...parseEnvironment(processVariables, environment),
  };
  const profile = wireProfile(config.WIRE_PROFILE);
  const stop = new AbortController();
  const service = await startService({
    config,
    profile,
    log: createLogger({ service: 'catalog', level: config.LOG_LEVEL }),
    metrics: createMetrics(),
    stopSignal: stop.signal,
  });
  const server = createServer({ maxHeaderSize: 32 * 1024 }, service.handler ?? undefined);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `${origin}${profile.catalogPrefixes[0] ?? ''}`;
  const request: CatalogFixture['request'] = async (as, method, path, body, headers = {}) => {
    const target = path.startsWith('http') ? path : `${url}${path}`;
    const response = await fetch(target, {
      method,
      headers: { ...(as === 'anon' ? {} : { authorization: `Bearer ${as}-token` }), ...headers },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parsed(text) };
  };
  const databaseUrl = async (catalogId: string): Promise<string> => {
    const [row] = await onServer(
      registryUrl,
      `select descriptor->>'database' as name from "${profile.registrySchema}".registry where id = $1`,
      [catalogId],
    );
    const database = new URL(testPostgresUrl());
    database.pathname = `/${String(row?.name)}`;
    return database.href;
  };
  return {
    url,
    registryUrl,
    request,
    createCatalog: async (document) => {
      const { json, text } = await request('alice', 'POST', '/catalog', document);
      if (typeof json === 'object' && json !== null && 'id' in json) return `/catalog/${String(json.id)}`;
      throw new Error(`The catalog was not created: ${text}`);
    },
    databaseUrl,
    query: async (catalogId, text, values = []) => onServer(await databaseUrl(catalogId), text, values),
    close: async () => {
      stop.abort(new Error('the test is over'));
      await closeServer(server, 0, () => undefined);
      await service.stop();
      if (registry === null) return;
      await dropCatalogs(registryUrl);
      await registry.drop();
    },
  };
}

/** Catalog databases live beside the registry, on the server of the test run. */
async function dropCatalogs(registryUrl: string): Promise<void> {
  const [schema] = await onServer(
    registryUrl,
    `select doc->>'name' as name from _catalog.elem where kind = 'schema' and doc->>'name' <> 'public'`,
  );
  const rows = await onServer(
    registryUrl,
    `select descriptor->>'database' as name from "${String(schema?.name)}".registry where descriptor ? 'database'`,
  );
  for (const { name } of rows)
    await onServer(testPostgresUrl(), `drop database if exists "${String(name)}" with (force)`);
}

/** Runs SQL in any database. */
export async function onServer(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
