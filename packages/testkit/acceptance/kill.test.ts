import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningStack, startStack, temporaryDirectory } from '@holdfast/stack';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Client, openClient } from './client.js';
import { at, items, text } from './documents.js';
import { prepareWorkplace, startWorkload } from './workload.js';

const processNames = ['catalog', 'objectstore', 'export', 'export-worker', 'postgres'];
const limit = 240_000;

// only a stack that the tests have started is theirs to kill
const describeIf = process.env.ACCEPTANCE_URL === undefined ? describe : describe.skip;

describeIf('kill -9', () => {
  let directory = '';
  const opened: { readonly stack: RunningStack; readonly client: Client }[] = [];

  beforeEach(async () => {
    directory = await temporaryDirectory('holdfast-kill-');
  });
  afterEach(async () => {
    for (const { stack, client } of opened.splice(0)) {
      await client.close();
      await stack.stop();
    }
    await rm(directory, { recursive: true, force: true });
  }, limit);

  const start = async (port = 0): Promise<{ readonly stack: RunningStack; readonly client: Client }> => {
    const stack = await startStack({ dataDir: join(directory, 'data'), port });
    const started = { stack, client: openClient(stack.url) };
    opened.push(started);
    return started;
  };

  it.each(processNames)(
    'of %s ends the stack with a message, and a restart has all that was acknowledged',
    async (name) => {
      const first = await start();
      const place = await prepareWorkplace(first.client);
      const workload = startWorkload(first.client, place);
      try {
        await workload.underWay;
        kill(first.stack, name);
        const failure = await first.stack.ended;
        expect(failure?.message).toContain(
          name === 'postgres' ? 'PostgreSQL ended' : `The ${name} service was ended by SIGKILL`,
        );
      } finally {
        await workload.stop();
      }
      for (const { name: other, pid } of first.stack.processes.slice(1)) {
        expect({ name: other, alive: isAlive(pid) }).toEqual({ name: other, alive: false });
      }
      await workload.verify((await start()).client);
    },
    limit,
  );

  it.each(['export-worker', 'export', 'catalog'])(
    'of %s during an export leaves a job that the restarted stack completes, once',
    async (name) => {
      const first = await start();
      const { catalog } = await prepareWorkplace(first.client);
      await loadMany(first.client, catalog);
      const job = await startLongExport(first, catalog);
      await untilState(first.client, job, ['running', 'completed']);
      kill(first.stack, name);
      await first.stack.ended;
      // the job names the catalog by host and port
      const second = await start(first.stack.port);
      const done = await untilState(second.client, job, ['completed', 'failed', 'cancelled']);
      expect(done).toMatchObject({ state: 'completed', error: null });
      const results = items(at(done, 'results'));
      expect(results).toHaveLength(1);
      const { pathname } = new URL(text(at(results[0], 'url')));
      const bag = await second.client.call('GET', pathname);
      expect([bag.status, bag.bytes.byteLength]).toEqual([200, at(results[0], 'bytes')]);
    },
    limit,
  );
});

function kill(stack: RunningStack, name: string): void {
  const pid = stack.processes.find((one) => one.name === name)?.pid;
  if (pid === undefined) throw new Error(`There is no process ${name}.`);
  process.kill(pid, 'SIGKILL');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function loadMany(client: Client, catalog: string): Promise<void> {
  const rows = Array.from({ length: 40_000 }, (_, number) => `1,${number}\n`).join('');
  const loaded = await client.call('POST', `${catalog}/entity/work:reading`, { csv: `batch,number\n${rows}` });
  expect(loaded.status).toBe(200);
}

/** Gives the path of the job. */
async function startLongExport(
  { client, stack }: { readonly client: Client; readonly stack: RunningStack },
  catalog: string,
): Promise<string> {
  const queries = Array.from({ length: 12 }, (_, index) => ({
    processor: 'csv',
    processor_params: { query_path: '/entity/work:reading', output_path: `copy-${index}` },
  }));
  const started = await client.call('POST', '/export/bag', {
    headers: { prefer: 'respond-async' },
    json: {
      bag: { bag_name: 'copies', bag_archiver: 'zip' },
      catalog: { host: stack.url, catalog_id: catalog.split('/').at(-1), queries },
    },
  });
  expect(started.status).toBe(202);
  return new URL(text(started.headers.location)).pathname;
}

async function untilState(client: Client, job: string, states: readonly string[]): Promise<unknown> {
  for (;;) {
    const status = (await client.call('GET', job)).json();
    if (states.includes(text(at(status, 'state')))) return status;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
