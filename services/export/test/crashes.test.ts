import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from './support/eventually.js';
import type { Handler } from './support/fake-server.js';
import { type Harness, startHarness } from './support/harness.js';
import { onDatabase } from './support/on-database.js';
import { readZip } from './support/read-zip.js';

const rows = [{ RID: '1-A', n: 1 }];
const bagRequest = {
  bag: { bag_name: 'b', bag_archiver: 'zip' },
  catalog: { host: 'x.org', queries: [{ processor: 'csv', query_path: '/entity/s:t', output_path: 't' }] },
};

describe('a worker that dies', () => {
  let service: Harness;
  let child: ChildProcess | null = null;
  beforeEach(async () => {
    service = await startHarness({ worker: false });
  });
  afterEach(async () => {
    child?.kill('SIGKILL');
    await service.close();
  });

  /** A query that says it was reached and never ends. */
  function hang(path: string): Promise<void> {
    return new Promise((resolve) => {
      const handler: Handler = (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/csv' });
        response.write('RID,n\n');
        resolve();
      };
      service.catalog.answers.set(path, handler);
    });
  }

  /** A real process, so that it can really be killed. */
  function startWorkerProcess(): ChildProcess {
    const program = fileURLToPath(new URL('../src/worker.js', import.meta.url));
    child = spawn(process.execPath, [program], {
      env: { ...service.environment, PATH: process.env.PATH, ADMIN_PORT: '0', LOG_LEVEL: 'warn' },
      stdio: 'inherit',
    });
    return child;
  }

  async function killed(victim: ChildProcess): Promise<void> {
    const gone = new Promise((resolve) => victim.once('exit', resolve));
    victim.kill('SIGKILL');
    await gone;
  }

  async function idOf(): Promise<string> {
    const [row] = await onDatabase(service.databaseUrl, 'select id from ex_export');
    return String(row?.id);
  }

  it('39: is replaced, and exactly one result is published', async () => {
    const reached = hang('/entity/s:t');
    const victim = startWorkerProcess();
    const answer = service.post('/bag', bagRequest);
    await reached;
    const id = await idOf();
    await killed(victim);
    service.catalog.answers.set('/entity/s:t', rows);
    // what twenty seconds without a sign of life do
    await onDatabase(service.databaseUrl, `update ex_export set lease_until = now() where state = 'running'`);
    await service.startWorker();
    expect((await answer).status).toBe(200);
    const status = (await (await service.get(`/job/${id}`)).json()) as { readonly results: readonly object[] };
    expect(status).toMatchObject({ state: 'completed', results: [{ path: 'b.zip' }] });
    expect(status.results).toHaveLength(1);
    const bag = await readZip(Buffer.from(await (await service.get(`/file/${id}`)).arrayBuffer()));
    expect(bag.get('b/data/t.csv')).toBe('RID,n\n1-A,1\n');
    const log = await (await service.get(`/file/${id}/log`)).text();
    expect(log).toMatch(/run 1[\s\S]*the worker is gone[\s\S]*run 2[\s\S]*completed/);
    expect(await onDatabase(service.databaseUrl, 'select 1 from ex_credential')).toEqual([]);
  });

  it('is not replaced a third time', async () => {
    const reached = hang('/entity/s:t');
    const victim = startWorkerProcess();
    const answer = service.post('/bag', bagRequest);
    await reached;
    await killed(victim);
    await onDatabase(service.databaseUrl, `update ex_export set attempt = 2, lease_until = now()`);
    expect((await answer).status).toBe(500);
    const [row] = await onDatabase(service.databaseUrl, 'select state, attempt from ex_export');
    expect(row).toEqual({ state: 'failed', attempt: 2 });
  });

  it('loses when it only seemed dead: the other one publishes', async () => {
    const reached = hang('/entity/s:t');
    await service.startWorker();
    const answer = service.post('/bag', bagRequest);
    await reached;
    service.catalog.answers.set('/entity/s:t', rows);
    await onDatabase(
      service.databaseUrl,
      `update ex_export set state = 'queued', queued = now(), enqueued = null, lease_until = null`,
    );
    expect((await answer).status).toBe(200);
    const id = await idOf();
    const stored = [...service.store.objects].filter(([path]) => path.includes(id));
    expect(stored.map(([, versions]) => versions.length)).toEqual([1]);
  });

  it('puts back what it has when it is told to stop', async () => {
    const reached = hang('/entity/s:t');
    const first = await service.startWorker();
    const answer = service.post('/bag', bagRequest);
    await reached;
    service.catalog.answers.set('/entity/s:t', rows);
    await first.pause?.();
    await first.stop();
    const [row] = await onDatabase(service.databaseUrl, 'select state from ex_export');
    expect(row).toEqual({ state: 'queued' });
    await service.startWorker();
    expect((await answer).status).toBe(200);
  });

  it('makes new versions of results the first run had stored, for the same readers', async () => {
    const id = await (async () => {
      const answer = await service.post('/bag', bagRequest, { headers: { prefer: 'respond-async' } });
      return ((await answer.json()) as { readonly id: string }).id;
    })();
    await onDatabase(service.databaseUrl, 'update ex_export set attempt = 1');
    const [{ day } = { day: '' }] = await onDatabase(
      service.databaseUrl,
      `select to_char(created at time zone 'UTC', 'YYYY-MM-DD') as day from ex_export`,
    );
    const path = `/os/export-results/${day}/${id}/b.zip`;
    service.store.add(path, 'half a bag');
    service.catalog.answers.set('/entity/s:t', rows);
    await service.startWorker();
    await eventually(async () => {
      const { state } = (await (await service.get(`/job/${id}`)).json()) as { readonly state: string };
      return state === 'completed' ? state : null;
    });
    expect(service.store.objects.get(path)).toMatchObject([{ putBy: 'test' }, { acls: { read: ['alice'] } }]);
    expect((await readZip(Buffer.from(await (await service.get(`/file/${id}`)).arrayBuffer()))).size).toBeGreaterThan(
      5,
    );
  });
});

