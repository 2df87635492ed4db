import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type BigCatalog, ENDLESS, openBigCatalog, ROWS } from './big-catalog.js';
import { beginRequest, delay, eventually, readBody } from './slow-client.js';

/** Clients that go away, or do not take or send what they should. The catalog has two connections: a lost one is noticed. */
describe('slow and vanishing clients', () => {
  let catalog: BigCatalog;
  let base: string;

  beforeAll(async () => {
    catalog = await openBigCatalog({ STALL_SECONDS: '1' });
    base = `${catalog.fixture.url}${catalog.path}`;
  });
  afterAll(() => catalog.close());

  const idle = () => eventually('no statement runs any more', async () => (await catalog.active()).length === 0);
  const count = async (): Promise<unknown> => (await catalog.ask('GET', 'aggregate/S:big/n:=cnt(*)')).json;

  it('cancels the query of a client that has gone', async () => {
    for (let time = 0; time < 3; time += 1) {
      const { call, gone } = beginRequest('GET', `${base}/aggregate/${ENDLESS}/n:=cnt(*)`);
      await eventually('the query runs', async () => (await catalog.active()).length === 1);
      call.destroy();
      await gone;
      await idle();
    }
    expect(await count()).toEqual([{ n: ROWS }]);
  });

  it.each(['json', 'csv', 'application%2Fx-json-stream'])(
    'ends a long answer in %s whose reader has gone, though the database waits for room to send',
    async (format) => {
      for (let time = 0; time < 3; time += 1) {
        const { call, head, gone } = beginRequest('GET', `${base}/entity/S:big?accept=${format}`);
        await head;
        await eventually('the database waits', async () => (await catalog.active())[0]?.waitsFor === 'ClientWrite');
        call.destroy();
        await gone;
        await idle();
      }
      expect(await count()).toEqual([{ n: ROWS }]);
    },
  );

  it('holds a bounded part of an answer nobody reads, and cuts its client off', async () => {
    const before = process.memoryUsage();
    const { head, gone } = beginRequest('GET', `${base}/entity/S:big`);
    const message = await head;
    await eventually('the database waits', async () => (await catalog.active())[0]?.waitsFor === 'ClientWrite');
    const held = process.memoryUsage();
    expect(held.arrayBuffers - before.arrayBuffers).toBeLessThan(16 * 1024 * 1024);
    expect(held.rss - before.rss).toBeLessThan(64 * 1024 * 1024);
    await idle();
    const { complete } = await readBody(message);
    expect(complete).toBe(false);
    await gone;
    expect(await count()).toEqual([{ n: ROWS }]);
  });

  it('does not cut off a client that reads slowly', async () => {
    const { head } = beginRequest('GET', `${base}/attribute/S:big/id::leq::200/id,text`);
    const message = await head;
    let bytes = 0;
    message.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      message.pause();
      setTimeout(() => message.resume(), 40);
    });
    message.resume();
    await new Promise((resolve) => {
      message.once('close', resolve);
    });
    expect([message.complete, bytes > 4_000_000]).toEqual([true, true]);
  });

  it('cuts off a client that does not send what it announced, and lets others write meanwhile', async () => {
    const stalled = beginRequest('POST', `${base}/entity/S:big`, { 'content-type': 'text/csv' });
    stalled.call.write('id,k,text\n100001,1,a\n');
    await eventually('the rows wait for more', async () => (await catalog.active()).length === 1);
    const other = await catalog.ask('PUT', 'attributegroup/S:big/id;k', [{ id: 1, k: 1 }]);
    expect(other.status).toBe(200);
    await stalled.gone;
    await idle();
    expect(await count()).toEqual([{ n: ROWS }]);
  });

  it('does not cut off a client that sends slowly', async () => {
    const { call, head } = beginRequest('POST', `${base}/entity/S:big`, { 'content-type': 'text/csv' });
    for (const piece of ['id,k', ',text', '\n', '100002,', '2,', 'b', '\n']) {
      call.write(piece);
      await delay(300);
    }
    call.end();
    const message = await head;
    expect(message.statusCode).toBe(200);
    expect((await readBody(message)).complete).toBe(true);
    await catalog.ask('DELETE', 'entity/S:big/id=100002');
  });

  it('forgets the rows of a client that goes while it sends', async () => {
    for (let time = 0; time < 3; time += 1) {
      const { call, gone } = beginRequest('POST', `${base}/entity/S:big`, { 'content-type': 'text/csv' });
      call.write('id,k,text\n100003,1,a\n');
      await eventually('the rows wait for more', async () => (await catalog.active()).length === 1);
      call.destroy();
      await gone;
      await idle();
    }
    expect(await count()).toEqual([{ n: ROWS }]);
  });

  it('answers HEAD of a long answer without reading it through', async () => {
    for (let time = 0; time < 3; time += 1) {
      const { head } = beginRequest('HEAD', `${base}/entity/S:big`);
      const message = await head;
      expect([message.statusCode, message.headers.etag, await readBody(message)]).toEqual([
        200,
        expect.any(String),
        { text: '', complete: true },
      ]);
      await idle();
    }
    expect(await count()).toEqual([{ n: ROWS }]);
  });
});
