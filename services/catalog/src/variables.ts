import { tmpdir } from 'node:os';
import {
  booleanVariable,
  integerVariable,
  jsonVariable,
  listVariable,
  type ProcessConfig,
  sweepersVariable,
} from '@holdfast/http-kit';
import { identityVariables } from '@holdfast/identity';
import { z } from 'zod';
import { placementRuleNames } from './registry/placement-rules.js';

const postgresUrl = z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' });

const server = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_.-]{1,63}$/, 'letters, digits, _ . -'),
  url: postgresUrl,
});

/** Environment variables of the catalog service; explained in docs/configuration.md. */
export const catalogVariables = {
  ...identityVariables,
  REGISTRY_DATABASE_URL: postgresUrl,
  CATALOG_SERVERS: jsonVariable(
    z
      .array(server)
      .min(1)
      .refine((servers) => new Set(servers.map(({ name }) => name)).size === servers.length, 'names must differ'),
  ),
  CREATE_ROLES: listVariable().default(['admin']),
  OWNERS_SET_PERSISTENCE: booleanVariable().default(false),
  CATALOG_PLACEMENT: z.enum(placementRuleNames).default('fewest_catalogs'),
  REGISTRANT: z
    .string()
    .regex(/^[^,:\s]+$/, 'must be the authority of a tag: URI')
    .optional(),
  DATABASE_CONNECTIONS: integerVariable({ min: 2 }).default(40),
  CATALOG_CONNECTIONS: integerVariable({ min: 1 }).default(10),
  // a sweep holds one while it changes the registry over another
  REGISTRY_CONNECTIONS: integerVariable({ min: 2 }).default(6),
  SWEEPERS: sweepersVariable,
  LOCK_WAIT_SECONDS: integerVariable({ min: 1 }).default(10),
  STATEMENT_SECONDS: integerVariable({ min: 1 }).default(15),
  WRITE_SECONDS: integerVariable({ min: 1 }).default(300),
  STALL_SECONDS: integerVariable({ min: 1 }).default(120),
  MAX_MODEL_BYTES: integerVariable({ min: 1024 }).default(16 * 1024 * 1024),
  SPOOL_DIRECTORY: z.string().min(1).default(tmpdir()),
  MODEL_CACHE_SIZE: integerVariable({ min: 1 }).default(32),
};

/** Parsed form of {@link catalogVariables}, with those of every process. */
export type CatalogConfig = z.output<z.ZodObject<typeof catalogVariables>> & ProcessConfig;
