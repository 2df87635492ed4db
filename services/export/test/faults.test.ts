import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateBag } from '@holdfast/bagit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { type Harness, startHarness } from './support/harness.js';
import { onDatabase } from './support/on-database.js';
import { readZip } from './support/read-zip.js';
import { createRedisServer, type RedisServer, redisProgram } from './support/redis-server.js';
import { kill, startWorkerProcess } from './support/worker-process.js';

const EXPORTS = 50;
const USERS = ['alice', 'bob', 'admin'] as const;

/** Every change of a state is written down. */
const RECORD_STATES = `
  create table test_states (id uuid, state text);
  create function test_record() returns trigger language plpgsql as
    $$ begin insert into test_states values (new.id, new.state); return new; end $$;
  create trigger test_states after update of state on ex_export
    for each row when (old.state is distinct from new.state) execute function test_record();`;

/** Repeatable chance. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

const program = redisProgram();
if (program === null) {
  process.stderr.write(
    'SKIPPED: neither valkey-server nor redis-server is installed, faults of a queue over them are not tested\n',
  );
}
const queues = ['PostgreSQL', ...(program === null ? [] : ['Redis'])];

describe.each(queues)('fifty exports while things break, queue in %s', (queue) => {
  let service: Harness;
  let redis: RedisServer | null = null;
  const workers = new Set<ChildProcess>();
  const random = chance(20260203);
  beforeAll(async () => {
    if (queue === 'Redis') redis = await createRedisServer(program ?? '');
    service = await startHarness({
      worker: false,
      environment: {
        PER_USER_CONCURRENT: '4',
        QUEUE_WAIT_SECONDS: '600',
        ...(redis === null ? {} : { QUEUE_URL: redis.url }),
      },
    });
    await onDatabase(service.databaseUrl, RECORD_STATES);
  });
  afterAll(async () => {
    for (const worker of workers) worker.kill('SIGKILL');
    await service.close();
    await redis?.remove();
  });

  function startWorker(): ChildProcess {
    const child = startWorkerProcess(service.environment);
    workers.add(child);
    return child;
  }

  async function killed(victim: ChildProcess): Promise<void> {
    await kill(victim);
    workers.delete(victim);
    // what twenty seconds without a sign of life do; runs of the other worker beat again at once
    await onDatabase(
      service.databaseUrl,
      `update ex_export set lease_until = now() - interval '1 s'
       where state = 'running' and lease_until < now() + interval '18500 ms'`,
    );
  }

  async function flushQueue(): Promise<void> {
    if (redis === null) await onDatabase(service.databaseUrl, 'truncate bullmq.job cascade');
    else await redis.command('FLUSHALL');
    // what ten seconds do
    await onDatabase(service.databaseUrl, `update ex_export set enqueued = now() - interval '1 hour'`);
  }

  /** Jobs that are in the queue in any state. */
  async function queued(): Promise<number> {
    if (redis !== null) {
      const keys = await Promise.all(
        ['wait', 'active', 'prioritized'].map((key) => redis?.command('EXISTS', `bull:exports:${key}`)),
      );
      return keys.filter((answer) => answer !== ':0\r\n').length;
    }
    return (await onDatabase(service.databaseUrl, 'select 1 from bullmq.job')).length;
  }

  const states = async () => {
    const rows = await onDatabase(
      service.databaseUrl,
      'select state, count(*)::int as count from ex_export group by 1',
    );
    return new Map(rows.map(({ state, count }) => [String(state), Number(count)]));
  };

  it('each ends in one final state, every result is whole, and nothing is left behind', async () => {
    const rows = Array.from({ length: 200 }, (_, index) => ({ RID: `1-${index}`, n: index }));
    service.catalog.answers.set('/entity/s:t', async (request, response) => {
      // long enough for a kill to hit some
      await new Promise((resolve) => {
        setTimeout(resolve, 50 + random() * 150);
      });
      response.writeHead(200, { 'Content-Type': request.headers.accept ?? '' });
      response.end(`RID,n\n${rows.map(({ RID, n }) => `${RID},${n}\n`).join('')}`);
    });
    service.store.refuse = (method) => (method !== 'DELETE' && random() < 0.05 ? 500 : null);
    const ids: { readonly id: string; readonly token: string; readonly archiver: 'zip' | 'tar' }[] = [];
    for (let count = 0; count < EXPORTS; count += 1) {
      const token = `${USERS[count % USERS.length]}-token`;
      // one of them streams, the other one uses scratch
      const archiver = count % 2 === 0 ? 'zip' : 'tar';
      const queries = ['a', 'b'].map((path) => ({
        processor: 'csv',
        query_path: '/entity/s:t',
        output_path: path,
      }));
      const answer = await service.post(
        '/bag',
        { bag: { bag_name: 'b', bag_archiver: archiver }, catalog: { host: 'x.org', queries } },
        { token, headers: { prefer: 'respond-async' } },
      );
      expect(answer.status).toBe(202);
      ids.push({ id: ((await answer.json()) as { readonly id: string }).id, token, archiver });
    }
    let alive = [startWorker(), startWorker()];
    for (let round = 0; round < 6; round += 1) {
      await new Promise((resolve) => {
        setTimeout(resolve, 1_500 + random() * 1_000);
      });
      const [victim, ...others] = random() < 0.5 ? alive : [...alive].reverse();
      if (victim !== undefined) await killed(victim);
      alive = [...others, startWorker()];
      if (round === 2) await flushQueue();
    }
    await eventually(async () => {
      const found = await states();
      return (found.get('queued') ?? 0) + (found.get('running') ?? 0) === 0 ? true : null;
    });
    service.store.refuse = null;

    let completed = 0;
    const whole = new Set<string>();
    for (const { id, token, archiver } of ids) {
      const status = (await (await service.get(`/job/${id}`, { token })).json()) as {
        readonly state: string;
        readonly results: readonly object[];
        readonly error: { readonly status: number } | null;
      };
      expect(['completed', 'failed']).toContain(status.state);
      if (status.state === 'failed') {
        // a worker that died twice under it, or a store that failed
        expect([500, 502]).toContain(status.error?.status);
        expect(status.results).toEqual([]);
        continue;
      }
      completed += 1;
      whole.add(id);
      expect(status.results).toHaveLength(1);
      const content = Buffer.from(await (await service.get(`/file/${id}`, { token })).arrayBuffer());
      if (archiver === 'zip') expect((await readZip(content)).get('b/data/b.csv')).toContain('1-199,199\n');
      else expect(await reportOf(content)).toMatchObject({ valid: true, payload: { files: 2 } });
    }
    expect(completed).toBeGreaterThan(EXPORTS / 2);
    expect(await onDatabase(service.databaseUrl, 'select 1 from ex_credential')).toEqual([]);
    const ends = await onDatabase(
      service.databaseUrl,
      `select id, count(*)::int as count from test_states where state in ('completed', 'failed', 'cancelled') group by id`,
    );
    expect(ends.map(({ count }) => count)).toEqual(Array(EXPORTS).fill(1));
    const published = await onDatabase(
      service.databaseUrl,
      'select export_id, count(*)::int as count from ex_output group by 1',
    );
    expect(published.map(({ count }) => count)).toEqual(Array(completed).fill(1));
    // the sweeper takes what failed and repeated runs had stored
    await eventually(() => {
      const stored = [...service.store.objects].filter(([path]) => path.includes('/export-results/'));
      const isRight =
        stored.length === completed &&
        stored.every(([path, versions]) => versions.length === 1 && [...whole].some((id) => path.includes(id)));
      return isRight ? true : null;
    });
    // nor is anything in the queue, or in the scratch of those that were killed
    await eventually(async () => ((await queued()) === 0 ? true : null));
    await eventually(async () => ((await readdir(service.environment.SCRATCH_DIR ?? '')).length === 0 ? true : null));
  }, 600_000);
});

async function reportOf(content: Buffer): Promise<unknown> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-faults-'));
  try {
    const path = join(directory, 'b.tar');
    await writeFile(path, content);
    return await validateBag(path);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
