import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolesOf } from '@holdfast/acl';
import {
  createLogger,
  createMetrics,
  listen,
  parseEnvironment,
  type WireProfile,
  type WireProfileName,
  wireProfile,
} from '@holdfast/http-kit';
import { type Database, openDatabase } from '@holdfast/pg-kit';
import { createTestDatabase } from '@holdfast/testkit';
import { objectStoreApp } from '../src/app.js';
import type { BlobStore } from '../src/blobs/blob-store.js';
import { objectStoreVariables, settingsOf } from '../src/configuration.js';
import { prepareDirectory } from '../src/directory/prepare-directory.js';
import { prepareQuotas } from '../src/directory/quotas.js';
import type { CallerSource } from '../src/http/routes.js';
import { openStore } from '../src/open-store.js';
import { type HttpClient, httpClient } from './http-client.js';
import type { TestBucket } from './s3-bucket.js';

/** An object store on a real database, a real directory and a real port, with prefix `/os` (spec/objectstore.md 17). */
export interface TestStore {
  readonly http: HttpClient;
  readonly database: Database;
  readonly store: BlobStore;
  readonly blobRoot: string;
  /** Variables with which another process uses the same database and bytes. */
  readonly environment: Readonly<Record<string, string>>;
  readonly server: Server;
  /** Everything logged so far, a line of JSON each. */
  log(): string;
  close(): Promise<void>;
}

export interface TestStoreOptions {
  readonly profile?: WireProfileName;
  readonly overrides?: Partial<WireProfile>;
  /** Bytes go into an S3 store instead of a directory. */
  readonly s3?: TestBucket | undefined;
  /** Environment variables beside the defaults. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Puts something between the service and its blobs. */
  readonly wrapStore?: (store: BlobStore) => BlobStore;
}

export async function openTestStore(options: TestStoreOptions = {}): Promise<TestStore> {
  const testDatabase = await createTestDatabase('objectstore');
  const blobRoot = await mkdtemp(join(tmpdir(), 'holdfast-blobs-'));
  const environment = {
    DATABASE_URL: testDatabase.url,
    STORAGE_ROOT: blobRoot,
    ROOT_ACLS: '{"owner": ["alice"], "subtree-owner": ["alice"]}',
    ...options.s3?.environment,
    ...options.environment,
  };
  const config = parseEnvironment(objectStoreVariables, environment);
  const profile = wireProfile(options.profile ?? 'standard', { objectStorePrefixes: ['/os'], ...options.overrides });
  const database = openDatabase({ url: config.DATABASE_URL, applicationName: 'test', maxConnections: 20 });
  await prepareDirectory(database, config.ROOT_ACLS ?? null);
  await prepareQuotas(database, config.QUOTAS);
  const opened = await openStore(config);
  const store = options.wrapStore?.(opened) ?? opened;
  const stopping = new AbortController();
  let logged = '';
  const app = objectStoreApp({
    log: createLogger({ service: 'test', level: 'info', destination: { write: (line) => (logged += line) } }),
    metrics: createMetrics(),
    profile,
    stopSignal: stopping.signal,
    trustProxy: 'none',
    database,
    store,
    settings: settingsOf(config, profile),
    errorRules: { templates: config.ERROR_TEMPLATES },
    callers: nameIsCredential,
  });
  const server = createServer(app);
  const port = await listen(server, 0, '127.0.0.1');
  return {
    http: httpClient(port),
    database,
    store,
    blobRoot,
    environment,
    server,
    log: () => logged,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await database.close();
      opened.close();
      await testDatabase.drop();
      await rm(blobRoot, { recursive: true, force: true });
    },
  };
}

/** The bearer token is the client's id: what identity does is its own tests' subject. */
const nameIsCredential: CallerSource = {
  authenticate: (_request, _response, next) => next(),
  clientOf: (request) => {
    const id = /^Bearer (.+)$/.exec(request.get('authorization') ?? '')?.[1];
    const client = id === undefined ? null : { id };
    return { client, roles: rolesOf(client) };
  },
};
