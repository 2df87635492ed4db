import { type Database, sql } from '@holdfast/pg-kit';
import { removeJobs } from '../directory/remove-jobs.js';
import type { JobAges } from './job-document.js';

/** How long the outcome of a finished job can be asked for. */
const OUTCOME_HOURS = 24;

/**
 * Removes jobs that are idle or old, opens those whose finisher has died, forgets old outcomes (spec/objectstore.md 13.6).
 * @returns the number of jobs removed
 */
export async function expireJobs(database: Database, ages: JobAges, signal: AbortSignal): Promise<number> {
  return database.transaction({ signal }, async (connection) => {
    await connection.execute(sql`update os_job set state = 'open', finalizer = null, lease_until = null
      where state = 'finalizing' and lease_until < now()`);
    await connection.execute(
      sql`delete from os_job_outcome where finished_at < now() - ${OUTCOME_HOURS} * interval '1 hour'`,
    );
    return removeJobs(
      connection,
      sql`j.state = 'open' and (j.touched_at < now() - ${ages.idleHours} * interval '1 hour'
        or j.created_at < now() - ${ages.maxAgeHours} * interval '1 hour')`,
    );
  });
}
