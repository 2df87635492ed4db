import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createLogger,
  createMetrics,
  listen,
  parseEnvironment,
  processVariables,
  type StartedService,
  wireProfile,
} from '@holdfast/http-kit';
import { createTestDatabase } from '@holdfast/testkit';
import { apiVariables, startApi } from '../../src/api-service.js';
import { exportVariables } from '../../src/settings.js';
import { startWorker } from '../../src/worker-service.js';
import { type FakeCatalog, startFakeCatalog } from './fake-catalog.js';
import { type FakeObjectStore, startFakeObjectStore } from './fake-object-store.js';

/** The export service with real PostgreSQL and queue, between a fake catalog and a fake object store. */
export interface Harness {
  /** Where the API answers, prefix included. */
  readonly url: string;
  readonly catalog: FakeCatalog;
  readonly store: FakeObjectStore;
  readonly databaseUrl: string;
  /** Of the processes. */
  readonly environment: Readonly<Record<string, string>>;
  /** Everything the processes logged. */
  readonly logged: string[];
  startWorker(overrides?: Readonly<Record<string, string>>): Promise<StartedService>;
  post(path: string, body: unknown, options?: PostOptions): Promise<Response>;
  get(
    path: string,
    options?: PostOptions & { readonly method?: string; readonly redirect?: 'follow' | 'manual' },
  ): Promise<Response>;
  close(): Promise<void>;
}

export interface PostOptions {
  /** Default alice's; null: anonymous. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HarnessOptions {
  readonly profile?: 'standard' | 'deriva';
  readonly environment?: Readonly<Record<string, string>>;
  /** The object store's public address is where it is reached, so that others can read its objects. */
  readonly reachableStore?: boolean;
  /** Default true. */
  readonly worker?: boolean;
}

export async function startHarness(options: HarnessOptions = {}): Promise<Harness> {
  const profileName = options.profile ?? 'standard';
  const profile = wireProfile(profileName);
  const database = await createTestDatabase('export');
  const catalog = await startFakeCatalog(profile.catalogPrefixes[0]);
  const store = await startFakeObjectStore();
  const scratch = await mkdtemp(join(tmpdir(), 'holdfast-export-test-'));
  const logged: string[] = [];
  const storeHost = options.reachableStore === true ? new URL(store.origin).host : 'x.org';
  const environment = {
    ...keys(),
    DATABASE_URL: database.url,
    QUEUE_URL: database.url,
    CATALOGS: JSON.stringify([{ publicHost: 'x.org', baseUrl: catalog.origin }]),
    OBJECT_STORES: JSON.stringify([{ publicHost: storeHost, prefix: '/os', baseUrl: store.origin }]),
    SCRATCH_DIR: scratch,
    PUBLIC_URL: options.reachableStore === true ? 'http://x.org' : 'https://x.org',
    AUTH_MODE: 'dev',
    DEV_TOKENS: JSON.stringify(['alice', 'bob', 'admin'].map((id) => ({ token: `${id}-token`, client: { id } }))),
    SWEEP_SECONDS: '1',
    WIRE_PROFILE: profileName,
    ...options.environment,
  };
  const common = () => ({
    profile,
    log: createLogger({
      service: 'test',
      level: 'debug',
      destination: { write: (line: string) => void logged.push(line) },
    }),
    metrics: createMetrics(),
    stopSignal: new AbortController().signal,
  });
  const api = await startApi({
    config: parseEnvironment({ ...apiVariables, ...processVariables }, environment),
    ...common(),
  });
  const server = createServer(api.handler ?? undefined);
  const port = await listen(server, 0, '127.0.0.1');
  const url = `http://127.0.0.1:${port}${profile.exportPrefixes[0]}`;
  const started: StartedService[] = [];
  const harness: Harness = {
    url,
    catalog,
    store,
    databaseUrl: database.url,
    environment,
    logged,
    startWorker: async (overrides = {}) => {
      const worker = await startWorker({
        config: parseEnvironment({ ...exportVariables, ...processVariables }, { ...environment, ...overrides }),
        ...common(),
      });
      let stopped: Promise<void> | null = null;
      const once = { ...worker, stop: () => (stopped ??= worker.stop()) };
      started.push(once);
      return once;
    },
    post: (path, body, { token = 'alice-token', headers = {} } = {}) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...bearer(token), ...headers },
      }),
    get: (path, { token = 'alice-token', headers = {}, method = 'GET', redirect = 'follow' } = {}) =>
      fetch(
        /^https?:\/\/x\.org/.test(path) ? path.replace(/^https?:\/\/x\.org\/[a-z/]*?export/, url) : `${url}${path}`,
        {
          method,
          redirect,
          headers: { ...bearer(token), ...headers },
        },
      ),
    close: async () => {
      for (const worker of started) {
        await worker.pause?.();
        await worker.stop();
      }
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
      await api.stop();
      await catalog.close();
      await store.close();
      await rm(scratch, { recursive: true, force: true });
      await database.drop();
    },
  };
  if (options.worker !== false) await harness.startWorker();
  return harness;
}

function bearer(token: string | null): Record<string, string> {
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

function keys(): Record<string, string> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'k1', alg: 'EdDSA', use: 'sig' };
  return {
    SERVICE_KEY: JSON.stringify(jwk),
    SERVICE_JWKS: JSON.stringify({ keys: [{ ...jwk, d: undefined }] }),
    CREDENTIAL_KEY: `s1:${randomBytes(32).toString('base64')}`,
  };
}
