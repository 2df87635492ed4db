import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { fileURLToPath } from 'node:url';
import { measure, report } from '@holdfast/testkit';
import { type Answered, schemaDocument, send, type Workbench } from './workbench.js';

const AT_ONCE = 4;

/** `GET schema` of a small and of a large catalog, against a bare Express route that answers the same bytes. */
export async function measureDocuments(bench: Workbench, rounds: number): Promise<boolean> {
  const small = await measureSchema(bench, rounds, { tables: 50, columns: 12, requests: 200, limit: 2 });
  const large = await measureSchema(bench, rounds, {
    tables: 1000,
    columns: 20,
    requests: 12,
    limit: Number.POSITIVE_INFINITY,
  });
  return small && large;
}

interface Size {
  readonly tables: number;
  readonly columns: number;
  readonly requests: number;
  /** Greatest ratio of a warm answer to the floor. */
  readonly limit: number;
}

async function measureSchema(bench: Workbench, rounds: number, size: Size): Promise<boolean> {
  const { tables, columns, requests, limit } = size;
  const path = `${await bench.createCatalog()}/schema`;
  // in parts: a thousand tables in one request take more locks than a database has by default
  const part = Math.min(tables, 100);
  for (let start = 0; start < tables; start += part)
    await bench.call('POST', path, schemaDocument(`S${start / part}`, part, columns));
  const database = await bench.connectToLast();
  const { body, etag } = await bench.call('GET', path);
  const floor = await bytesServer(body.toString());
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const what = `${tables} tables with ${columns} columns, ${Math.round(body.length / 1000)} kB, ${requests} requests, ${AT_ONCE} at once`;
  const fromFloor = (headers: Readonly<Record<string, string>> = {}) =>
    send(agent, floor.url, 'GET', undefined, headers);
  const warm = await measure(
    [
      { name: 'bare Express route', run: () => many(requests, 200, () => fromFloor()) },
      { name: 'GET schema, warm', run: () => many(requests, 200, () => bench.call('GET', path)) },
    ],
    rounds,
  );
  const unchanged = await measure(
    [
      {
        name: 'bare Express route, 304',
        run: () => many(requests, 304, () => fromFloor({ 'if-none-match': '"floor"' })),
      },
      {
        name: 'GET schema, 304',
        run: () => many(requests, 304, () => bench.call('GET', path, undefined, { 'if-none-match': etag })),
      },
    ],
    rounds,
  );
  const cold = await measure(
    [
      { name: 'bare Express route, one request', run: () => many(1, 200, () => fromFloor()) },
      {
        name: 'GET schema, cold: a version nobody knows',
        prepare: async () => {
          await database.query(
            `insert into _catalog.snap (ts, client, model, tables) select _catalog.begin_change(null, 1000), null, true, '{}'`,
          );
        },
        run: () => many(1, 200, () => bench.call('GET', path)),
      },
    ],
    rounds,
  );
  agent.destroy();
  floor.child.disconnect();
  await database.end();
  const kept = report(`GET schema: ${what}`, warm, limit);
  report('  with If-None-Match', unchanged, Number.POSITIVE_INFINITY);
  report('  cold', cold, Number.POSITIVE_INFINITY);
  return kept;
}

/** So many requests, some at once. */
async function many(count: number, status: number, one: () => Promise<Answered>): Promise<void> {
  let left = count;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const answered = await one();
      if (answered.status !== status) throw new Error(`answered with ${answered.status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function bytesServer(text: string): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = fork(fileURLToPath(new URL('./bytes-server.js', import.meta.url)));
  const [port] = (await once(child, 'message')) as [number];
  child.send(text);
  await once(child, 'message');
  return { child, url: `http://127.0.0.1:${port}/` };
}
