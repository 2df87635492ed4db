import { type GoProgram, prepareGoProgram, testCache } from './go-program.js';

/** The release of MinIO that tests run against; the last one of its community edition. */
const MODULE = 'github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c';

/** The program of an S3 server for tests, built once. */
export async function prepareS3Binary(): Promise<GoProgram> {
  const found = await prepareGoProgram('minio', MODULE, testCache('minio'));
  return found.kind === 'program' ? found : { ...found, reason: `${found.reason}; install it, or set S3_ENDPOINT` };
}
