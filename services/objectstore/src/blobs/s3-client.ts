import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type ChecksumAlgorithm, S3Client, type ServerSideEncryption } from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';

/** How an S3 store is reached and used (docs/configuration.md). */
export interface S3Options {
  /** Null: that of AWS for the region. */
  readonly endpoint: string | null;
  readonly region: string;
  readonly bucket: string;
  /** Put before every key, so that several services can share a bucket: `store/`. */
  readonly keyPrefix: string;
  /** Null: what the environment of the process gives (instance roles, profiles). */
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string | undefined;
  } | null;
  /** Bucket in the path instead of the host name. */
  readonly forcePathStyle: boolean;
  /** Checksum the store compares with what arrives; null for stores that know none. */
  readonly checksum: 'CRC32' | 'CRC32C' | 'SHA1' | 'SHA256' | null;
  /** Whether checksums of what is read are compared, where the store sends them. */
  readonly checkResponses: boolean;
  readonly encryption: { readonly kind: ServerSideEncryption; readonly keyId: string | undefined } | null;
  /** Certificates of the authorities that signed the store's own, as PEM; null: those of the system. */
  readonly certificates: string | null;
  readonly maxSockets: number;
  readonly connectMilliseconds: number;
  /** Time without any progress after which a request fails. */
  readonly stallMilliseconds: number;
  readonly directParts: boolean;
  readonly partBuffers: number;
  readonly spoolDirectory: string;
}

/** The client with sockets of its own: the usual 50 would limit the number of transfers. */
export function openS3Client(options: S3Options): S3Client {
  const { maxSockets, certificates } = options;
  const agent = { keepAlive: true, maxSockets, maxFreeSockets: 64 };
  return new S3Client({
    region: options.region,
    ...(options.endpoint === null ? {} : { endpoint: options.endpoint }),
    ...(options.credentials === null ? {} : { credentials: withoutUndefined(options.credentials) }),
    forcePathStyle: options.forcePathStyle,
    // the algorithm is named with each upload; without one the client must not add its own
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: options.checkResponses ? 'WHEN_SUPPORTED' : 'WHEN_REQUIRED',
    maxAttempts: 3,
    // a refused upload is rare, a round trip before each is not; and a store that is slow to say "continue" costs six seconds
    expectContinueHeader: false,
    // what it has to say comes as errors too
    logger: silent,
    requestHandler: new NodeHttpHandler({
      httpAgent: new HttpAgent(agent),
      httpsAgent: new HttpsAgent({ ...agent, ...(certificates === null ? {} : { ca: certificates }) }),
      connectionTimeout: options.connectMilliseconds,
      socketTimeout: options.stallMilliseconds,
    }),
  });
}

const silent = {
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** What every upload says beside its bytes. */
export function uploadSettings(options: S3Options): {
  readonly ChecksumAlgorithm?: ChecksumAlgorithm;
} {
  return options.checksum === null ? {} : { ChecksumAlgorithm: options.checksum };
}

/** What every new object says about its encryption. */
export function encryptionSettings({ encryption }: S3Options): {
  readonly ServerSideEncryption?: ServerSideEncryption;
  readonly SSEKMSKeyId?: string;
} {
  if (encryption === null) return {};
  return {
    ServerSideEncryption: encryption.kind,
    ...(encryption.keyId === undefined ? {} : { SSEKMSKeyId: encryption.keyId }),
  };
}

function withoutUndefined(credentials: NonNullable<S3Options['credentials']>) {
  const { sessionToken, ...keys } = credentials;
  return sessionToken === undefined ? keys : { ...keys, sessionToken };
}
