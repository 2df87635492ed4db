import { readdir } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createLogger } from '@holdfast/http-kit';
import { sql } from '@holdfast/pg-kit';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { BlobStore } from '../src/blobs/blob-store.js';
import { sweep } from '../src/maintenance/sweeper.js';
import { openTestStore, type TestStore } from './test-store.js';

/** spec/objectstore.md 13.5: whatever breaks after whichever step, no version without its bytes, and no bytes that stay. */
describe('the write protocol', () => {
  let store: TestStore;
  /** The store beneath the faults. */
  let directory: BlobStore;
  let fault: Partial<BlobStore>;
  beforeEach(async () => {
    fault = {};
    store = await openTestStore({
      wrapStore: (files) => {
        directory = files;
        return {
          ...files,
          assemble: (...given) => (fault.assemble ?? files.assemble)(...given),
          put: (...given) => (fault.put ?? files.put)(...given),
          open: (...given) => (fault.open ?? files.open)(...given),
          remove: (...given) => (fault.remove ?? files.remove)(...given),
        };
      },
    });
  });
  afterEach(() => store.close());

  const put = (name: string, body = 'hello', headers: Record<string, string> = {}) =>
    store.http('PUT', `/os/${name}`, { as: 'alice', body, headers });
  const blobs = () =>
    store.database.withConnection(null, (connection) =>
      connection.query<{ state: string }>(sql`select state from os_blob order by state`),
    );
  const filesLeft = async (): Promise<readonly string[]> =>
    (await readdir(store.blobRoot, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  const expireAll = () =>
    store.database.withConnection(null, (connection) =>
      connection.execute(sql`update os_blob set lease_until = now() - interval '1 second' where state = 'staged'`),
    );
  const sweepNow = () =>
    sweep(
      {
        database: store.database,
        store: store.store,
        log: createLogger({ service: 'test', level: 'silent' }),
        graceSeconds: 0,
        jobAges: { idleHours: 1, maxAgeHours: 2 },
      },
      new AbortController().signal,
    );
  const expectNothingLeft = async (): Promise<void> => {
    expect(await blobs()).toEqual([]);
    expect(await filesLeft()).toEqual([]);
  };

  it('leaves nothing when the store refuses the bytes, and says that it is the store', async () => {
    fault.put = () => Promise.reject(new Error('disk full'));
    const answer = await put('o');
    expect([answer.status, answer.code, answer.headers['retry-after']]).toEqual([503, 'storage_unavailable', '5']);
    expect((await store.http('GET', '/os/o', { as: 'alice' })).status).toBe(404);
    await expectNothingLeft();
  });

  it('answers when the store fails in the middle of a long body', async () => {
    fault.put = async (_key, source) => {
      for await (const _chunk of source.bytes) throw new Error('disk full');
      throw new Error('not reached');
    };
    const answer = await put('o', 'x'.repeat(300_000));
    expect(answer.status).toBe(503);
    await expectNothingLeft();
  });

  it('sweeps a blob whose process died after step 1 or in step 2', async () => {
    // a process that dies never comes to its own repair
    const dead = new Promise<never>(() => undefined);
    fault.put = async (key, source, signal) => {
      await directory.put(key, source, signal);
      return dead;
    };
    const lost = sendRaw(
      store.http.port,
      'PUT /os/o HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer alice\r\nContent-Length: 5\r\n\r\nhello',
    );
    while ((await filesLeft()).length === 0) await pause();
    expect(await blobs()).toEqual([{ state: 'staged' }]);
    fault = {};
    await sweepNow();
    expect(await blobs()).toEqual([{ state: 'staged' }]);
    await expireAll();
    expect((await sweepNow()).removed).toBe(1);
    await expectNothingLeft();
    lost.destroy();
    expect((await store.http('GET', '/os/o', { as: 'alice' })).status).toBe(404);
  });

  it('refuses to publish bytes that the sweeper has taken', async () => {
    fault.put = async (key, source, signal) => {
      fault = {};
      const stored = await directory.put(key, source, signal);
      await expireAll();
      await sweepNow();
      return stored;
    };
    expect((await put('o')).status).toBe(503);
    expect((await store.http('GET', '/os/o', { as: 'alice' })).status).toBe(404);
    await expectNothingLeft();
  });

  it('leaves nothing when the transaction of step 3 is refused', async () => {
    fault.put = async (key, source, signal) => {
      fault = {};
      const stored = await directory.put(key, source, signal);
      expect((await put('o', 'faster')).status).toBe(201);
      return stored;
    };
    expect((await put('o', 'slower', { 'If-None-Match': '*' })).status).toBe(412);
    expect((await store.http('GET', '/os/o', { as: 'alice' })).text).toBe('faster');
    expect(await blobs()).toEqual([{ state: 'live' }]);
    expect(await filesLeft()).toHaveLength(1);
  });

  it('keeps what was committed, and shows it to a client that got no answer and tries again', async () => {
    expect((await put('o')).status).toBe(201);

    expect((await put('o', 'hello', { 'If-None-Match': '*' })).status).toBe(412);
    await expireAll();
    expect((await sweepNow()).removed).toBe(0);
    expect((await store.http('GET', '/os/o', { as: 'alice' })).text).toBe('hello');
  });

  it('removes deleted bytes after the grace, again and again until it succeeds', async () => {
    await put('o');
    expect((await store.http('DELETE', '/os/o', { as: 'alice' })).status).toBe(204);
    expect(await blobs()).toEqual([{ state: 'doomed' }]);
    expect(await filesLeft()).toHaveLength(1);
    const late = {
      database: store.database,
      store: store.store,
      log: createLogger({ service: 'test', level: 'silent' }),
      graceSeconds: 60,
      jobAges: { idleHours: 1, maxAgeHours: 2 },
    };
    expect((await sweep(late, new AbortController().signal)).removed).toBe(0);
    fault.remove = () => Promise.reject(new Error('away'));
    expect((await sweepNow()).removed).toBe(0);
    expect(await blobs()).toEqual([{ state: 'doomed' }]);
    fault = {};
    expect((await sweepNow()).removed).toBe(1);
    await expectNothingLeft();
  });

  it('removes what can be removed although much before it cannot', async () => {
    await store.database.withConnection(null, (connection) =>
      connection.execute(sql`insert into os_blob (id, adapter, key, state, doomed_at)
        select id, 'filesystem', 'b/2026/01/aa/' || id, 'doomed', now() - interval '1 day'
        from (select gen_random_uuid() as id from generate_series(1, 120)) as stuck`),
    );
    await put('o');
    await store.http('DELETE', '/os/o', { as: 'alice' });
    fault.remove = (key, ...given) =>
      key.startsWith('b/2026/01/aa/') ? Promise.reject(new Error('locked')) : directory.remove(key, ...given);
    expect((await sweepNow()).removed).toBe(1);
    expect(await filesLeft()).toEqual([]);
    // and when nothing can be removed, a sweep ends all the same
    let tries = 0;
    fault.remove = () => {
      tries += 1;
      return Promise.reject(new Error('away'));
    };
    expect((await sweepNow()).removed).toBe(0);
    expect(tries).toBe(120);
  });

  it('lets one process sweep at a time', async () => {
    await put('o');
    await store.http('DELETE', '/os/o', { as: 'alice' });
    let second: { readonly leader: boolean } | null = null;
    fault.remove = async (key) => {
      fault = {};
      second = await sweepNow();
      await directory.remove(key);
    };
    expect(await sweepNow()).toMatchObject({ leader: true, removed: 1 });
    expect(second).toMatchObject({ leader: false, removed: 0 });
    expect((await sweepNow()).leader).toBe(true);
  });

  it('forgets a client that goes away in the middle of its body', async () => {
    const socket = sendRaw(
      store.http.port,
      'PUT /os/o HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer alice\r\nContent-Length: 1000000\r\n\r\nhello',
    );
    while ((await blobs()).length === 0) await pause();
    socket.destroy();
    while ((await blobs()).length > 0) await pause();
    await expectNothingLeft();
    expect((await store.http('GET', '/os/o', { as: 'alice' })).status).toBe(404);
  });

  it('never lets a body that breaks off look complete', async () => {
    await put('o', 'x'.repeat(1_000_000));
    fault.open = async (key, range) => {
      const stream = await directory.open(key, range);
      stream.once('data', () => stream.destroy(new Error('disk gone')));
      return stream;
    };
    await expect(store.http('GET', '/os/o', { as: 'alice' })).rejects.toThrow();
    fault.open = () => Promise.reject(new Error('disk gone'));
    expect((await store.http('GET', '/os/o', { as: 'alice' })).status).toBe(503);
  });

  it('stops reading for a client that goes away in the middle of a download', async () => {
    await put('o', 'x'.repeat(8_000_000));
    const closed = new Promise<void>((resolve) => {
      fault.open = async (key, range) => {
        const stream = await directory.open(key, range);
        stream.once('close', () => resolve());
        return stream;
      };
    });
    const headers = { Authorization: 'Bearer alice' };
    httpRequest({ host: '127.0.0.1', port: store.http.port, path: '/os/o', headers }, (response) =>
      response.destroy(),
    ).end();
    await closed;
  });
});

function sendRaw(port: number, text: string) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(text);
  return socket;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}
