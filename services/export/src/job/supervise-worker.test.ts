import { createLogger } from '@holdfast/http-kit';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { BullWorker } from './bullmq.js';
import { type SupervisedWorker, superviseWorker } from './supervise-worker.js';

const log = createLogger({ service: 'test', level: 'silent' });

interface FakeWorker extends BullWorker {
  fail(): void;
  closed: boolean;
}

function fakeWorker(): FakeWorker {
  let listener: (error: Error) => void = () => undefined;
  const worker: FakeWorker = {
    closed: false,
    on: (_event, added) => {
      listener = added;
    },
    fail: () => listener(new Error('the queue is broken')),
    waitUntilReady: async () => undefined,
    run: () => new Promise(() => undefined),
    close: async () => {
      worker.closed = true;
    },
  };
  return worker;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

describe('a supervised worker', () => {
  let supervised: SupervisedWorker | null = null;
  afterEach(() => supervised?.stop());

  it('is not made before the queue has answered', async () => {
    let refusals = 3;
    const workers: FakeWorker[] = [];
    supervised = superviseWorker({
      prepare: async () => {
        refusals -= 1;
        if (refusals >= 0) throw new Error('away');
      },
      createWorker: async () => {
        workers.push(fakeWorker());
        return workers[0] ?? fakeWorker();
      },
      log,
      firstDelay: 1,
    });
    expect(supervised.isRunning()).toBe(false);
    await until(() => workers.length === 1);
    expect(refusals).toBe(-1);
    expect(supervised.isRunning()).toBe(true);
  });

  it('is closed at its first error, and replaced', async () => {
    const workers: FakeWorker[] = [];
    supervised = superviseWorker({
      prepare: async () => undefined,
      createWorker: async () => {
        const worker = fakeWorker();
        workers.push(worker);
        return worker;
      },
      log,
      firstDelay: 1,
    });
    await until(() => workers.length === 1);
    await new Promise((resolve) => setImmediate(resolve));
    workers[0]?.fail();
    await until(() => workers.length === 2);
    expect(workers.map(({ closed }) => closed)).toEqual([true, false]);
  });

  it('is tried ever more slowly', async () => {
    const times: number[] = [];
    supervised = superviseWorker({
      prepare: async () => {
        times.push(performance.now());
        throw new Error('away');
      },
      createWorker: async () => fakeWorker(),
      log,
      firstDelay: 5,
      longestDelay: 40,
    });
    await until(() => times.length === 5);
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    [5, 10, 20, 40].forEach((least, index) => {
      expect(pauses[index]).toBeGreaterThanOrEqual(least - 1);
    });
  });

  it('stops while it waits for the queue', async () => {
    supervised = superviseWorker({
      prepare: () => Promise.reject(new Error('away')),
      createWorker: async () => fakeWorker(),
      log,
      firstDelay: 3_600_000,
    });
    await new Promise((resolve) => setImmediate(resolve));
    await supervised.stop();
    expect(supervised.isRunning()).toBe(false);
  });
});
