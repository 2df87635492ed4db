import { createPostgresBackend, type JobsOptions, Queue, runMigrations, Worker, withBackend } from 'bullmq';
import pg from 'pg';
import { type QueueAddress, redisOptions } from './queue-address.js';

/** What is in the queue: nothing that could not stand on a wall (spec/export.md 13.1). */
export interface QueuedJob {
  readonly exportId: string;
}

/** The part of BullMQ's queue that is used here, the same over both backends. */
export interface BullQueue {
  on(event: 'error', listener: (error: Error) => void): unknown;
  waitUntilReady(): Promise<unknown>;
  add(name: string, data: QueuedJob, options: JobsOptions): Promise<unknown>;
  getJobCounts(type: 'wait'): Promise<unknown>;
  close(): Promise<void>;
}

/** The part of BullMQ's worker that is used here. */
export interface BullWorker {
  on(event: 'error', listener: (error: Error) => void): unknown;
  waitUntilReady(): Promise<unknown>;
  run(): Promise<void>;
  close(force: boolean): Promise<void>;
}

const QUEUE_NAME = 'exports';

/**
 * A queue to add jobs to, which has answered.
 * @throws when it cannot be used
 */
export async function openBullQueue(address: QueueAddress, onError: (error: Error) => void): Promise<BullQueue> {
  switch (address.kind) {
    case 'postgres': {
      const pool = await migratedPool(address.url);
      return ready(new postgres.Queue<QueuedJob>(QUEUE_NAME, { connection: pool }), pool, onError);
    }
    case 'redis': {
      // a caller waits: fail instead of trying for ever
      const connection = { ...redisOptions(address), maxRetriesPerRequest: 1 };
      return ready(new Queue<QueuedJob>(QUEUE_NAME, { connection }), null, onError);
    }
  }
}

async function ready(queue: BullQueue, pool: pg.Pool | null, onError: (error: Error) => void): Promise<BullQueue> {
  queue.on('error', onError);
  const close = (): Promise<void> => closeBoth(() => queue.close(), pool);
  try {
    await queue.waitUntilReady();
  } catch (error) {
    close().catch(() => undefined);
    throw error;
  }
  return {
    on: (event, listener) => queue.on(event, listener),
    waitUntilReady: () => queue.waitUntilReady(),
    add: (name, data, options) => queue.add(name, data, options),
    getJobCounts: (type) => queue.getJobCounts(type),
    close,
  };
}

/** How a worker takes jobs. */
export interface BullWorkerOptions {
  readonly concurrency: number;
  /** Milliseconds; spec/export.md 13.2. */
  readonly lockDuration: number;
  readonly stalledInterval: number;
}

/**
 * A worker that does nothing before `run`. Only to be made for a queue that is known to answer: see `supervise-worker.ts`.
 * @throws when the queue cannot be used
 */
export async function openBullWorker(
  address: QueueAddress,
  work: (exportId: string) => Promise<void>,
  options: BullWorkerOptions,
): Promise<BullWorker> {
  const processor = (job: { readonly data: QueuedJob }): Promise<void> => work(job.data.exportId);
  // one restart by the queue itself after a crash; nothing depends on it
  const common = { autorun: false, maxStalledCount: 1, runRetryDelay: 1_000, drainDelay: 1, ...options };
  switch (address.kind) {
    case 'postgres': {
      const pool = await migratedPool(address.url);
      const worker = new postgres.Worker<QueuedJob>(QUEUE_NAME, processor, { connection: pool, ...common });
      return {
        on: (event, listener) => worker.on(event, listener),
        waitUntilReady: () => worker.waitUntilReady(),
        run: () => worker.run(),
        close: (force) => closeBoth(() => worker.close(force), pool),
      };
    }
    case 'redis':
      return new Worker<QueuedJob>(QUEUE_NAME, processor, {
        connection: { ...redisOptions(address), maxRetriesPerRequest: null },
        ...common,
      });
  }
}

const postgres = withBackend(createPostgresBackend);

const SCHEMA = 'bullmq';

/**
 * Connections for BullMQ, its schema up to date. The pool is ours because the one BullMQ makes leaves a connection in use without
 * anybody who listens for its errors: a restart of the server then ends the process.
 */
async function migratedPool(url: string): Promise<pg.Pool> {
  const pool = new pg.Pool({
    connectionString: url,
    options: `-c search_path=${SCHEMA}`,
    // one of them is kept for LISTEN
    max: 4,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: 'holdfast export queue',
  });
  // whoever uses the connection hears of it by the failure of its query
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', () => undefined);
  try {
    const client = await pool.connect();
    try {
      await runMigrations(client, SCHEMA);
      client.release();
    } catch (error) {
      client.release(true);
      throw error;
    }
    return pool;
  } catch (error) {
    pool.end().catch(() => undefined);
    throw error;
  }
}

async function closeBoth(close: () => Promise<void>, pool: pg.Pool | null): Promise<void> {
  try {
    await close();
  } finally {
    await pool?.end();
  }
}
