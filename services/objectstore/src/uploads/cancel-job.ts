import { type Database, retryOnCollision, sql } from '@holdfast/pg-kit';
import { authorize, type Caller } from '../authorize/rights.js';
import { listsAt } from '../directory/lists-at.js';
import { removeJobs } from '../directory/remove-jobs.js';
import { findJob, type JobAddress } from './job-record.js';
import { nextJobState } from './job-states.js';

/**
 * Removes a job and what was sent for it; the object keeps its name (spec/objectstore.md 10.6).
 * @throws {AppError} `not_found`, `auth_required`, `forbidden`, `job_busy`
 */
export async function cancelJob(
  database: Database,
  address: JobAddress,
  caller: Caller,
  signal: AbortSignal,
): Promise<void> {
  await retryOnCollision(() =>
    database.transaction({ signal }, async (connection) => {
      const { job, place } = await findJob(connection, address, 'locked');
      authorize('cancel-job', { ...listsAt(place), job: { owner: job.owner } }, caller);
      nextJobState(job.state, 'cancel');
      await removeJobs(connection, sql`j.id = ${job.id}`);
    }),
  );
}
