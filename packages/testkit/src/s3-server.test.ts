import { describe, expect, it } from '@jest/globals';
import { s3OfTestRun, startTestS3 } from './s3-server.js';

describe('the S3 server of the tests', () => {
  (s3OfTestRun() === null ? it.skip : it)('answers, and refuses who has no key', async () => {
    const server = await startTestS3();
    const answer = await fetch(`${server.endpoint}/nobody/nothing`);
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('AccessDenied')]);
    await server.stop();
  });

  it('is refused with a helpful sentence when there is none', async () => {
    const { S3_ENDPOINT, HOLDFAST_TEST_MINIO } = process.env;
    delete process.env.S3_ENDPOINT;
    delete process.env.HOLDFAST_TEST_MINIO;
    try {
      expect(s3OfTestRun()).toBeNull();
      await expect(startTestS3()).rejects.toThrow('set S3_ENDPOINT, or install Go');
    } finally {
      if (S3_ENDPOINT !== undefined) process.env.S3_ENDPOINT = S3_ENDPOINT;
      if (HOLDFAST_TEST_MINIO !== undefined) process.env.HOLDFAST_TEST_MINIO = HOLDFAST_TEST_MINIO;
    }
  });
});
