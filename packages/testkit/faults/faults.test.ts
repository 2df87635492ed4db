import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ReplicatedStack, startReplicatedStack, temporaryDirectory } from '@holdfast/stack';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type MixedLoad, startMixedLoad } from './mixed-load.js';
import { type Dependency, startBlobServer, startQueueServer } from './surroundings.js';

/** Seconds: short for every change, long (`FAULT_SECONDS=120`) where it is to be known for certain. */
const seconds = Number(process.env.FAULT_SECONDS ?? 4);
const limit = 900_000;

/** Production trees to run instead of the workspace: `FAULT_TREES` names a directory with `catalog`, `objectstore` and `export`. */
const { FAULT_TREES } = process.env;
const trees =
  FAULT_TREES === undefined
    ? {}
    : {
        catalog: join(FAULT_TREES, 'catalog'),
        objectstore: join(FAULT_TREES, 'objectstore'),
        export: join(FAULT_TREES, 'export'),
      };

describe('two processes of each service, under a mixed load', () => {
  let directory = '';
  let queue: Dependency | null = null;
  let blobs: Dependency | null = null;
  let stack: ReplicatedStack;
  beforeAll(async () => {
    directory = await temporaryDirectory('holdfast-faults-');
    queue = await startQueueServer();
    blobs = await startBlobServer();
    if (queue === null)
      process.stderr.write('SKIPPED: no valkey-server, no redis-server; the queue is in PostgreSQL\n');
    if (blobs === null) process.stderr.write('SKIPPED: no S3 server; bytes are in a directory\n');
    const exports = { ...queue?.environment, PER_USER_CONCURRENT: '4', PER_USER_QUEUED: '10000' };
    stack = await startReplicatedStack({
      dataDir: join(directory, 'data'),
      trees,
      environment: {
        export: exports,
        'export-worker': exports,
        ...(blobs === null ? {} : { objectstore: blobs.environment }),
      },
    });
  }, limit);
  afterAll(async () => {
    await stack?.stop();
    await queue?.remove();
    await blobs?.remove();
    if (process.env.FAULT_KEEP === undefined) await rm(directory, { recursive: true, force: true });
  }, limit);

  /** Runs work under load. Gives the load, stopped, whose acknowledged work has been compared with what is there. */
  const underLoad = async (
    name: string,
    work: (load: MixedLoad) => Promise<void>,
    excused?: string,
  ): Promise<MixedLoad> => {
    const load = await startMixedLoad(stack.url);
    try {
      await load.everythingWorks();
      await work(load);
    } finally {
      await load.stop();
      report(name, load);
    }
    expect(load.failures()).toEqual([]);
    expect(await load.verify(excused)).toEqual([]);
    expect(stack.crashes()).toEqual([]);
    return load;
  };

  it(
    'can all be replaced one after the other: no request fails, no export is lost',
    async () => {
      const load = await underLoad('rolling restart', async () => {
        const names = ['catalog', 'objectstore', 'export', 'export-worker'] as const;
        const before = stack.processes().map(({ pid }) => pid);
        const end = Date.now() + seconds * 1_000;
        do {
          for (const name of names) await stack.roll(name);
        } while (Date.now() < end);
        expect(stack.processes().filter(({ pid }) => before.includes(pid))).toEqual([]);
      });
      for (const count of Object.values(load.counts())) expect(count).toMatchObject({ away: 0, cut: 0, failed: 0 });
    },
    limit,
  );

  /** Takes something away for a while and waits until all kinds of work are done again, by the same processes. */
  const outage = async (
    name: string,
    takeAway: () => Promise<void>,
    bringBack: () => Promise<void>,
    excused?: string,
  ): Promise<MixedLoad> => {
    const before = stack.processes();
    const work = async (running: MixedLoad): Promise<void> => {
      await takeAway();
      await sleep(seconds * 1_000);
      await bringBack();
      const back = performance.now();
      await running.everythingWorks();
      process.stdout.write(
        `${name}: all kinds of work done again ${((performance.now() - back) / 1000).toFixed(1)} s after\n`,
      );
      await sleep(1_000);
    };
    const load = await underLoad(name, work, excused);
    expect(stack.processes()).toEqual(before);
    return load;
  };

  it(
    'answer 503 while PostgreSQL is away, and go on when it is back',
    async () => {
      const load = await outage(
        'PostgreSQL away',
        () => stack.stopPostgres(),
        () => stack.startPostgres(),
      );
      expect(load.counts().read?.away).toBeGreaterThan(0);
      expect(load.counts().object?.away).toBeGreaterThan(0);
    },
    limit,
  );

  it(
    'lose nothing when PostgreSQL is restarted',
    () =>
      outage(
        'PostgreSQL restarted',
        () => stack.stopPostgres().then(() => stack.startPostgres()),
        async () => undefined,
      ),
    limit,
  );

  it(
    'take no exports while the queue is away, and lose none when it comes back empty',
    async () => {
      if (queue === null) return;
      const load = await outage('queue killed', queue.takeAway, queue.bringBack);
      expect(load.counts().read).toMatchObject({ away: 0, cut: 0, failed: 0 });
    },
    limit,
  );

  it(
    'give and take no bytes while the store of the bytes is away, and go on when it is back',
    async () => {
      if (blobs === null) return;
      const load = await outage('S3 away', blobs.takeAway, blobs.bringBack, 'storage_unavailable');
      expect(load.counts().read).toMatchObject({ away: 0, cut: 0, failed: 0 });
      expect(load.counts().object?.away).toBeGreaterThan(0);
    },
    limit,
  );
});

function report(name: string, load: MixedLoad): void {
  const lines = Object.entries(load.counts()).map(
    ([kind, { done, away, cut, failed }]) =>
      `  ${kind.padEnd(7)} ${done} done, ${away} refused with 503, ${cut} cut, ${failed} failed`,
  );
  process.stdout.write(`${name}:\n${lines.join('\n')}\n`);
  for (const line of [...new Set(load.cuts().map((cut) => cut.replace(/\d+/g, 'N')))].slice(0, 5))
    process.stdout.write(`  cut: ${line}\n`);
}
