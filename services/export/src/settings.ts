import { BlockList, isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALGORITHMS } from '@holdfast/bagit';
import {
  booleanVariable,
  integerVariable,
  jsonVariable,
  listVariable,
  sweepersVariable,
  type WireProfile,
} from '@holdfast/http-kit';
import { sealingKeysVariable } from '@holdfast/identity';
import { z } from 'zod';
import { QUEUE_URL, SENTINEL } from './job/queue-address.js';
import type { CatalogServer } from './request/catalog-host.js';
import type { ObjectStoreServer } from './steps/asset-url.js';

const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .transform((text) => text.replace(/\/+$/, ''));

const delegation = z.enum(['internal', 'forward']).default('internal');

const catalogServer = z.strictObject({
  publicHost: z.string().min(1),
  baseUrl,
  path: z
    .string()
    .regex(/^\/(?:.*\/)?catalog\/$/, 'must start with / and end with /catalog/')
    .optional(),
  delegation,
});

const objectStoreServer = z.strictObject({
  publicHost: z.string().min(1),
  prefix: z.string().regex(/^\/.*[^/]$/, 'must start with / and not end with one'),
  baseUrl,
  delegation,
});

const serviceKey = z.looseObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  kid: z.string().min(1),
  x: z.string(),
  d: z.string(),
});

