import type { Logger } from '@holdfast/http-kit';
import { asLeader, type Connection, type Database } from '@holdfast/pg-kit';
import type { BlobStore } from '../blobs/blob-store.js';
import { type DoomedBlob, doomExpired, findDoomed, forgetBlobs } from '../directory/staged-blobs.js';
import { expireJobs } from '../uploads/expire-jobs.js';
import type { JobAges } from '../uploads/job-document.js';

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
  /** Blobs whose bytes are gone. */
  readonly removed: number;
  /** Blobs that could not be removed. */
  readonly failed: number;
  /** Upload jobs that were given up. */
  readonly jobs: number;
}

/** Key of the advisory lock that makes one process the sweeper ("objstore" as a number). */
const SWEEP_LOCK = '8026934502857437797';

const BATCH = 100;
/** Blobs that could not be removed, after which a sweep gives up: the store seems to be away. */
const MOST_FAILURES = 300;
const BATCH_PAUSE_MILLISECONDS = 50;

/**
 * One sweep: jobs nobody goes on with are removed; staged blobs whose lease is over and doomed blobs whose grace is over lose their bytes, then their rows
 * (spec/objectstore.md 13.5, 13.6). A crash anywhere is repaired by the next sweep, since removal is idempotent.
 */
export async function sweep(parts: SweeperParts, signal: AbortSignal): Promise<SweepReport> {
  const report = await asLeader(parts.database, SWEEP_LOCK, signal, async (connection) => {
    const jobs = await expireJobs(parts.database, parts.jobAges, signal);
    await doomExpired(connection);
    return { leader: true, jobs, ...(await removeDoomed(parts, connection, signal)) };
  });
  return report ?? { leader: false, removed: 0, failed: 0, jobs: 0 };
}

async function removeDoomed(
  parts: SweeperParts,
  connection: Connection,
  signal: AbortSignal,
): Promise<Pick<SweepReport, 'removed' | 'failed'>> {
  let removed = 0;
  // what could not be removed stays for the next sweep, and is not in the way of the rest
  const failed: string[] = [];
  for (;;) {
    signal.throwIfAborted();
    const doomed = await findDoomed(connection, {
      adapter: parts.store.adapter,
      graceSeconds: parts.graceSeconds,
      limit: BATCH,
      except: failed,
    });
    const gone = await removeBytes(parts, doomed);
    await forgetBlobs(connection, gone);
    removed += gone.length;
    failed.push(...doomed.map(({ id }) => id).filter((id) => !gone.includes(id)));
    if (doomed.length < BATCH || failed.length >= MOST_FAILURES) return { removed, failed: failed.length };
    // clients come first
    await pause(BATCH_PAUSE_MILLISECONDS);
  }
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