describe('a queue that loses everything', () => {
  it('is filled again from the database', async () => {
    const service = await startHarness({ worker: false });
    try {
      service.catalog.answers.set('/entity/s:t', rows);
      const answer = service.post('/bag', bagRequest);
      await eventually(async () => {
        const [row] = await onDatabase(service.databaseUrl, `select 1 from bullmq.job`).catch(() => []);
        return row ?? null;
      });
      await onDatabase(service.databaseUrl, 'truncate bullmq.job cascade');
      await onDatabase(service.databaseUrl, `update ex_export set enqueued = now() - interval '1 hour'`);
      await service.startWorker();
      expect((await answer).status).toBe(200);
    } finally {
      await service.close();
    }
  });
});

describe('an export that nobody takes up', () => {
  it('fails in time, with a reason', async () => {
    const service = await startHarness({ worker: false, environment: { QUEUE_WAIT_SECONDS: '1' } });
    try {
      const answer = await service.post('/bag', bagRequest);
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('30');
      expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('No worker was free') });
    } finally {
      await service.close();
    }
  });
});

describe('a caller that goes away', () => {
  it('takes its export along', async () => {
    const service = await startHarness();
    try {
      service.catalog.answers.set('/entity/s:t', (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/csv' });
        response.write('RID\n');
      });
      const abort = new AbortController();
      const answer = fetch(`${service.url}/bag`, {
        method: 'POST',
        body: JSON.stringify(bagRequest),
        headers: { authorization: 'Bearer alice-token' },
        signal: abort.signal,
      });
      await eventually(() => service.catalog.asked[0] ?? null);
      abort.abort();
      await expect(answer).rejects.toThrow();
      const state = await eventually(async () => {
        const [row] = await onDatabase(service.databaseUrl, `select state from ex_export where state <> 'running'`);
        return row?.state ?? null;
      });
      expect(state).toBe('cancelled');
    } finally {
      await service.close();
    }
  });
});
