import { tmpdir } from 'node:os';
import { parseInitialLists } from '@holdfast/acl';
import {
  booleanVariable,
  errorTemplates,
  integerVariable,
  jsonVariable,
  listVariable,
  sweepersVariable,
  type WireProfile,
} from '@holdfast/http-kit';
import { z } from 'zod';
import type { Quotas } from './directory/quotas.js';
import type { ObjectStoreSettings } from './http/exchange.js';
import { parseName, URL_LIMITS } from './naming/parse-target.js';
import { s3Variables } from './s3-configuration.js';

const TIB = 1024 ** 4;

const roleList = z.array(z.string().min(1));

const firewallLists = z
  .strictObject({
    create: roleList.optional(),
    delete: roleList.optional(),
    manage_acls: roleList.optional(),
    manage_acl: roleList.optional(),
    manage_metadata: roleList.optional(),
  })
  .refine((lists) => lists.manage_acls === undefined || lists.manage_acl === undefined, {
    error: 'manage_acl is another name of manage_acls: set one of them',
  });

const rootLists = z.unknown().transform((json, context) => {
  try {
    return parseInitialLists('namespace', json);
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'is no object of lists' });
    return z.NEVER;
  }
});

const limit = z.number().int().min(0).nullish();

/** `[{"path": "/a", "bytes": 1000000, "objects": 10}]`, paths without the service's prefix. */
const quotas = z
  .array(z.strictObject({ path: z.string(), bytes: limit, objects: limit }))
  .transform((entries, context): Quotas => {
    try {
      return new Map(
        entries.map(({ path, bytes, objects }) => [
          parseName(path),
          { bytes: bytes ?? null, objects: objects ?? null },
        ]),
      );
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'is no path' });
      return z.NEVER;
    }
  });

/** Environment variables of the object store, beside those of every process and of identity (docs/configuration.md). */
export const objectStoreVariables = {
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' }),
  DATABASE_CONNECTIONS: integerVariable({ min: 2, max: 1000 }).default(20),
  ROOT_ACLS: jsonVariable(rootLists).optional(),
  STORAGE_ADAPTER: z.enum(['filesystem', 's3']).default('filesystem'),
  STORAGE_ROOT: z.string().min(1).optional(),
  ...s3Variables,
  SPOOL_DIRECTORY: z.string().min(1).default(tmpdir()),
  UNKNOWN_LENGTH_ROLES: listVariable().default([]),
  NAMESPACE_MEDIA_TYPES: listVariable().optional(),
  URL_MAX_SEGMENT_BYTES: integerVariable({ min: 1 }).default(URL_LIMITS.segmentBytes),
  // the index of paths has no room for longer ones
  URL_MAX_PATH_BYTES: integerVariable({ min: 1, max: 2600 }).default(URL_LIMITS.pathBytes),
  URL_MAX_DEPTH: integerVariable({ min: 1 }).default(URL_LIMITS.depth),
  // the process takes no longer ones
  URL_MAX_TARGET_BYTES: integerVariable({ min: 1, max: 16_384 }).default(URL_LIMITS.targetBytes),
  MAX_REQUEST_BYTES: integerVariable({ min: 1 }).default(5 * 1024 ** 3),
  MAX_JSON_BYTES: integerVariable({ min: 1 }).default(1024 ** 2),
  MAX_OBJECT_BYTES: integerVariable({ min: 1 }).default(5 * TIB),
  MAX_BULK_DELETE: integerVariable({ min: 1 }).default(100_000),
  FIREWALL_ACLS: jsonVariable(firewallLists).default({}),
  READ_ONLY: booleanVariable().default(false),
  INITIAL_ACL_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/, 'must be a header name, or "off"')
    .default('X-Initial-Acls'),
  SWEEPERS: sweepersVariable,
  GC_GRACE_SECONDS: integerVariable({ min: 0 }).default(3600),
  PRESIGN_THRESHOLD: integerVariable({ min: 0 }).optional(),
  PRESIGN_SECONDS: integerVariable({ min: 1, max: 604_800 }).default(300),
  STALL_SECONDS: integerVariable({ min: 1 }).default(120),
  ERROR_TEMPLATES: jsonVariable(errorTemplates).default({}),
  CORS_ORIGINS: listVariable().default([]),
  RESTORE_DELETED: booleanVariable().default(false),
  BULK_LISTINGS: booleanVariable().default(true),
  QUOTAS: jsonVariable(quotas).default(new Map()),
  RATE_LIMIT_PER_SECOND: z.coerce.number('must be a number').positive('must be more than 0').optional(),
  RATE_LIMIT_BURST: integerVariable({ min: 1 }).default(100),
  UPLOAD_MAX_JOBS_PER_OBJECT: integerVariable({ min: 1 }).default(16),
  UPLOAD_MAX_JOBS_PER_CLIENT: integerVariable({ min: 1 }).default(100),
  UPLOAD_MIN_CHUNK_BYTES: integerVariable({ min: 1 }).default(1),
  UPLOAD_MAX_CHUNKS: integerVariable({ min: 1 }).default(1_000_000),
  UPLOAD_IDLE_HOURS: integerVariable({ min: 1 }).default(168),
  UPLOAD_MAX_AGE_HOURS: integerVariable({ min: 1 }).default(720),
};

