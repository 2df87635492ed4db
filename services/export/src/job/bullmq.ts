import { createPostgresBackend, type JobsOptions, Queue, Worker, withBackend } from 'bullmq';

/** What is in the queue: nothing that could not stand on a wall (spec/export.md 13.1). */
export interface QueuedJob {
  readonly exportId: string;
}

/** Where the queue is: BullMQ over PostgreSQL (embedded stack), or over Redis or Valkey. */
export interface QueueAddress {
  readonly kind: 'postgres' | 'redis';
  readonly url: string;
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

/** Reads `QUEUE_URL`: `postgres://…`, `redis://…`, `rediss://…`. Null for anything else. */
export function parseQueueUrl(url: string): QueueAddress | null {
  if (/^postgres(?:ql)?:\/\//.test(url)) return { kind: 'postgres', url };
  return /^rediss?:\/\//.test(url) ? { kind: 'redis', url } : null;
}

/** A queue to add jobs to. */
export function bullQueue(address: QueueAddress): BullQueue {
  switch (address.kind) {
    case 'postgres':
      return new postgres.Queue<QueuedJob>(QUEUE_NAME, { connection: postgresConnection(address.url) });
    case 'redis':
      // a caller waits: fail instead of trying for ever
      return new Queue<QueuedJob>(QUEUE_NAME, { connection: { url: address.url, maxRetriesPerRequest: 1 } });
  }
}

/** How a worker takes jobs. */
export interface BullWorkerOptions {
  readonly concurrency: number;
  /** Milliseconds; spec/export.md 13.2. */
  readonly lockDuration: number;
  readonly stalledInterval: number;
}

/** A worker that does nothing before `run`. Only to be made for a queue that is known to answer: see `supervise-worker.ts`. */
export function bullWorker(
  address: QueueAddress,
  work: (exportId: string) => Promise<void>,
  options: BullWorkerOptions,
): BullWorker {
  const processor = (job: { readonly data: QueuedJob }): Promise<void> => work(job.data.exportId);
  // one restart by the queue itself after a crash; nothing depends on it
  const common = { autorun: false, maxStalledCount: 1, runRetryDelay: 1_000, ...options };
  switch (address.kind) {
    case 'postgres':
      return new postgres.Worker<QueuedJob>(QUEUE_NAME, processor, {
        connection: postgresConnection(address.url),
        ...common,
      });
    case 'redis':
      return new Worker<QueuedJob>(QUEUE_NAME, processor, {
        connection: { url: address.url, maxRetriesPerRequest: null },
        ...common,
      });
  }
}

const postgres = withBackend(createPostgresBackend);

/** `migrate` has to stand in the connection itself; elsewhere BullMQ does not see it. */
function postgresConnection(url: string) {
  return {
    connectionString: url,
    migrate: true,
    max: 3,
    connectionTimeoutMillis: 5_000,
    application_name: 'holdfast export queue',
  };
}
