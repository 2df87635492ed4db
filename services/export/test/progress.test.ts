import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { type Harness, startHarness } from './support/harness.js';
import { onDatabase } from './support/on-database.js';
import { csvOf, startExport, stateOf } from './support/requests.js';

/** Seconds. */
const PATIENCE = 3;

const tar = { bag_name: 'b', bag_archiver: 'tar' };

/** More than all buffers between worker and store hold, so that the store sets the pace. */
const LARGE = 48 * 1024 * 1024;

describe('progress', () => {
  let service: Harness;
  beforeAll(async () => {
    service = await startHarness({ environment: { PROGRESS_TIMEOUT_SECONDS: `${PATIENCE}` } });
  });
  afterAll(() => service.close());
  beforeEach(() => {
    service.catalog.answers.clear();
    service.store.pace = null;
    service.store.slow = null;
  });

  function withLargeTable(): void {
    service.catalog.answers.set('/entity/large', async (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/csv' });
      const chunk = Buffer.alloc(1024 * 1024, 'abcdefg\n');
      for (let sent = 0; sent < LARGE; sent += chunk.byteLength) {
        if (!response.write(chunk)) await once(response, 'drain');
      }
      response.end();
    });
  }

  it('of a spooled entry into a slow store is progress: no time-out, however long it takes', async () => {
    withLargeTable();
    const times: number[] = [];
    // 4 MiB a second: many times as long as nothing may move
    service.store.pace = async (read) => {
      times.push(performance.now());
      if (read % (1024 * 1024) < 65_536) await pause(250);
    };
    const answer = await service.post('/bag', { bag: tar, ...csvOf('/entity/large') });
    expect([answer.status, answer.status === 200 ? '' : await answer.text()]).toEqual([200, '']);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(2 * PATIENCE * 1_000);
  }, 120_000);

  it('is missed when the store takes nothing any more: 504, and nothing is left', async () => {
    withLargeTable();
    service.store.pace = (read) => (read > 1024 * 1024 ? new Promise(() => undefined) : Promise.resolve());
    const answer = await service.post('/bag', { bag: tar, ...csvOf('/entity/large') });
    expect(answer.status).toBe(504);
    expect(await answer.json()).toMatchObject({ code: 'upstream_stalled', detail: expect.stringContaining('moved') });
    const id = answer.headers.get('x-export-id') ?? '';
    expect([...service.store.objects.keys()].filter((path) => path.includes(id))).toEqual([]);
  });

  it('is missed when the catalog goes silent in the middle of a table: 504', async () => {
    service.catalog.answers.set('/entity/silent', (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/csv' });
      response.write('RID\n1\n');
    });
    const answer = await service.post('/file', csvOf('/entity/silent'));
    expect(answer.status).toBe(504);
  });

  it('is each answer of the store about a reference, while the bag is being finished', async () => {
    const rows = Array.from({ length: 64 }, (_, index) => ({
      url: service.store.add(`/os/refs/${index}`, `content ${index}`),
      length: 9 + Math.floor(Math.log10(index || 1)),
      // no algorithm that all have: the store is asked for others
      ...(index % 2 === 0 ? { sha1: 'a'.repeat(40) } : { sha512: 'b'.repeat(128) }),
    }));
    service.catalog.answers.set('/attribute/refs', rows);
    let heads = 0;
    service.store.slow = async (method) => {
      if (method !== 'HEAD') return;
      heads += 1;
      // eight at a time: eight rounds, longer than nothing may move
      await pause(900);
    };
    const query = { processor: 'fetch', query_path: '/attribute/refs', output_path: 'r' };
    const answer = await service.post('/bag', { bag: tar, catalog: { host: 'x.org', queries: [query] } });
    expect([answer.status, answer.status === 200 ? '' : await answer.text()]).toEqual([200, '']);
    expect(heads).toBe(64);
  }, 120_000);

  it('has a percentage where it is known how much there will be', async () => {
    let release = (): void => undefined;
    const half = new Promise<void>((resolve) => {
      service.catalog.answers.set('/entity/half', async (_request: IncomingMessage, response: ServerResponse) => {
        response.writeHead(200, { 'Content-Type': 'text/csv', 'Content-Length': '1000' });
        response.write('x'.repeat(500));
        await new Promise<void>((opened) => {
          release = opened;
          resolve();
        });
        response.end('x'.repeat(500));
      });
    });
    const id = await startExport(service, csvOf('/entity/half'));
    await half;
    const percent = await eventually(async () => {
      const { progress } = (await (await service.get(`/job/${id}`)).json()) as {
        readonly progress: { readonly percent: number | null };
      };
      return progress.percent;
    });
    expect(percent).toBe(50);
    release();
    await eventually(async () => ((await stateOf(service, id)) === 'completed' ? true : null));
    expect(await (await service.get(`/job/${id}`)).json()).toMatchObject({ progress: { percent: 100 } });
  });
});

describe('a cancelled export', () => {
  let service: Harness;
  beforeAll(async () => {
    service = await startHarness();
  });
  afterAll(() => service.close());

  /** Milliseconds from the cancellation to the end of the catalog's query. */
  async function untilQueryEnds(cancel: (id: string) => Promise<void>): Promise<number> {
    let ended: number | null = null;
    const reached = new Promise<void>((resolve) => {
      service.catalog.answers.set('/entity/endless', (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/csv' });
        response.write('RID\n1\n');
        response.once('close', () => {
          ended = performance.now();
        });
        resolve();
      });
    });
    const id = await startExport(service, csvOf('/entity/endless'));
    await reached;
    const before = performance.now();
    await cancel(id);
    return (await eventually(() => ended)) - before;
  }

  it('stops its catalog query within a second', async () => {
    const time = await untilQueryEnds(async (id) => {
      expect((await service.get(`/job/${id}`, { method: 'DELETE' })).status).toBe(204);
    });
    expect(time).toBeLessThan(1_000);
  });

  it('stops it soon also when the worker was not told', async () => {
    const time = await untilQueryEnds(async (id) => {
      const cancelled = `update ex_export set state = 'cancelled', finished = now() where id = $1`;
      await onDatabase(service.databaseUrl, cancelled, [id]);
    });
    // the row is asked every 0.8 s; the rest is for a busy machine
    expect(time).toBeLessThan(2_500);
  });
});

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
