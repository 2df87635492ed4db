import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { type Harness, startHarness } from './support/harness.js';
import { onDatabase } from './support/on-database.js';
import { createWatchedRedis } from './support/redis-sentinel.js';
import { createRedisServer, type RedisServer, redisProgram } from './support/redis-server.js';
import { csvOf, csvRequest, gate, startExport, stateOf, withRows } from './support/requests.js';

const program = redisProgram();
if (program === null) {
  process.stderr.write(
    'SKIPPED: neither valkey-server nor redis-server is installed, the queue over them is not tested\n',
  );
}

(program === null ? describe.skip : describe)('the queue on Redis or Valkey', () => {
  let redis: RedisServer;
  let service: Harness;
  beforeAll(async () => {
    redis = await createRedisServer(program ?? '');
    service = await startHarness({ environment: { QUEUE_URL: redis.url, PER_USER_CONCURRENT: '10' } });
    withRows(service.catalog);
  });
  afterAll(async () => {
    await service.close();
    await redis.remove();
  });

  it('hands exports to workers, with their ids and nothing else', async () => {
    expect((await service.post('/file', csvRequest)).status).toBe(200);
    // removed when they are over
    expect(await redis.command('EXISTS', 'bull:exports:completed')).toBe(':0\r\n');
  });

  it('may be flushed while exports wait and run', async () => {
    const slow = gate(service.catalog, '/entity/slow');
    const running = await startExport(service, csvOf('/entity/slow'));
    await slow.reached;
    const waiting = await Promise.all(Array.from({ length: 5 }, () => startExport(service, csvOf('/entity/slow'))));
    await redis.command('FLUSHALL');
    slow.open();
    // what ten seconds do
    await onDatabase(service.databaseUrl, `update ex_export set enqueued = now() - interval '1 hour'`);
    await eventually(async () => {
      const states = await Promise.all([running, ...waiting].map((id) => stateOf(service, id)));
      return states.every((state) => state === 'completed') ? true : null;
    });
  });

  it('may go away and come back empty: 503 meanwhile, and then all goes on', async () => {
    await redis.stop();
    const refused = await service.post('/file', csvRequest);
    expect(refused.status).toBe(503);
    const logged = service.logged.length;
    await new Promise((resolve) => {
      setTimeout(resolve, 3_000);
    });
    // nobody tries without pause
    expect(service.logged.length - logged).toBeLessThan(200);
    await redis.start();
    await eventually(async () => ((await service.post('/file', csvRequest)).status === 200 ? true : null));
  });
});

(program === null ? describe.skip : describe)('the queue behind a sentinel', () => {
  it('is found by name, over TLS of a private authority, with passwords of both', async () => {
    const redis = await createWatchedRedis(program ?? '');
    const service = await startHarness({
      environment: {
        // the host of the URL is nowhere: the sentinel knows better
        QUEUE_URL: `rediss://:${encodeURIComponent(redis.password)}@queue.invalid:1/2`,
        QUEUE_SENTINELS: redis.sentinel,
        QUEUE_SENTINEL_NAME: redis.group,
        QUEUE_SENTINEL_PASSWORD: redis.sentinelPassword,
        QUEUE_CA_FILE: redis.authorityFile,
      },
    });
    try {
      withRows(service.catalog);
      expect((await service.post('/file', csvRequest)).status).toBe(200);
      expect(await redis.command('INFO', 'keyspace')).toContain('db2:');
    } finally {
      await service.close();
      await redis.remove();
    }
  });
});
