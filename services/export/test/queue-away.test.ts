import { createTestDatabase } from '@holdfast/testkit';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { type Harness, startHarness } from './support/harness.js';
import { onDatabase } from './support/on-database.js';
import { startTcpProxy, type TcpProxy } from './support/tcp-proxy.js';

const request = {
  catalog: { host: 'x.org', queries: [{ processor: 'csv', query_path: '/entity/s:t', output_path: 't' }] },
};

/** Milliseconds in which a loop without pauses would try thousands of times. */
const A_WHILE = 3_000;

function aWhile(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, A_WHILE);
  });
}

describe('the queue on a database that goes away', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function start(cutAtStart: boolean): Promise<{ readonly service: Harness; readonly proxy: TcpProxy }> {
    const queue = await createTestDatabase('queue');
    closing.push(queue.drop);
    const proxy = await startTcpProxy(queue.url);
    closing.push(proxy.close);
    if (cutAtStart) proxy.cut();
    const service = await startHarness({ environment: { QUEUE_URL: proxy.url } });
    closing.push(service.close);
    service.catalog.answers.set('/entity/s:t', [{ RID: '1-A' }]);
    return { service, proxy };
  }

  async function exportsAgain(service: Harness): Promise<void> {
    await eventually(async () => ((await service.post('/file', request)).status === 200 ? true : null));
  }

  it('is away at the start: requests fail with 503, the worker waits, and all begins when it is there', async () => {
    const { service, proxy } = await start(true);
    const answer = await service.post('/file', request);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('10');
    const before = proxy.attempts();
    await aWhile();
    expect(proxy.attempts() - before).toBeLessThan(20);
    const id = answer.headers.get('x-export-id');
    expect(await (await service.get(`/job/${id}`)).json()).toMatchObject({ state: 'failed', error: { status: 503 } });
    proxy.restore();
    await exportsAgain(service);
  });

  it('goes away later: the worker waits without spinning, and goes on when it is back', async () => {
    const { service, proxy } = await start(false);
    await exportsAgain(service);
    proxy.cut();
    const before = proxy.attempts();
    const logged = service.logged.length;
    await aWhile();
    expect(proxy.attempts() - before).toBeLessThan(20);
    expect(service.logged.length - logged).toBeLessThan(100);
    proxy.restore();
    await exportsAgain(service);
  });

  it('answers with errors: the schema is gone, and made again', async () => {
    const { service, proxy } = await start(false);
    await exportsAgain(service);
    await onDatabase(proxy.url, 'drop schema bullmq cascade');
    const logged = service.logged.length;
    await aWhile();
    expect(service.logged.length - logged).toBeLessThan(100);
    await exportsAgain(service);
  });

  it('restarts: every connection is ended by the server, again and again, and no process dies of it', async () => {
    const { service } = await start(false);
    const killAll = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname in (current_database(), $1) and pid <> pg_backend_pid()`;
    const queueName = new URL(service.environment.QUEUE_URL ?? '').pathname.slice(1);
    for (let round = 0; round < 30; round += 1) {
      const posted = service.post('/file', request, { headers: { prefer: 'respond-async' } });
      await onDatabase(service.databaseUrl, killAll, [queueName]);
      expect([202, 503]).toContain((await posted).status);
    }
    await exportsAgain(service);
  });

  it('and with it the database of exports: 503, and all goes on afterwards', async () => {
    const database = await createTestDatabase('export');
    closing.push(database.drop);
    const proxy = await startTcpProxy(database.url);
    closing.push(proxy.close);
    proxy.cut();
    setTimeout(proxy.restore, 1_000);
    const service = await startHarness({ environment: { DATABASE_URL: proxy.url, QUEUE_URL: proxy.url } });
    closing.push(service.close);
    service.catalog.answers.set('/entity/s:t', [{ RID: '1-A' }]);
    await exportsAgain(service);
    proxy.cut();
    expect((await service.post('/file', request)).status).toBe(503);
    await aWhile();
    expect(proxy.attempts()).toBeLessThan(200);
    proxy.restore();
    await exportsAgain(service);
  });
});
