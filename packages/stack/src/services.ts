import { join } from 'node:path';
import { devTokens } from './dev-identities.js';
import { publicKeySet, type StackKeys } from './stack-keys.js';

/** The databases of the services; catalogs get databases of their own from the catalog service. */
export const databases = {
  registry: 'holdfast_registry',
  objectStore: 'holdfast_objectstore',
  export: 'holdfast_export',
  identity: 'holdfast_identity',
  queue: 'holdfast_queue',
} as const;

export type DatabaseName = (typeof databases)[keyof typeof databases];

/** The child processes of a stack. */
export const serviceNames = ['catalog', 'objectstore', 'export', 'export-worker'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** The main program of each child, relative to the workspace. */
export const servicePrograms: Readonly<Record<ServiceName, string>> = {
  catalog: 'services/catalog/dist/src/main.js',
  objectstore: 'services/objectstore/dist/src/main.js',
  export: 'services/export/dist/src/main.js',
  'export-worker': 'services/export/dist/src/worker.js',
};

/**
 * Options of Node for a child beside those all have. The worker of the exports handles millions of small objects one after the other: a
 * small young generation keeps its memory flat (a million references: 52 MB of growth instead of 211 MB).
 */
export const serviceOptions: Readonly<Record<ServiceName, readonly string[]>> = {
  catalog: [],
  objectstore: [],
  export: [],
  'export-worker': ['--max-semi-space-size=2', '--max-old-space-size=512'],
};

/** What the configuration of the children is made of. */
export type StackFacts = {
  readonly dataDir: string;
  /** Of the front door. */
  readonly port: number;
  readonly wireProfile: 'standard' | 'deriva';
  readonly objectStorePrefixes: readonly string[];
  readonly logLevel: string;
  readonly keys: StackKeys;
  /** Of the superuser of the embedded PostgreSQL, for the database `postgres`. */
  readonly postgresUrl: string;
};

/** Environment variables of a child, nothing else of the supervisor's environment but `PATH` and the like. */
export type ServiceEnvironment = Readonly<Record<string, string>>;

/** The URL with which clients on this machine reach the stack. */
export function publicUrl(port: number): string {
  return port === 80 ? 'http://localhost' : `http://localhost:${port}`;
}

/** The URL of one of the databases of the embedded PostgreSQL. */
export function databaseUrl(postgresUrl: string, name: DatabaseName): string {
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  return url.href;
}

export function catalogEnvironment(facts: StackFacts): ServiceEnvironment {
  return {
    ...commonEnvironment(facts),
    REGISTRY_DATABASE_URL: databaseUrl(facts.postgresUrl, databases.registry),
    CATALOG_SERVERS: JSON.stringify([{ name: 'local', url: facts.postgresUrl }]),
    CREATE_ROLES: JSON.stringify(['admin', 'alice']),
    REVOCATION_URL: revocationUrl(facts),
  };
}

export function objectStoreEnvironment(facts: StackFacts): ServiceEnvironment {
  return {
    ...commonEnvironment(facts),
    DATABASE_URL: databaseUrl(facts.postgresUrl, databases.objectStore),
    ROOT_ACLS: JSON.stringify({ owner: ['admin'], create: ['admin', 'alice'], 'subtree-owner': ['admin'] }),
    STORAGE_ADAPTER: 'filesystem',
    STORAGE_ROOT: join(facts.dataDir, 'blobs'),
    UNKNOWN_LENGTH_ROLES: JSON.stringify([exportServiceId]),
    REVOCATION_URL: revocationUrl(facts),
  };
}

/** Where the export service tells whether a token it works with still counts. */
function revocationUrl(facts: StackFacts): string {
  return `${publicUrl(facts.port)}/export/job`;
}

/** For the API process and the worker of the export service alike. */
export function exportEnvironment(
  facts: StackFacts,
  ports: { readonly catalog: number; readonly objectstore: number },
): ServiceEnvironment {
  const publicHosts = ['localhost', '127.0.0.1'].map((name) => (facts.port === 80 ? name : `${name}:${facts.port}`));
  const objectStores = publicHosts.flatMap((publicHost) =>
    facts.objectStorePrefixes.map((prefix) => ({
      publicHost,
      prefix,
      baseUrl: `http://127.0.0.1:${ports.objectstore}`,
    })),
  );
  return {
    ...commonEnvironment(facts),
    DATABASE_URL: databaseUrl(facts.postgresUrl, databases.export),
    QUEUE_URL: databaseUrl(facts.postgresUrl, databases.queue),
    CATALOGS: JSON.stringify(
      publicHosts.map((publicHost) => ({ publicHost, baseUrl: `http://127.0.0.1:${ports.catalog}` })),
    ),
    OBJECT_STORES: JSON.stringify(objectStores),
    CREDENTIAL_KEY: facts.keys.credentialKey,
    SERVICE_KEY: JSON.stringify(facts.keys.exportServiceKey),
    SCRATCH_DIR: join(facts.dataDir, 'scratch'),
  };
}

/** The client id of the export service: it owns the namespace of the results. */
export const exportServiceId = 'urn:service:export';

function commonEnvironment(facts: StackFacts): ServiceEnvironment {
  return {
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_HOST: '127.0.0.1',
    ADMIN_PORT: '0',
    LOG_LEVEL: facts.logLevel,
    WIRE_PROFILE: facts.wireProfile,
    PUBLIC_URL: publicUrl(facts.port),
    TRUST_PROXY: 'loopback',
    AUTH_MODE: 'dev',
    DEV_TOKENS: JSON.stringify(devTokens),
    IDENTITY_DATABASE_URL: databaseUrl(facts.postgresUrl, databases.identity),
    SERVICE_JWKS: JSON.stringify(publicKeySet(facts.keys)),
    // the whole stack stops within 5 s
    STOP_DRAIN_MS: '2000',
  };
}