/** Networks as `address/prefix`. */
function blockListOf(networks: readonly string[], context: z.RefinementCtx): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix = ''] = network.split('/');
    const most = isIP(address) === 6 ? 128 : 32;
    if (isIP(address) === 0 || !/^\d{1,3}$/.test(prefix) || Number(prefix) > most) {
      context.addIssue({ code: 'custom', message: 'must be networks like 203.0.113.0/24, with commas' });
      return z.NEVER;
    }
    list.addSubnet(address, Number(prefix), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** Environment variables of both processes; docs/configuration.md explains them. Defaults are those of spec/export.md 1. */
export const exportVariables = {
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' }),
  QUEUE_URL: z.string().regex(QUEUE_URL, 'must be a postgres://, redis:// or rediss:// URL'),
  QUEUE_SENTINELS: listVariable()
    .default([])
    .pipe(z.array(z.string().regex(SENTINEL, 'must be host:port, several with commas'))),
  QUEUE_SENTINEL_NAME: z.string().min(1).default('mymaster'),
  QUEUE_SENTINEL_PASSWORD: z.string().optional(),
  QUEUE_CA_FILE: z.string().optional(),
  CATALOGS: jsonVariable(z.array(catalogServer).min(1)),
  OBJECT_STORES: jsonVariable(z.array(objectStoreServer).min(1)),
  CREDENTIAL_KEY: sealingKeysVariable,
  SERVICE_KEY: jsonVariable(serviceKey),
  DELEGATION_SECONDS: integerVariable({ min: 60 }).default(43_200),
  DATABASE_CONNECTIONS: integerVariable({ min: 2 }).default(10),
  SCRATCH_DIR: z.string().default(join(tmpdir(), 'holdfast-export')),
  SCRATCH_QUOTA_BYTES: integerVariable({ min: 1 }).default(20 * 1024 ** 3),
  WORKER_CONCURRENCY: integerVariable({ min: 1 }).default(4),
  REQUIRE_AUTHENTICATION: booleanVariable().default(true),
  ALLOW_ANONYMOUS_DOWNLOAD: booleanVariable().default(false),
  ALLOW_PUBLIC: booleanVariable().default(false),
  EXTERNAL_FETCH: z.enum(['deny', 'allowlist', 'public']).default('deny'),
  EXTERNAL_FETCH_HOSTS: listVariable().default([]),
  EXTERNAL_FETCH_BLOCKED: listVariable().default([]).transform(blockListOf),
  FETCH_URI_SCHEMES: listVariable().default(['https', 'http']),
  MAX_QUERIES: integerVariable({ min: 1 }).default(100),
  MAX_BODY_BYTES: integerVariable({ min: 1 }).default(1_048_576),
  MAX_OUTPUT_BYTES: integerVariable({ min: 0 }).default(0),
  MAX_FILES: integerVariable({ min: 1 }).default(100_000),
  MAX_FETCH_ENTRIES: integerVariable({ min: 1 }).default(1_000_000),
  PROGRESS_TIMEOUT_SECONDS: integerVariable({ min: 1 }).default(120),
  JOB_TIMEOUT_SECONDS: integerVariable({ min: 0 }).default(0),
  QUEUE_WAIT_SECONDS: integerVariable({ min: 1 }).default(120),
  PIN_SNAPSHOT: z.enum(['true', 'strict', 'false']).default('true'),
  PER_USER_CONCURRENT: integerVariable({ min: 1 }).default(1),
  PER_USER_QUEUED: integerVariable({ min: 0 }).default(100),
  MAX_RESULTS_PER_USER: integerVariable({ min: 0 }).default(0),
  SWEEPERS: sweepersVariable,
  SWEEP_SECONDS: integerVariable({ min: 1 }).default(5),
  RETENTION_HOURS: integerVariable({ min: 1 }).default(24),
  RESULT_DELIVERY: z.enum(['proxy', 'redirect']).default('proxy'),
  COMPAT_SEED_STATUSES: booleanVariable().default(false),
  EXTERNAL_PROCESSORS: jsonVariable(
    z.record(
      z.string().min(1),
      z.string().regex(/^(?:\/|@?[a-z0-9])/, 'must be the absolute path of a file, or the name of a package'),
    ),
  ).default({}),
  RESULT_NAMESPACE: z
    .string()
    .regex(/^(?:\/[A-Za-z0-9._~-]+)+$/, 'must be a path below the prefix of the object store')
    .default('/export-results'),
  FILE_WITH_BAG: z.enum(['ignore', 'bag']).default('ignore'),
  ADMIN_READERS: listVariable().default([]),
  BAG_DEFAULT_ALGORITHMS: listVariable()
    .default(['md5', 'sha256'])
    .pipe(z.array(z.enum(ALGORITHMS)).min(1)),
  BAG_VERSION: z.enum(['1.0', '0.97']).default('1.0'),
};

/** Parsed form of {@link exportVariables}. */
export type ExportConfig = z.output<z.ZodObject<typeof exportVariables>>;

/** The servers an export may speak to. */
export interface Servers {
  readonly catalogs: readonly CatalogServer[];
  readonly stores: readonly ObjectStoreServer[];
  /** `http` only where the deployment itself is reached without TLS. */
  readonly publicScheme: 'http' | 'https';
  /** Path of the namespace of all results, in the first of the stores. */
  readonly resultRoot: string;
  readonly resultBaseUrl: string;
  /** Public origin of that store. */
  readonly resultOrigin: string;
}

/** Name of the service among services: it owns the results. */
export const SERVICE_ID = 'urn:service:export';

/** `Bag-Software-Agent`, and how the service calls itself to other servers. */
export const SOFTWARE_AGENT = 'Holdfast export 0.1.0';

/** Fills in what the wire profile and the public URL say about the servers. */
export function serversOf(
  config: Pick<ExportConfig, 'CATALOGS' | 'OBJECT_STORES' | 'RESULT_NAMESPACE'> & {
    readonly PUBLIC_URL?: string | undefined;
  },
  profile: WireProfile,
): Servers {
  const [first] = config.OBJECT_STORES;
  if (first === undefined) throw new TypeError('OBJECT_STORES is empty.');
  const publicScheme = config.PUBLIC_URL?.startsWith('http:') === true ? 'http' : 'https';
  return {
    catalogs: config.CATALOGS.map(({ path, ...server }) => ({
      ...server,
      path: path ?? `${profile.catalogPrefixes[0]}/catalog/`,
    })),
    stores: config.OBJECT_STORES,
    publicScheme,
    resultRoot: `${first.prefix}${config.RESULT_NAMESPACE}`,
    resultBaseUrl: first.baseUrl,
    resultOrigin: `${publicScheme}://${first.publicHost}`,
  };
}
