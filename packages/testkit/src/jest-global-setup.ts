import { join } from 'node:path';
import { startEmbeddedPostgres, temporaryDirectory } from '@holdfast/stack';
import { prepareS3Binary } from './s3-binary.js';
import { rememberTestServer } from './test-server.js';

/**
 * Finds, or builds once, the program of the S3 server, and starts one PostgreSQL for the whole test run, its URL in HOLDFAST_TEST_POSTGRES. A URL that is set already names a server to
 * use instead, for instance one of another version.
 */
// Jest asks for a default export here
export default async function startTestServer(): Promise<void> {
  await findS3();
  if (process.env.HOLDFAST_TEST_POSTGRES) return;
  const directory = await temporaryDirectory('holdfast-test-');
  const server = await startEmbeddedPostgres({ dataDir: join(directory, 'postgres'), durable: false });
  process.env.HOLDFAST_TEST_POSTGRES = server.url;
  rememberTestServer({ server, directory });
}

/** Test files start S3 servers of their own; here it is only found out with which program, if there is one. */
async function findS3(): Promise<void> {
  if (process.env.S3_ENDPOINT || process.env.HOLDFAST_TEST_MINIO) return;
  const found = await prepareS3Binary();
  if (found.kind === 'program') process.env.HOLDFAST_TEST_MINIO = found.path;
  else process.stderr.write(`\nNO S3 SERVER: ${found.reason}.\nTESTS ON S3 ARE SKIPPED.\n\n`);
}