/** Parsed form of {@link objectStoreVariables}. */
export type ObjectStoreConfig = z.output<z.ZodObject<typeof objectStoreVariables>>;

/** What the routes need of the configuration. */
export function settingsOf(config: ObjectStoreConfig, profile: WireProfile): ObjectStoreSettings {
  // spec/objectstore.md 4.5: a read-only service lets nobody through the lists that are not set
  const unset = config.READ_ONLY ? [] : ['*'];
  const lists = config.FIREWALL_ACLS;
  return {
    firewall: {
      create: lists.create ?? unset,
      delete: lists.delete ?? unset,
      manage_acls: lists.manage_acls ?? lists.manage_acl ?? unset,
      manage_metadata: lists.manage_metadata ?? unset,
    },
    namespaceMediaTypes: config.NAMESPACE_MEDIA_TYPES ?? profile.namespaceMediaTypes,
    unknownLengthRoles: config.UNKNOWN_LENGTH_ROLES,
    initialAclHeader: config.INITIAL_ACL_HEADER === 'off' ? null : config.INITIAL_ACL_HEADER,
    urlLimits: {
      segmentBytes: config.URL_MAX_SEGMENT_BYTES,
      pathBytes: config.URL_MAX_PATH_BYTES,
      depth: config.URL_MAX_DEPTH,
      targetBytes: config.URL_MAX_TARGET_BYTES,
    },
    maxRequestBytes: config.MAX_REQUEST_BYTES,
    maxJsonBytes: config.MAX_JSON_BYTES,
    maxObjectBytes: config.MAX_OBJECT_BYTES,
    maxBulkDelete: config.MAX_BULK_DELETE,
    stallSeconds: config.STALL_SECONDS,
    corsOrigins: config.CORS_ORIGINS,
    restoreDeleted: config.RESTORE_DELETED,
    bulkListings: config.BULK_LISTINGS,
    quotas: config.QUOTAS,
    rateLimit:
      config.RATE_LIMIT_PER_SECOND === undefined
        ? null
        : { perSecond: config.RATE_LIMIT_PER_SECOND, burst: config.RATE_LIMIT_BURST },
    spoolDirectory: config.SPOOL_DIRECTORY,
    presign:
      config.PRESIGN_THRESHOLD === undefined
        ? null
        : { aboveBytes: config.PRESIGN_THRESHOLD, seconds: config.PRESIGN_SECONDS },
    upload: {
      perObject: config.UPLOAD_MAX_JOBS_PER_OBJECT,
      perClient: config.UPLOAD_MAX_JOBS_PER_CLIENT,
      minChunkBytes: config.UPLOAD_MIN_CHUNK_BYTES,
      maxChunks: config.UPLOAD_MAX_CHUNKS,
      idleHours: config.UPLOAD_IDLE_HOURS,
      maxAgeHours: config.UPLOAD_MAX_AGE_HOURS,
    },
  };
}
