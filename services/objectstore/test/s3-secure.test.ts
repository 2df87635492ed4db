import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { parseEnvironment } from '@holdfast/http-kit';
import { startMinio, type TestS3Server } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { generate } from 'selfsigned';
import type { BlobStore } from '../src/blobs/blob-store.js';
import { openS3Store } from '../src/blobs/s3-store.js';
import { newVersionKey } from '../src/naming/blob-key.js';
import { s3OptionsOf, s3Variables } from '../src/s3-configuration.js';

const MIB = 1024 * 1024;
const never = new AbortController().signal;
const program = process.env.HOLDFAST_TEST_MINIO;

/** Needs a server of its own: one that the environment names has the certificates and keys it has. */
(program ? describe : describe.skip)('an S3 server with TLS and encryption', () => {
  let directory: string;
  let server: TestS3Server;
  let client: S3Client;
  let environment: Record<string, string>;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'holdfast-tls-'));
    const certificates = await generate([{ name: 'commonName', value: 'S3 server of the tests' }], {
      keyType: 'ec',
      algorithm: 'sha256',
      extensions: [
        { name: 'basicConstraints', cA: true },
        { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
      ],
    });
    await writeFile(join(directory, 'ca.pem'), certificates.cert);
    server = await startMinio(program ?? '', {
      tls: { certificate: certificates.cert, key: certificates.private },
      encryption: true,
    });
    const { endpoint, region, accessKeyId, secretAccessKey } = server;
    client = new S3Client({
      endpoint,
      region,
      credentials: { accessKeyId, secretAccessKey },
      forcePathStyle: true,
      requestHandler: new NodeHttpHandler({ httpsAgent: new Agent({ ca: certificates.cert }) }),
    });
    await client.send(new CreateBucketCommand({ Bucket: 'safe' }));
    environment = {
      S3_ENDPOINT: endpoint,
      S3_REGION: region,
      S3_BUCKET: 'safe',
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    };
  });
  afterAll(async () => {
    client.destroy();
    await server.stop();
    await rm(directory, { recursive: true });
  });
  const open = (more: Readonly<Record<string, string>>): Promise<BlobStore> =>
    openS3Store(s3OptionsOf(parseEnvironment(s3Variables, { ...environment, ...more }), tmpdir()));

  it('is used when its authority is known, and not otherwise', async () => {
    const store = await open({ S3_CA_FILE: join(directory, 'ca.pem') });
    const { key } = newVersionKey(new Date());
    const content = Buffer.alloc(17 * MIB, 'tls');
    expect((await store.put(key, { bytes: pieces(content), expectedBytes: content.length }, never)).bytes).toBe(
      content.length,
    );
    expect((await readWhole(store, key)).equals(content)).toBe(true);
    store.close();
    await expect(open({})).rejects.toMatchObject({
      cause: expect.objectContaining({ message: expect.stringMatching(/certificate/) }),
    });
  });

  it.each([100, MIB, 17 * MIB, null])('encrypts what it is asked to, %s bytes', async (length) => {
    const store = await open({ S3_CA_FILE: join(directory, 'ca.pem'), S3_ENCRYPTION: 'AES256' });
    const { key } = newVersionKey(new Date());
    const content = Buffer.alloc(length ?? 9 * MIB, 'encrypted');
    await store.put(key, { bytes: pieces(content), expectedBytes: length }, never);
    expect((await client.send(new HeadObjectCommand({ Bucket: 'safe', Key: key }))).ServerSideEncryption).toBe(
      'AES256',
    );
    expect((await readWhole(store, key)).equals(content)).toBe(true);
    store.close();
  });

  it('encrypts chunks that are parts, and copies of them', async () => {
    const store = await open({ S3_CA_FILE: join(directory, 'ca.pem'), S3_ENCRYPTION: 'AES256' });
    const layout = { chunkLength: 5 * MIB, contentLength: 6 * MIB };
    const content = Buffer.alloc(layout.contentLength, 'parts');
    const begun = async (filling: 'sent' | 'copied') => {
      const { key } = newVersionKey(new Date());
      return { key, uploadId: (await store.parts?.begin(key, filling, never)) ?? '' };
    };
    const sent = await begun('sent');
    const tags: string[] = [];
    for (let at = 0; at < content.length; at += layout.chunkLength) {
      const chunk = content.subarray(at, at + layout.chunkLength);
      const source = { bytes: pieces(chunk), expectedBytes: chunk.length };
      tags.push((await store.parts?.put(sent, tags.length, source, never))?.tag ?? '');
    }
    await store.parts?.complete(sent, tags, layout, never);
    const cut = await begun('copied');
    await store.parts?.complete(cut, (await store.parts?.cut(sent.key, cut, layout, never)) ?? [], layout, never);
    for (const { key } of [sent, cut]) {
      const head = await client.send(new HeadObjectCommand({ Bucket: 'safe', Key: key }));
      expect(head.ServerSideEncryption).toBe('AES256');
      expect((await readWhole(store, key)).equals(content)).toBe(true);
    }
    store.close();
  });
});

async function readWhole(store: BlobStore, key: Parameters<BlobStore['open']>[0]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of (await store.open(key)) as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.byteLength; at += 65_536) yield bytes.subarray(at, at + 65_536);
}
