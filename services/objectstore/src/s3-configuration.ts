import { readFileSync } from 'node:fs';
import { booleanVariable, integerVariable } from '@holdfast/http-kit';
import { z } from 'zod';
import type { S3Options } from './blobs/s3-client.js';

/** Variables of the S3 adapter (docs/configuration.md); only the bucket is needed. */
export const s3Variables = {
  S3_ENDPOINT: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional(),
  S3_REGION: z.string().default('us-east-1'),
  S3_BUCKET: z.string().optional(),
  S3_KEY_PREFIX: z
    .string()
    .regex(/^([A-Za-z0-9._-]+\/)+$/, 'must be names, each with a slash after it')
    .optional(),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  S3_SESSION_TOKEN: z.string().optional(),
  S3_FORCE_PATH_STYLE: booleanVariable().default(true),
  S3_CHECKSUM: z.enum(['crc32', 'crc32c', 'sha1', 'sha256', 'none']).default('crc32'),
  S3_CHECK_RESPONSES: booleanVariable().default(false),
  S3_ENCRYPTION: z.enum(['none', 'AES256', 'aws:kms']).default('none'),
  S3_KMS_KEY_ID: z.string().optional(),
  S3_CA_FILE: z.string().optional(),
  S3_MAX_SOCKETS: integerVariable({ min: 1 }).default(256),
  S3_CONNECT_SECONDS: integerVariable({ min: 1 }).default(10),
  S3_STALL_SECONDS: integerVariable({ min: 1 }).default(120),
  S3_DIRECT_PARTS: booleanVariable().default(true),
  S3_PART_BUFFERS: integerVariable({ min: 1, max: 1000 }).default(4),
};

type S3Config = z.output<z.ZodObject<typeof s3Variables>>;

/**
 * What the adapter needs of them.
 * @param spoolDirectory where parts of unknown length wait that have no buffer
 * @throws when the bucket, half of the keys, or the file of certificates is missing
 */
export function s3OptionsOf(config: S3Config, spoolDirectory: string): S3Options {
  if (config.S3_BUCKET === undefined) throw new Error('S3_BUCKET must name the bucket of the blobs.');
  return {
    endpoint: config.S3_ENDPOINT ?? null,
    region: config.S3_REGION,
    bucket: config.S3_BUCKET,
    keyPrefix: config.S3_KEY_PREFIX ?? '',
    credentials: credentialsOf(config),
    forcePathStyle: config.S3_FORCE_PATH_STYLE,
    checksum: CHECKSUMS[config.S3_CHECKSUM],
    checkResponses: config.S3_CHECK_RESPONSES,
    encryption: config.S3_ENCRYPTION === 'none' ? null : { kind: config.S3_ENCRYPTION, keyId: config.S3_KMS_KEY_ID },
    certificates: config.S3_CA_FILE === undefined ? null : readFileSync(config.S3_CA_FILE, 'utf8'),
    maxSockets: config.S3_MAX_SOCKETS,
    connectMilliseconds: config.S3_CONNECT_SECONDS * 1000,
    stallMilliseconds: config.S3_STALL_SECONDS * 1000,
    directParts: config.S3_DIRECT_PARTS,
    partBuffers: config.S3_PART_BUFFERS,
    spoolDirectory,
  };
}

const CHECKSUMS = {
  crc32: 'CRC32',
  crc32c: 'CRC32C',
  sha1: 'SHA1',
  sha256: 'SHA256',
  none: null,
} as const;

function credentialsOf(config: S3Config): S3Options['credentials'] {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  if (accessKeyId === undefined && secretAccessKey === undefined) return null;
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new Error('Set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, both or none.');
  return { accessKeyId, secretAccessKey, sessionToken: config.S3_SESSION_TOKEN };
}
