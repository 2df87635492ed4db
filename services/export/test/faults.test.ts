import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { type Harness, startHarness } from './support/harness.js';
import { onDatabase } from './support/on-database.js';
import { readZip } from './support/read-zip.js';
import { kill, startWorkerProcess } from './support/worker-process.js';

const EXPORTS = 50;
const USERS = ['alice', 'bob', 'admin'] as const;

/** Repeatable chance. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

describe('fifty exports while things break', () => {
  let service: Harness;
  const workers = new Set<ChildProcess>();
  const random = chance(20260203);
  beforeAll(async () => {
    service = await startHarness({
      worker: false,
      environment: { PER_USER_CONCURRENT: '4', QUEUE_WAIT_SECONDS: '600' },
    });
  });
  afterAll(async () => {
    for (const worker of workers) worker.kill('SIGKILL');
    await service.close();
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
    const ids: { readonly id: string; readonly token: string }[] = [];
    for (let count = 0; count < EXPORTS; count += 1) {
      const token = `${USERS[count % USERS.length]}-token`;
      const queries = ['a', 'b'].map((path) => ({
        processor: 'csv',
        query_path: '/entity/s:t',
        output_path: path,
      }));
      const answer = await service.post(
        '/bag',
        { bag: { bag_name: 'b', bag_archiver: 'zip' }, catalog: { host: 'x.org', queries } },
        { token, headers: { prefer: 'respond-async' } },
      );
      expect(answer.status).toBe(202);
      ids.push({ id: ((await answer.json()) as { readonly id: string }).id, token });
    }
    let alive = [startWorker(), startWorker()];
    for (let round = 0; round < 6; round += 1) {
      await new Promise((resolve) => {
        setTimeout(resolve, 1_500 + random() * 1_000);
      });
      const [victim, ...others] = random() < 0.5 ? alive : [...alive].reverse();
      if (victim !== undefined) await killed(victim);
      alive = [...others, startWorker()];
      if (round === 2) {
        await onDatabase(service.databaseUrl, 'truncate bullmq.job cascade');
        await onDatabase(service.databaseUrl, `update ex_export set enqueued = now() - interval '1 hour'`);
      }
    }
    await eventually(async () => {
      const found = await states();
      return (found.get('queued') ?? 0) + (found.get('running') ?? 0) === 0 ? true : null;
    });
    service.store.refuse = null;

    let completed = 0;
    const published = new Set<string>();
    for (const { id, token } of ids) {
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
      published.add(id);
      expect(status.results).toHaveLength(1);
      const bag = await readZip(Buffer.from(await (await service.get(`/file/${id}`, { token })).arrayBuffer()));
      expect(bag.get('b/data/b.csv')).toContain('1-199,199\n');
    }
    expect(completed).toBeGreaterThan(EXPORTS / 2);
    expect(await onDatabase(service.databaseUrl, 'select 1 from ex_credential')).toEqual([]);
    // the sweeper takes what failed and repeated runs had stored
    await eventually(() => {
      const stored = [...service.store.objects].filter(([path]) => path.includes('/export-results/'));
      const isRight =
        stored.length === completed &&
        stored.every(([path, versions]) => versions.length === 1 && [...published].some((id) => path.includes(id)));
      return isRight ? true : null;
    });
  }, 180_000);
});
