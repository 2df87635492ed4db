import type { Logger } from '@holdfast/http-kit';
import { type Database, sql } from '@holdfast/pg-kit';
import type { BlobStore } from '../blobs/blob-store.js';
import { type DoomedBlob, doomExpired, findDoomed, forgetBlobs } from '../directory/staged-blobs.js';
import { expireJobs } from '../uploads/expire-jobs.js';
import type { JobAges } from '../uploads/job-document.js';
import { reconcile } from './reconcile.js';
import { runWeekly } from './weekly.js';

/** What the sweeper works on. */
export interface SweeperParts {
  readonly database: Database;
  readonly store: BlobStore;
  readonly log: Logger;
  /** Time between a deletion and the removal of the bytes: running downloads finish. */
  readonly graceSeconds: number;
  /** Age at which upload jobs are given up. */
  readonly jobAges: JobAges;
}

/** Outcome of one sweep. */
export interface SweepReport {
  /** False when another process is sweeping. */
  readonly leader: boolean;
  readonly removed: number;
}

/** Key of the advisory lock that makes one process the sweeper ("objstore" as a number). */
const SWEEP_LOCK = '8026934502857437797';

const BATCH = 100;
const BATCH_PAUSE_MILLISECONDS = 50;

/**
 * One sweep: jobs nobody goes on with are removed; staged blobs whose lease is over and doomed blobs whose grace is over lose their bytes, then their rows
 * (spec/objectstore.md 13.5, 13.6). A crash anywhere is repaired by the next sweep, since removal is idempotent.
 */
export async function sweep(parts: SweeperParts, signal: AbortSignal): Promise<SweepReport> {
  return parts.database.withConnection(signal, async (connection) => {
    const [lock] = await connection.query<{ held: boolean }>(
      sql`select pg_try_advisory_lock(${SWEEP_LOCK}::bigint) as held`,
    );
    if (lock?.held !== true) return { leader: false, removed: 0 };
    try {
      await expireJobs(parts.database, parts.jobAges, signal);
      await doomExpired(connection);
      let removed = 0;
      for (;;) {
        signal.throwIfAborted();
        const doomed = await findDoomed(connection, {
          adapter: parts.store.adapter,
          graceSeconds: parts.graceSeconds,
          limit: BATCH,
        });
        const gone = await removeBytes(parts, doomed);
        await forgetBlobs(connection, gone);
        removed += gone.length;
        // what could not be removed stays for the next sweep
        if (doomed.length < BATCH || gone.length === 0) break;
        // clients come first
        await pause(BATCH_PAUSE_MILLISECONDS);
      }
      await runWeekly(connection, 'reconcile', async () => {
        const { removed: unknown, missing } = await reconcile(parts, new Date(), signal);
        parts.log.info({ unknown, missing }, 'the store was compared with the rows');
      });
      return { leader: true, removed };
    } finally {
      await connection.query(sql`select pg_advisory_unlock(${SWEEP_LOCK}::bigint)`);
    }
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

async function removeBytes(parts: SweeperParts, doomed: readonly DoomedBlob[]): Promise<readonly string[]> {
  const gone: string[] = [];
  for (const blob of doomed) {
    try {
      await parts.store.remove(blob.key, blob.unfinished);
      gone.push(blob.id);
    } catch (error) {
      parts.log.warn({ err: error, blob: blob.id }, 'a blob could not be removed');
    }
  }
  return gone;
}
