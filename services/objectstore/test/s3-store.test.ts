import { tmpdir } from 'node:os';
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { parseEnvironment } from '@holdfast/http-kit';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { BlobStore } from '../src/blobs/blob-store.js';
import { openS3Store } from '../src/blobs/s3-store.js';
import { newVersionKey } from '../src/naming/blob-key.js';
import { s3OptionsOf, s3Variables } from '../src/s3-configuration.js';
import { blobStoreContract } from './blob-store-contract.js';
import { describeOnS3, openTestBucket, type TestBucket } from './s3-bucket.js';

const MIB = 1024 * 1024;
const never = new AbortController().signal;

async function openStore(bucket: TestBucket, more: Readonly<Record<string, string>> = {}): Promise<BlobStore> {
  return openS3Store(s3OptionsOf(parseEnvironment(s3Variables, { ...bucket.environment, ...more }), tmpdir()));
}

describeOnS3('the S3 adapter', () => {
  let bucket: TestBucket;
  beforeAll(async () => {
    bucket = await openTestBucket();
  });
  afterAll(() => bucket.close());

  blobStoreContract('s3', async () => {
    const store = await openStore(bucket);
    return { store, close: async () => store.close() };
  });

  blobStoreContract('s3 without checksums, with one buffer for parts', async () => {
    const store = await openStore(bucket, { S3_CHECKSUM: 'none', S3_PART_BUFFERS: '1', S3_DIRECT_PARTS: 'false' });
    return { store, close: async () => store.close() };
  });

  it('leaves no upload of parts behind, whatever happened', async () => {
    const { Uploads } = await bucket.client.send(new ListMultipartUploadsCommand({ Bucket: bucket.name }));
    expect(Uploads ?? []).toEqual([]);
  });

  it.each(['crc32', 'crc32c', 'sha1', 'sha256'])('sends a checksum of kind %s', async (kind) => {
    const store = await openStore(bucket, { S3_CHECKSUM: kind, S3_CHECK_RESPONSES: 'true' });
    for (const size of [5, 100_000, 17 * MIB]) {
      const { key } = newVersionKey(new Date());
      const content = Buffer.alloc(size, 'c');
      expect((await store.put(key, { bytes: once(content), expectedBytes: size }, never)).bytes).toBe(size);
      let read = 0;
      for await (const chunk of (await store.open(key)) as AsyncIterable<Buffer>) read += chunk.byteLength;
      expect(read).toBe(size);
    }
    store.close();
  });

  it('presigns URLs that anybody can use, with the headers asked for', async () => {
    const store = await openStore(bucket);
    const { key } = newVersionKey(new Date());
    await store.put(key, { bytes: once(Buffer.from('hello')), expectedBytes: 5 }, never);
    const url = await store.presign?.(key, { type: 'text/csv', disposition: "filename*=UTF-8''a.csv" }, 60);
    const answer = await fetch(url ?? '');
    expect([
      await answer.text(),
      answer.headers.get('content-type'),
      answer.headers.get('content-disposition'),
    ]).toEqual(['hello', 'text/csv', "filename*=UTF-8''a.csv"]);
    store.close();
  });

  it('removes what a killed process left half written', async () => {
    const store = await openStore(bucket);
    const { key } = newVersionKey(new Date());
    // begun by somebody who never came back
    await store.parts?.begin(key, 'sent', never);
    const uploads = async () =>
      (await bucket.client.send(new ListMultipartUploadsCommand({ Bucket: bucket.name, Prefix: `store/${key}` })))
        .Uploads;
    expect(await uploads()).toHaveLength(1);
    await store.remove(key);
    expect(await uploads()).toHaveLength(1);
    await store.remove(key, { uploadId: null });
    expect(await uploads()).toBeUndefined();
    store.close();
  });

  it('does not start without its bucket, or with half of the keys', async () => {
    await expect(openStore(bucket, { S3_BUCKET: 'no-such-bucket' })).rejects.toThrow('make it first');
    await expect(openStore(bucket, { S3_SECRET_ACCESS_KEY: '' })).rejects.toThrow('both or none');
  });
});

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.byteLength; at += 65_536) yield bytes.subarray(at, at + 65_536);
}
