import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type CrashingService, openCrashingService } from './crash-service.js';
import type { Answer } from './http-client.js';
import { ADAPTERS } from './s3-bucket.js';

const MIB = 1024 * 1024;
const JSON_TYPE = { 'Content-Type': 'application/json' };

/**
 * spec/objectstore.md 13.5: the process dies at each point. After a restart and a sweep no version is without its exact bytes, no bytes are
 * without a version, and nothing that was acknowledged is lost.
 */
describe.each(ADAPTERS)('a process that is killed, on %s', (adapter) => {
  const onS3 = adapter === 's3';
  /** On S3 long enough for an upload in parts. */
  const LENGTH = onS3 ? 17 * MIB : 300_000;
  const CHUNK = onS3 ? 5 * MIB : 100_000;
  let service: CrashingService;
  let count = 0;
  const made: string[] = [];
  beforeAll(async () => {
    service = await openCrashingService(adapter);
  });
  afterAll(() => service.close());
  // every check reads all there is
  afterEach(async () => {
    for (const target of made.splice(0)) await alice('DELETE', target);
  });

  const alice = async (method: string, target: string, body?: string | Buffer, headers?: Record<string, string>) =>
    (await service.http())(method, target, { as: 'alice', body, headers });
  const freshName = (): string => {
    count += 1;
    const target = `/objects/o${count}`;
    made.push(target);
    return target;
  };
  const put = async (target: string, body: Buffer): Promise<string> => {
    const made = await alice('PUT', target, body);
    expect(made.status).toBe(201);
    return made.headers.location ?? '';
  };
  /** Does something that kills the process. The client gets no answer. */
  const dying = async (point: Point, work: () => Promise<Answer>): Promise<void> => {
    await service.arm(point.at, point.occurrence ?? 1);
    await expect(work()).rejects.toThrow();
    await service.died();
    await service.repair();
    expect(await service.faults()).toEqual([]);
  };
  const expectBytes = async (target: string, bytes: Buffer): Promise<void> => {
    const got = await alice('GET', target);
    expect([got.status, got.bytes.equals(bytes)]).toEqual([200, true]);
  };
  const expectClean = async (): Promise<void> => {
    await service.repair();
    expect(await service.faults()).toEqual([]);
  };

  interface Point {
    readonly title: string;
    /** Pattern of the event after which the process dies. */
    readonly at: string;
    readonly occurrence?: number;
    /** Whether what was asked for is done by then. */
    readonly done?: boolean;
    readonly only?: 'filesystem' | 's3';
  }
  const here = (points: readonly Point[]): readonly Point[] =>
    points.filter(({ only }) => only === undefined || only === adapter);

  it.each(
    here([
      { title: 'the blob is announced', at: '^statement: insert into os_blob' },
      { title: 'bytes are under way', at: 'bytes of put', occurrence: onS3 ? 265 : 2 },
      { title: 'the bytes are stored', at: 'after put' },
      { title: 'the blob is published', at: "^statement: update os_blob\\s+set state = 'live'" },
      { title: 'the version is written', at: '^statement: insert into os_version' },
      { title: 'the version is committed', at: '^commit: .*insert into os_version', done: true },
    ]),
  )('in a PUT when $title', async (point) => {
    const target = freshName();
    const [before, after] = [randomBytes(1000), randomBytes(LENGTH)];
    await put(target, before);
    await dying(point, () => alice('PUT', target, after));
    await expectBytes(target, point.done === true ? after : before);
    await put(target, after);
    await expectBytes(target, after);
  });

  it.each(
    here([
      { title: 'the blob is announced', at: '^statement: insert into os_blob', only: 'filesystem' },
      { title: 'the part is taken', at: '^commit: .*insert into os_part_lease', only: 's3' },
      { title: 'bytes are under way', at: 'bytes of put' },
      { title: 'the bytes are stored', at: 'after put' },
      { title: 'the chunk is written', at: '^statement: insert into os_chunk' },
      { title: 'the chunk is committed', at: '^commit: .*insert into os_chunk', done: true },
    ]),
  )('in a chunk when $title', async (point) => {
    const target = freshName();
    const content = randomBytes(CHUNK + 1000);
    const job = await createJob(target, content.byteLength);
    await sendChunk(job, 0, content);
    await dying(point, () => alice('PUT', `${job}/1`, content.subarray(CHUNK)));
    expect(JSON.parse((await alice('GET', job)).text).received).toEqual([[0, point.done === true ? 1 : 0]]);
    await sendChunk(job, 1, content);
    expect((await alice('POST', job)).status).toBe(201);
    await expectBytes(target, content);
    await expectClean();
  });

  it.each(
    here([
      { title: 'the job is taken', at: "^commit: .*set state = 'finalizing'" },
      { title: 'the chunks are joined', at: 'after assemble', only: 'filesystem' },
      { title: 'the completion is announced', at: '^commit: .*set completed = true', only: 's3' },
      { title: 'the parts are completed', at: 'after complete parts', only: 's3' },
      { title: 'the whole is read', at: 'after measure', only: 's3' },
      { title: 'the version is written', at: '^statement: insert into os_version' },
      { title: 'the job is removed', at: '^statement: insert into os_job_outcome' },
      { title: 'the version is committed', at: '^commit: .*insert into os_job_outcome', done: true },
    ]),
  )('in finishing a job when $title', async (point) => {
    const target = freshName();
    const content = randomBytes(CHUNK + 1000);
    const job = await createJob(target, content.byteLength);
    await sendChunk(job, 0, content);
    await sendChunk(job, 1, content);
    await dying(point, () => alice('POST', job));
    expect((await alice('GET', job)).status).toBe(point.done === true ? 404 : 200);
    const finished = await alice('POST', job);
    expect(finished.status).toBe(201);
    expect(JSON.parse((await alice('GET', `${target};versions`)).text)).toEqual([finished.headers.location]);
    await expectBytes(target, content);
    await expectClean();
  });

  it.each(
    here([
      { title: 'one version has left', at: '^statement: update os_version v set forward_to' },
      { title: 'one version has come', at: '^statement: insert into os_version' },
      { title: 'all have come', at: '^statement: insert into os_version', occurrence: 2 },
      { title: 'it is committed', at: '^commit: .*forward_to', done: true },
    ]),
  )('in a rename when $title', async (point) => {
    const [source, target] = [freshName(), freshName()];
    const contents = [randomBytes(1000), randomBytes(2000)];
    const versions = [];
    for (const content of contents) versions.push(await put(source, content));
    const command = JSON.stringify({ command: 'rename_from', source_name: source });
    await dying(point, () => alice('POST', target, command, JSON_TYPE));
    for (const [index, version] of versions.entries()) await expectBytes(version, contents[index] ?? Buffer.alloc(0));
    expect((await alice('GET', target)).status).toBe(point.done === true ? 200 : 404);
    expect((await alice('POST', target, command, JSON_TYPE)).status).toBe(point.done === true ? 204 : 201);
    await expectBytes(target, contents[1] ?? Buffer.alloc(0));
    await expectBytes(source, contents[1] ?? Buffer.alloc(0));
    await expectClean();
  });

  it.each(
    here([
      { title: 'the versions are gone', at: '^statement: with gone as .*os_version' },
      { title: 'the name is gone', at: '^statement: update os_name n set deleted_at' },
      { title: 'it is committed', at: '^commit: .*set deleted_at', done: true },
    ]),
  )('in a deletion when $title', async (point) => {
    const target = freshName();
    const content = randomBytes(1000);
    await put(target, content);
    await dying(point, () => alice('DELETE', target));
    if (point.done === true) expect((await alice('GET', target)).status).toBe(404);
    else await expectBytes(target, content);
    expect((await alice('DELETE', target)).status).toBe(point.done === true ? 404 : 204);
    await expectClean();
  });

  it.each(
    here([
      { title: 'nothing is removed yet', at: 'before remove' },
      { title: 'the bytes are gone, the row is not', at: 'after remove' },
      { title: 'the row is gone', at: '^statement: delete from os_blob' },
    ]),
  )('in sweeping when $title', async (point) => {
    const target = freshName();
    await put(target, randomBytes(1000));
    expect((await alice('DELETE', target)).status).toBe(204);
    await service.startAndDie(point.at);
    await expectClean();
  });

  const createJob = async (target: string, length: number): Promise<string> => {
    const document = JSON.stringify({ 'chunk-length': CHUNK, 'content-length': length });
    const made = await alice('POST', `${target};upload`, document, JSON_TYPE);
    expect(made.status).toBe(201);
    return made.headers.location ?? '';
  };
  const sendChunk = async (job: string, number: number, content: Buffer): Promise<void> => {
    const chunk = content.subarray(number * CHUNK, (number + 1) * CHUNK);
    expect((await alice('PUT', `${job}/${number}`, chunk)).status).toBe(204);
  };
});
