import { createHash, randomBytes } from 'node:crypto';
import { ListMultipartUploadsCommand, ListObjectsV2Command, UploadPartCommand } from '@aws-sdk/client-s3';
import { createLogger } from '@holdfast/http-kit';
import { sql } from '@holdfast/pg-kit';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { BlobStore, PartStore } from '../src/blobs/blob-store.js';
import { sweep } from '../src/maintenance/sweeper.js';
import { describeOnS3, openTestBucket, type TestBucket } from './s3-bucket.js';
import { openTestStore, type TestStore } from './test-store.js';

const MIB = 1024 * 1024;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const K = 5 * MIB;
const TOTAL = 2 * K + 1000;

/** spec/objectstore.md 13.3: chunks that S3 takes as parts are written once. */
describeOnS3('chunks that are parts', () => {
  let bucket: TestBucket;
  let store: TestStore;
  let real: BlobStore;
  let fault: Partial<PartStore>;
  const content = randomBytes(TOTAL);
  const md5 = createHash('md5').update(content).digest('base64');
  beforeEach(async () => {
    fault = {};
    bucket = await openTestBucket();
    store = await openTestStore({
      s3: bucket,
      wrapStore: (opened) => {
        real = opened;
        const { parts } = opened;
        if (parts === undefined) throw new Error('no direct parts');
        return {
          ...opened,
          parts: {
            ...parts,
            put: (...given) => (fault.put ?? parts.put)(...given),
            complete: (...given) => (fault.complete ?? parts.complete)(...given),
            measure: (...given) => (fault.measure ?? parts.measure)(...given),
          },
        };
      },
    });
  });
  afterEach(async () => {
    await store.close();
    await bucket.close();
  });

  const alice = (method: string, target: string, body?: string | Buffer, headers?: Record<string, string>) =>
    store.http(method, target, { as: 'alice', body, headers });
  const create = async (members: object = {}): Promise<string> => {
    const document = { 'chunk-length': K, 'content-length': TOTAL, ...members };
    const made = await alice('POST', '/os/o;upload', JSON.stringify(document), JSON_TYPE);
    expect(made.status).toBe(201);
    return made.headers.location ?? '';
  };
  const chunk = (number: number): Buffer => content.subarray(number * K, (number + 1) * K);
  const send = (job: string, ...numbers: readonly number[]) =>
    Promise.all(numbers.map(async (number) => (await alice('PUT', `${job}/${number}`, chunk(number))).status));
  const status = async (job: string): Promise<Record<string, unknown>> => JSON.parse((await alice('GET', job)).text);
  const sweepNow = () =>
    sweep(
      {
        database: store.database,
        store: real,
        log: createLogger({ service: 'test', level: 'silent' }),
        graceSeconds: 0,
        jobAges: { idleHours: 1, maxAgeHours: 2 },
      },
      new AbortController().signal,
    );
  const change = (statement: ReturnType<typeof sql>) =>
    store.database.withConnection(null, (connection) => connection.execute(statement));
  const abandonLease = (n: number) =>
    change(sql`insert into os_part_lease (job_id, n, writer, lease_until)
      select id, ${n}, gen_random_uuid(), now() - interval '1 second' from os_job`);
  const replaceInStore = async (n: number, bytes: Buffer) => {
    const { Uploads } = await bucket.client.send(new ListMultipartUploadsCommand({ Bucket: bucket.name }));
    const place = { Bucket: bucket.name, Key: Uploads?.[0]?.Key, UploadId: Uploads?.[0]?.UploadId };
    const part = { PartNumber: n + 1, Body: bytes, ChecksumAlgorithm: 'CRC32' } as const;
    await bucket.client.send(new UploadPartCommand({ ...place, ...part }));
  };
  const inBucket = async () => {
    const objects = await bucket.client.send(new ListObjectsV2Command({ Bucket: bucket.name, Prefix: 'store/' }));
    const uploads = await bucket.client.send(new ListMultipartUploadsCommand({ Bucket: bucket.name }));
    return { objects: objects.Contents?.length ?? 0, uploads: uploads.Uploads?.length ?? 0 };
  };
  const clear = async () => {
    await alice('DELETE', '/os/o');
    await sweepNow();
    expect(await inBucket()).toEqual({ objects: 0, uploads: 0 });
  };
  const expectContent = async () => {
    const got = await alice('GET', '/os/o');
    expect([got.bytes.equals(content), got.headers['content-md5']]).toEqual([true, md5]);
  };

  it('are written once and become the object, in any order and twice', async () => {
    const job = await create({ 'content-md5': md5 });
    expect(await send(job, 2, 0, 1, 2)).toEqual([204, 204, 204, 204]);
    expect(await inBucket()).toEqual({ objects: 0, uploads: 1 });
    expect(await status(job)).toMatchObject({ received: [[0, 2]], 'received-bytes': TOTAL });
    expect((await alice('POST', job)).status).toBe(201);
    await expectContent();
    expect(await inBucket()).toEqual({ objects: 1, uploads: 0 });
    await clear();
  });

  it('are replaced as a whole by the last transfer that ended, never by a damaged one', async () => {
    const job = await create();
    await send(job, 0, 1, 2);
    const wrong = randomBytes(K);
    const damaged = await alice('PUT', `${job}/1`, wrong, { 'Content-MD5': md5 });
    expect([damaged.status, damaged.code]).toEqual([400, 'hash_mismatch']);
    expect((await alice('PUT', `${job}/0`, wrong)).status).toBe(204);
    expect(await send(job, 0)).toEqual([204]);
    expect((await alice('POST', job)).status).toBe(201);
    await expectContent();
    await clear();
  });

  it('can be sent again after a finish that found the wrong content', async () => {
    const job = await create({ 'content-md5': md5 });
    await send(job, 0, 1, 2);
    await alice('PUT', `${job}/1`, randomBytes(K));
    const refused = await alice('POST', job);
    expect([refused.status, refused.code]).toEqual([409, 'hash_mismatch']);
    expect(await status(job)).toMatchObject({ state: 'open', received: [[0, 2]] });
    expect((await alice('POST', job)).code).toBe('hash_mismatch');
    expect(await send(job, 1)).toEqual([204]);
    expect((await alice('POST', job)).status).toBe(201);
    await expectContent();
    await clear();
  });

  it('that are whole already when the finisher dies are finished by the next', async () => {
    const job = await create();
    await send(job, 0, 1, 2);
    fault.measure = () => Promise.reject(new Error('died after completion'));
    expect((await alice('POST', job)).status).toBe(503);
    fault = {};
    expect((await alice('POST', job)).status).toBe(201);
    await expectContent();
    await clear();
  });

  it('that are whole already become parts again when a chunk is sent anew', async () => {
    const job = await create();
    await send(job, 0, 2);
    await alice('PUT', `${job}/1`, randomBytes(K));
    fault.measure = () => Promise.reject(new Error('died after completion'));
    expect((await alice('POST', job)).status).toBe(503);
    fault = {};
    expect(await send(job, 1)).toEqual([204]);
    expect((await alice('POST', job)).status).toBe(201);
    await expectContent();
    await clear();
  });

  it('stay parts when the completion failed before it began', async () => {
    const job = await create();
    await send(job, 0, 1, 2);
    fault.complete = () => Promise.reject(new Error('no connection'));
    expect((await alice('POST', job)).status).toBe(503);
    fault = {};
    expect(await send(job, 1)).toEqual([204]);
    expect(await status(job)).toMatchObject({ received: [[0, 2]] });
    expect((await alice('POST', job)).status).toBe(201);
    await expectContent();
    await clear();
  });

  it('that were acknowledged stay so when they are sent again and the sender dies', async () => {
    const job = await create({ 'content-md5': md5 });
    await send(job, 0, 1, 2);
    await abandonLease(1);
    fault.put = () => Promise.reject(new Error('broke off after the last byte'));
    expect(await send(job, 2)).toEqual([503]);
    fault = {};
    expect(await status(job)).toMatchObject({ received: [[0, 2]] });
    expect((await alice('POST', job)).status).toBe(201);
    await expectContent();
    await clear();
  });

  it('count as missing when the store has others than were acknowledged, and when it has lost them', async () => {
    const job = await create();
    await send(job, 0, 1, 2);
    // a sender died after the store had replaced the part
    await replaceInStore(1, randomBytes(K));
    await abandonLease(1);
    expect((await alice('POST', job)).code).toBe('chunks_missing');
    expect(await status(job)).toMatchObject({
      received: [
        [0, 0],
        [2, 2],
      ],
    });
    await send(job, 1);
    await change(sql`update os_chunk set part_tag = '"0123456789abcdef0123456789abcdef"' where n = 2`);
    expect((await alice('POST', job)).code).toBe('chunks_missing');
    expect(await status(job)).toMatchObject({ received: [[0, 1]] });
    await send(job, 2);
    expect((await alice('POST', job)).status).toBe(201);
    await expectContent();
    await clear();
  });

  it('begin anew when the store has forgotten the upload', async () => {
    const job = await create();
    await send(job, 0, 1, 2);
    const [blob] = await store.database.withConnection(null, (connection) =>
      connection.query<{ key: string }>(sql`select key from os_blob`),
    );
    for await (const item of real.list()) if (blob?.key.endsWith(item.id) === true) await item.remove();
    expect((await alice('POST', job)).code).toBe('chunks_missing');
    expect(await status(job)).toMatchObject({ received: [] });
    await send(job, 0, 1, 2);
    expect((await alice('POST', job)).status).toBe(201);
    await expectContent();
    await clear();
  });

  it('of one number are sent one after the other; a finish waits for them', async () => {
    const job = await create();
    await send(job, 0, 2);
    const order: string[] = [];
    const { parts } = real;
    fault.put = async (...given) => {
      order.push('begin');
      await new Promise((resolve) => setTimeout(resolve, 200));
      const stored = await parts?.put(...given);
      order.push('end');
      if (stored === undefined) throw new Error('no parts');
      return stored;
    };
    const first = send(job, 1);
    const second = send(job, 1);
    while (order.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    const finishing = alice('POST', job);
    expect([await first, await second]).toEqual([[204], [204]]);
    expect(order).toEqual(['begin', 'end', 'begin', 'end']);
    expect((await finishing).status).toBe(201);
    await expectContent();
    await clear();
  });

  it('go with a job that is cancelled or given up', async () => {
    const cancelled = await create();
    await send(cancelled, 0, 1);
    expect((await alice('DELETE', cancelled)).status).toBe(204);
    const idle = await create();
    await send(idle, 0);
    await change(sql`update os_job set touched_at = now() - interval '2 hours'`);
    await sweepNow();
    expect((await alice('GET', idle)).status).toBe(404);
    expect(await inBucket()).toEqual({ objects: 0, uploads: 0 });
    expect(
      await store.database.withConnection(null, (connection) => connection.query(sql`select from os_blob`)),
    ).toEqual([]);
    await clear();
  });

  it.each([1, 5 * MIB - 1, 5 * MIB, 5 * MIB + 1])('of any length make the content: %d bytes each', async (length) => {
    const total = length === 1 ? 3 : 2 * length + 1;
    const job = await create({ 'chunk-length': length, 'content-length': total });
    for (let at = 0; at < total; at += length)
      expect(
        (await alice('PUT', `${job}/${at / length}`, content.subarray(at, Math.min(at + length, total)))).status,
      ).toBe(204);
    expect((await alice('POST', job)).status).toBe(201);
    expect((await alice('GET', '/os/o')).bytes.equals(content.subarray(0, total))).toBe(true);
    await clear();
  });
});
