import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { createLogger } from '@holdfast/http-kit';
import { sql } from '@holdfast/pg-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { BlobStore } from '../src/blobs/blob-store.js';
import { sweep } from '../src/maintenance/sweeper.js';
import { ADAPTERS, openTestBucket, type TestBucket } from './s3-bucket.js';
import { openTestStore, type TestStore } from './test-store.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };

describe.each(ADAPTERS)('upload jobs on %s', (adapter) => {
  let bucket: TestBucket | undefined;
  beforeAll(async () => {
    bucket = adapter === 's3' ? await openTestBucket() : undefined;
  });
  afterAll(() => bucket?.close());
  let store: TestStore;
  let directory: BlobStore;
  let assemble: BlobStore['assemble'] | null;
  beforeEach(async () => {
    assemble = null;
    store = await openTestStore({
      s3: bucket,
      environment: { UPLOAD_MAX_JOBS_PER_OBJECT: '3', UPLOAD_MAX_JOBS_PER_CLIENT: '5', UPLOAD_MAX_CHUNKS: '1000' },
      wrapStore: (files) => {
        directory = files;
        return { ...files, assemble: (...given) => (assemble ?? files.assemble)(...given) };
      },
    });
  });
  afterEach(() => store.close());

  const alice = (method: string, target: string, body?: string | Buffer, headers?: Record<string, string>) =>
    store.http(method, target, { as: 'alice', body, headers });
  const create = async (name: string, document: object, headers: Record<string, string> = {}): Promise<string> => {
    const made = await alice('POST', `/os/${name};upload`, JSON.stringify(document), { ...JSON_TYPE, ...headers });
    expect(made.status).toBe(201);
    return made.headers.location ?? '';
  };
  const sweepNow = () =>
    sweep(
      {
        database: store.database,
        store: directory,
        log: createLogger({ service: 'test', level: 'silent' }),
        graceSeconds: 0,
        jobAges: { idleHours: 2, maxAgeHours: 10 },
      },
      new AbortController().signal,
    );
  const change = (statement: ReturnType<typeof sql>) =>
    store.database.withConnection(null, (connection) => connection.execute(statement));
  const count = async (table: 'os_blob' | 'os_chunk' | 'os_job'): Promise<number> => {
    const statement = {
      os_blob: sql`select from os_blob`,
      os_chunk: sql`select from os_chunk`,
      os_job: sql`select from os_job`,
    }[table];
    return store.database.withConnection(null, async (connection) => (await connection.query(statement)).length);
  };

  it('give back content sent in any order, some of it twice, four chunks at a time', async () => {
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }).chain((total) =>
          fc.record({
            total: fc.constant(total),
            size: fc.integer({ min: 1, max: total }),
            seed: fc.infiniteStream(fc.nat()),
          }),
        ),
        async ({ total, size, seed }) => {
          round += 1;
          const content = randomBytes(total);
          const md5 = createHash('md5').update(content).digest('base64');
          const job = await create(`any${round}`, {
            'chunk-length': size,
            'content-length': total,
            'content-md5': md5,
          });
          const numbers = Array.from({ length: Math.ceil(total / size) }, (_, number) => number);
          const order = [...numbers, ...numbers.filter(() => (seed.next().value ?? 0) % 3 === 0)]
            .map((number) => ({ number, rank: seed.next().value ?? 0 }))
            .sort((a, b) => a.rank - b.rank);
          for (let at = 0; at < order.length; at += 4) {
            const sent = order
              .slice(at, at + 4)
              .map(({ number }) =>
                alice('PUT', `${job}/${number}`, content.subarray(number * size, (number + 1) * size)),
              );
            expect((await Promise.all(sent)).every(({ status }) => status === 204)).toBe(true);
          }
          const done = await alice('POST', job);
          expect(done.status).toBe(201);
          const got = await alice('GET', done.headers.location ?? '');
          expect(got.bytes.equals(content)).toBe(true);
          expect(got.headers['content-md5']).toBe(md5);
        },
      ),
      { numRuns: 15 },
    );
    await sweepNow();
    expect([await count('os_chunk'), await count('os_job'), await count('os_blob')]).toEqual([0, 0, round]);
  });

  it('take chunks of any type, which means nothing', async () => {
    const job = await create('untyped', { 'chunk-length': 1, 'content-length': 1, 'content-type': 'a/b' });
    const headers = { 'Content-Type': 'nonsense', 'Content-Disposition': 'form-data' };
    expect((await store.http('PUT', `${job}/0`, { as: 'alice', body: 'x', headers })).status).toBe(204);
    expect((await store.http('POST', job, { as: 'alice' })).status).toBe(201);
    expect((await store.http('GET', '/os/untyped', { as: 'alice' })).headers['content-type']).toBe('a/b');
  });

  it('refuse a chunk whose hash is another, and keep the one before', async () => {
    const job = await create('o', { 'chunk-length': 5, 'content-length': 5 });
    const md5 = createHash('md5').update('hello').digest('base64');
    expect((await alice('PUT', `${job}/0`, 'hello', { 'Content-MD5': md5 })).status).toBe(204);
    expect((await alice('PUT', `${job}/0`, 'hallo', { 'Content-MD5': md5 })).status).toBe(400);
    expect((await alice('PUT', `${job}/0`, 'hello', { 'Content-MD5': 'bad' })).code).toBe('bad_hash');
    expect((await alice('PUT', `${job}/0`, 'hello', { 'Transfer-Encoding': 'chunked' })).status).toBe(411);
    expect((await alice('POST', job)).status).toBe(201);
    expect((await alice('GET', '/os/o')).text).toBe('hello');
  });

  it('are finished once, however often and at once somebody asks', async () => {
    const job = await create('o', { 'chunk-length': 5, 'content-length': 5 });
    await alice('PUT', `${job}/0`, 'hello');
    assemble = async (...given) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      return directory.assemble(...given);
    };
    const answers = await Promise.all(Array.from({ length: 4 }, () => alice('POST', job)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set(answers.map(({ headers }) => headers.location)).size).toBe(1);
    expect(JSON.parse((await alice('GET', '/os/o;versions')).text)).toHaveLength(1);
  });

  it('are finished although the client that asked has gone', async () => {
    const job = await create('o', { 'chunk-length': 5, 'content-length': 5 });
    await alice('PUT', `${job}/0`, 'hello');
    let goOn = (): void => undefined;
    const mayGoOn = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const client = request({
      port: store.http.port,
      method: 'POST',
      path: job,
      headers: { Authorization: 'Bearer alice' },
    }).on('error', () => undefined);
    const gone = new Promise((resolve) => store.server.once('connection', (socket) => socket.once('close', resolve)));
    let times = 0;
    assemble = async (...given) => {
      times += 1;
      client.destroy();
      await gone;
      await mayGoOn;
      return directory.assemble(...given);
    };
    client.end();
    await gone;
    // who asks again waits for what is under way
    const again = alice('POST', job);
    goOn();
    expect((await again).status).toBe(201);
    expect((await alice('GET', '/os/o')).text).toBe('hello');
    expect([times, JSON.parse((await alice('GET', '/os/o;versions')).text).length]).toEqual([1, 1]);
  });

  it('take neither chunks nor cancelling while they are being finished', async () => {
    const job = await create('o', { 'chunk-length': 5, 'content-length': 5 });
    await alice('PUT', `${job}/0`, 'hello');
    const seen: (string | null)[] = [];
    assemble = async (...given) => {
      seen.push((await alice('PUT', `${job}/0`, 'hallo')).code, (await alice('DELETE', job)).code);
      return directory.assemble(...given);
    };
    expect((await alice('POST', job)).status).toBe(201);
    expect(seen).toEqual(['job_busy', 'job_busy']);
    expect((await alice('GET', '/os/o')).text).toBe('hello');
  });

  it('are open again, chunks and all, when the store fails at the end', async () => {
    const job = await create('o', { 'chunk-length': 5, 'content-length': 5 });
    await alice('PUT', `${job}/0`, 'hello');
    assemble = () => Promise.reject(new Error('disk full'));
    expect((await alice('POST', job)).status).toBe(503);
    expect(JSON.parse((await alice('GET', job)).text)).toMatchObject({ state: 'open', received: [[0, 0]] });
    assemble = null;
    expect((await alice('POST', job)).status).toBe(201);
  });

  it('can be taken over from a finisher that died', async () => {
    const job = await create('o', { 'chunk-length': 5, 'content-length': 5 });
    await alice('PUT', `${job}/0`, 'hello');
    const died = sql`update os_job set state = 'finalizing', finalizer = gen_random_uuid(), lease_until = now() - interval '1 second'`;
    await change(died);
    await sweepNow();
    expect(JSON.parse((await alice('GET', job)).text).state).toBe('open');
    await change(died);
    expect((await alice('POST', job)).status).toBe(201);
  });

  it('judge the preconditions of their creation again at the end', async () => {
    const job = await create('o', { 'chunk-length': 5, 'content-length': 5 }, { 'If-None-Match': '*' });
    await alice('PUT', `${job}/0`, 'hello');
    const other = await alice('PUT', '/os/o', 'other');
    expect((await alice('POST', job)).status).toBe(412);
    await alice('DELETE', other.headers.location ?? '');
    expect((await alice('POST', job)).status).toBe(201);
    const refused = await alice('POST', '/os/o;upload', '{"chunk-length":1,"content-length":1}', {
      ...JSON_TYPE,
      'If-None-Match': '*',
    });
    expect(refused.status).toBe(412);
  });

  it('need the right to add a version at the end too', async () => {
    await alice('PUT', '/os/o', 'x', { 'X-Initial-Acls': '{"owner": ["alice"], "update": ["bob"]}' });
    const bob = (method: string, target: string, body?: string) =>
      store.http(method, target, { as: 'bob', body, headers: JSON_TYPE });
    const job = (await bob('POST', '/os/o;upload', '{"chunk-length":5,"content-length":5}')).headers.location ?? '';
    await bob('PUT', `${job}/0`, 'hello');
    const mine = await create('o', { 'chunk-length': 1, 'content-length': 1 });
    // who may only update is shown its own jobs, the owner all
    expect(JSON.parse((await bob('GET', '/os/o;upload')).text)).toEqual([job]);
    expect(JSON.parse((await alice('GET', '/os/o;upload')).text)).toEqual([job, mine]);
    expect((await store.http('GET', '/os/o;upload', { as: 'carol' })).status).toBe(403);
    await alice('DELETE', '/os/o;acl/update/bob');
    expect((await bob('POST', job)).status).toBe(403);
    expect((await alice('POST', job)).status).toBe(403);
    expect((await alice('DELETE', job)).status).toBe(204);
  });

  it('need an owner that is known, whatever everybody may do', async () => {
    await alice('PUT', '/os/public', undefined, { 'Content-Type': 'application/x-objstore-namespace' });
    await alice('PUT', '/os/public;acl/create', '["*"]', JSON_TYPE);
    const body = '{"chunk-length":1,"content-length":1}';
    expect((await store.http('POST', '/os/public/o;upload', { headers: JSON_TYPE, body })).status).toBe(401);
    expect((await alice('GET', '/os/public')).text).toBe('[]\n');
    expect((await store.http('POST', '/os/public/o;upload', { as: 'bob', headers: JSON_TYPE, body })).status).toBe(201);
  });

  it('go with their object', async () => {
    const job = await create('o', { 'chunk-length': 5, 'content-length': 10 });
    await alice('PUT', `${job}/0`, 'hello');
    expect((await alice('DELETE', '/os/o')).status).toBe(204);
    expect((await alice('GET', job)).status).toBe(404);
    await sweepNow();
    expect([await count('os_chunk'), await count('os_job'), await count('os_blob')]).toEqual([0, 0, 0]);
  });

  it('are given up when nobody goes on with them, or when they are old', async () => {
    const idle = await create('idle', { 'chunk-length': 5, 'content-length': 10 });
    const old = await create('old', { 'chunk-length': 5, 'content-length': 10 });
    const kept = await create('kept', { 'chunk-length': 5, 'content-length': 10 });
    for (const job of [idle, old, kept]) await alice('PUT', `${job}/0`, 'hello');
    await change(
      sql`update os_job set touched_at = now() - interval '3 hours' where job = ${idle.split('/').at(-1) ?? ''}`,
    );
    await change(
      sql`update os_job set created_at = now() - interval '11 hours' where job = ${old.split('/').at(-1) ?? ''}`,
    );
    await sweepNow();
    const statuses = await Promise.all([idle, old, kept].map(async (job) => (await alice('GET', job)).status));
    expect(statuses).toEqual([404, 404, 200]);
    expect([await count('os_chunk'), await count('os_blob')]).toEqual([1, 1]);
  });

  it('are limited in number, per object and per client', async () => {
    const document = '{"chunk-length":1,"content-length":1}';
    for (let index = 0; index < 3; index += 1) await create('o', JSON.parse(document));
    expect((await alice('POST', '/os/o;upload', document, JSON_TYPE)).status).toBe(409);
    for (let index = 0; index < 2; index += 1) await create(`o${index}`, JSON.parse(document));
    const refused = await alice('POST', '/os/more;upload', document, JSON_TYPE);
    expect([refused.status, refused.code]).toEqual([429, 'too_many']);
    expect((await alice('GET', '/os/more')).status).toBe(404);
    expect((await alice('POST', '/os/many;upload', '{"chunk-length":1,"content-length":1001}', JSON_TYPE)).status).toBe(
      400,
    );
  });

  it('give their object the lists asked for, and missing parents', async () => {
    const made = await alice(
      'POST',
      '/os/p/q/o;upload?parents=true',
      '{"chunk-length":1,"content-length":0,"acls":{"read":["*"]},"content-disposition":"filename*=UTF-8\'\'n","unknown":1}',
      JSON_TYPE,
    );
    expect(made.status).toBe(201);
    expect((await alice('GET', '/os/p/q/o;acl')).text).toContain('"owner":["alice"],"update":[],"read":["*"]');
    expect(JSON.parse((await alice('GET', made.headers.location ?? '')).text)).toMatchObject({
      'content-disposition': "filename*=UTF-8''n",
      received: [],
      'received-bytes': 0,
      state: 'open',
      created: expect.stringMatching(/Z$/),
      expires: expect.stringMatching(/Z$/),
    });
  });
});
