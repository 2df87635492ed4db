import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect } from '@jest/globals';
import type { Client } from './client.js';
import { at, items, text } from './documents.js';

/** Rows in each batch that is loaded. */
const batchSize = 500;

/** Clients at work on a server that may die: what it has acknowledged, it must keep. */
export interface Workload {
  /** Resolves when some batches and some objects have been acknowledged. */
  readonly underWay: Promise<void>;
  /** Ends the work, also of a client that would go on, and waits for it. */
  stop(): Promise<void>;
  /** Checks over a new connection that all that was acknowledged is there, and that nothing is there by half. */
  verify(client: Client): Promise<void>;
}

/** Where the work is done. */
export interface Workplace {
  readonly catalog: string;
  readonly namespace: string;
}

/** Makes a catalog with a table and a namespace. */
export async function prepareWorkplace(client: Client): Promise<Workplace> {
  const created = await client.call('POST', '/data/catalog');
  const catalog = `/data/catalog/${text(at(created.json(), 'id'))}`;
  const model = await client.call('POST', `${catalog}/schema`, {
    json: [
      { schema_name: 'work' },
      {
        schema_name: 'work',
        table_name: 'reading',
        column_definitions: ['batch', 'number'].map((name) => ({ name, type: 'int4', nullok: false })),
        keys: [{ unique_columns: ['batch', 'number'] }],
      },
    ],
  });
  expect(model.status).toBe(201);
  const namespace = `/objects/work-${catalog.split('/').at(-1)}`;
  const headers = { 'content-type': 'application/x-objstore-namespace' };
  expect((await client.call('PUT', namespace, { headers })).status).toBe(201);
  return { catalog, namespace };
}

/** One client loads batch after batch, one uploads object after object, one sends a load and never comes to its end. */
export function startWorkload(client: Client, { catalog, namespace }: Workplace): Workload {
  const stopped = new AbortController();
  const batches: number[] = [];
  const objects = new Map<string, string>();
  const table = `${catalog}/entity/work:reading`;
  const work = Promise.all([
    repeat(stopped.signal, async (batch) => {
      const answer = await client.call('POST', table, { csv: batchCsv(batch) });
      if (answer.status === 200) batches.push(batch);
    }),
    repeat(stopped.signal, async (number) => {
      const body = randomBytes(50_000 + number);
      const path = `${namespace}/object-${number}`;
      const headers = { 'content-type': 'application/octet-stream' };
      const answer = await client.call('PUT', path, { body, headers });
      if (answer.status === 201) objects.set(path, sha256(body));
    }),
    endlessLoad(client, table, stopped.signal),
  ]);
  return {
    underWay: waitUntil(() => batches.length > 3 && objects.size > 3),
    stop: async () => {
      stopped.abort();
      await work;
    },
    verify: async (other) => {
      await verifyBatches(other, catalog, batches);
      await verifyObjects(other, namespace, objects);
    },
  };
}

async function verifyBatches(client: Client, catalog: string, acknowledged: readonly number[]): Promise<void> {
  const path = `${catalog}/attributegroup/work:reading/batch;rows:=cnt(*)@sort(batch)`;
  const found = items((await client.call('GET', path)).json());
  // whole batches only, and none of the load that had no end
  for (const row of found) expect(row).toEqual({ batch: expect.any(Number), rows: batchSize });
  const present = found.map((row) => at(row, 'batch'));
  expect(present).not.toContain(0);
  expect(present).toEqual(expect.arrayContaining([...acknowledged]));
  const next = await client.call('POST', `${catalog}/entity/work:reading`, { csv: batchCsv(1_000_000) });
  expect(next.status).toBe(200);
}

async function verifyObjects(
  client: Client,
  namespace: string,
  acknowledged: ReadonlyMap<string, string>,
): Promise<void> {
  const listed = items((await client.call('GET', namespace)).json()).map(text);
  expect(listed).toEqual(expect.arrayContaining([...acknowledged.keys()]));
  for (const path of listed) {
    const answer = await client.call('GET', path);
    expect(answer.status).toBe(200);
    const expected =
      acknowledged.get(path) ?? Buffer.from(answer.headers['content-sha256'] ?? '', 'base64').toString('hex');
    expect(sha256(answer.bytes)).toBe(expected);
  }
}

/** Runs work with 1, 2, 3, ... until it is stopped or the server does not answer any more. */
async function repeat(signal: AbortSignal, work: (number: number) => Promise<void>): Promise<void> {
  for (let number = 1; !signal.aborted; number += 1) {
    try {
      await work(number);
    } catch {
      return;
    }
  }
}

async function endlessLoad(client: Client, table: string, signal: AbortSignal): Promise<void> {
  const rows = async function* (): AsyncGenerator<string> {
    yield 'batch,number\n';
    for (let number = 1; !signal.aborted; number += 1) {
      yield `0,${number}\n`;
      if (number % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error('The client goes away.');
  };
  try {
    const headers = { 'content-type': 'text/csv' };
    await client.call('POST', table, { body: Readable.from(rows(), { objectMode: false }), headers });
  } catch {
    // the server died, or the client left: this load is never finished
  }
}

function batchCsv(batch: number): string {
  const rows = Array.from({ length: batchSize }, (_, number) => `${batch},${number}\n`);
  return `batch,number\n${rows.join('')}`;
}

async function waitUntil(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries += 1) {
    if (tries > 1_200) throw new Error('The work did not get under way.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
