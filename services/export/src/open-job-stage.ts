import { AppError, type HealthCheck, type Logger, type Metrics } from '@holdfast/http-kit';
import { checkSchema, type Database, isConnectionLoss, measurePool, migrate, openDatabase } from '@holdfast/pg-kit';
import { type ExportChanges, listenForChanges } from './job/export-changes.js';
import { type ExportQueue, openExportQueue } from './job/export-queue.js';
import { type ExportStore, exportStore } from './job/export-store.js';
import { exportMigrations } from './job/migrations.js';
import { queueAddressOf } from './job/queue-address.js';
import type { StoredResults } from './job/retention.js';
import { type Sweeper, startSweeper } from './job/sweeper.js';
import type { ExportConfig } from './settings.js';

/** What both processes have: the rows, the queue, the news, and the repairs. */
export interface JobStage {
  readonly store: ExportStore;
  readonly queue: ExportQueue;
  readonly changes: ExportChanges;
  readonly checks: readonly HealthCheck[];
  close(): Promise<void>;
}

/** Opens the database, migrated, and what hangs on it. The queue may be away. */
export async function openJobStage(
  config: ExportConfig,
  log: Logger,
  metrics: Metrics,
  results: StoredResults,
): Promise<JobStage> {
  const database = openDatabase({
    url: config.DATABASE_URL,
    applicationName: 'holdfast export',
    maxConnections: config.DATABASE_CONNECTIONS,
  });
  try {
    await whenReachable(() => migrate(database, exportMigrations), log);
  } catch (error) {
    await database.close();
    throw error;
  }
  measurePool(metrics, 'export', database);
  const store = exportStore(database);
  const queue = openExportQueue(queueAddressOf(config), (error) => log.warn({ err: error }, 'the queue failed'));
  const changes = listenForChanges(config.DATABASE_URL, log);
  const sweeper: Sweeper = startSweeper({
    database,
    store,
    queue,
    log,
    results,
    concurrent: config.PER_USER_CONCURRENT,
    intervalSeconds: config.SWEEP_SECONDS,
    sweepers: config.SWEEPERS,
    queueWaitSeconds: config.QUEUE_WAIT_SECONDS,
    retentionSeconds: config.RETENTION_HOURS * 3_600,
  });
  return {
    store,
    queue,
    changes,
    checks: [databaseCheck(database), { name: 'queue', check: () => queue.check() }],
    close: async () => {
      await sweeper.stop();
      await changes.close();
      await queue.close();
      await database.close();
    },
  };
}

const FIRST_DELAY = 500;
const LONGEST_DELAY = 15_000;

/** Waits for a database that is away, ever more slowly; other faults are the configuration's and end the start. */
async function whenReachable(work: () => Promise<unknown>, log: Logger): Promise<void> {
  for (let delay = FIRST_DELAY; ; delay = Math.min(delay * 2, LONGEST_DELAY)) {
    try {
      await work();
      return;
    } catch (error) {
      if (!isConnectionLoss(error instanceof AppError ? error.cause : error)) throw error;
      log.warn({ err: error, retryMs: delay }, 'the database cannot be reached');
      await new Promise((resolve) => {
        setTimeout(resolve, delay);
      });
    }
  }
}

function databaseCheck(database: Database): HealthCheck {
  return {
    name: 'export_database',
    check: (signal) => checkSchema(database, exportMigrations, signal),
  };
}
