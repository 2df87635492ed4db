import { randomBytes } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { s3OfTestRun, startTestS3 } from '@holdfast/testkit';
import { describe } from '@jest/globals';

/** A bucket of its own on a real S3 server. */
export interface TestBucket {
  /** Variables with which a service uses it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly client: S3Client;
  readonly name: string;
  close(): Promise<void>;
}

/** `describe` for tests on S3; where no server can be had they are skipped, and the test set-up has said so. */
export function describeOnS3(name: string, tests: () => void): void {
  (s3OfTestRun() === null ? describe.skip : describe)(name, tests);
}

/** The adapters of this test run. */
export const ADAPTERS: readonly ('filesystem' | 's3')[] =
  s3OfTestRun() === null ? ['filesystem'] : ['filesystem', 's3'];

export async function openTestBucket(): Promise<TestBucket> {
  const server = await startTestS3();
  const { endpoint, region, accessKeyId, secretAccessKey } = server;
  const client = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
  });
  const name = `holdfast-${randomBytes(6).toString('hex')}`;
  await client.send(new CreateBucketCommand({ Bucket: name }));
  return {
    environment: {
      STORAGE_ADAPTER: 's3',
      S3_ENDPOINT: endpoint,
      S3_REGION: region,
      S3_BUCKET: name,
      S3_KEY_PREFIX: 'store/',
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    },
    client,
    name,
    close: async () => {
      client.destroy();
      await server.stop();
    },
  };
}
