import { AppError } from '@holdfast/http-kit';

/** An upload job is open for chunks or being finished; a removed one is not there (spec/objectstore.md 10.1). */
export type JobState = 'open' | 'finalizing';

export type JobEvent = 'chunk' | 'finalize' | 'cancel' | 'expire' | 'fail' | 'commit' | 'lease-over' | 'object-deleted';

/**
 * ```
 *  open --finalize--> finalizing --commit--> removed
 *   ^                     |
 *   '---fail, lease-over--'
 *  open --cancel, expire--> removed;  either --object-deleted--> removed
 * ```
 * An event that is not listed has to wait: the job is busy.
 */
export const JOB_TRANSITIONS: Readonly<Record<JobState, Readonly<Partial<Record<JobEvent, JobState | 'removed'>>>>> = {
  open: { chunk: 'open', finalize: 'finalizing', cancel: 'removed', expire: 'removed', 'object-deleted': 'removed' },
  finalizing: { fail: 'open', 'lease-over': 'open', commit: 'removed', 'object-deleted': 'removed' },
};

/**
 * @throws {AppError} `job_busy` when the state does not take the event
 */
export function nextJobState(state: JobState, event: JobEvent): JobState | 'removed' {
  const next = JOB_TRANSITIONS[state][event];
  if (next === undefined) throw jobBusy();
  return next;
}

/** The refusal of anything that would disturb a job that is being finished. */
export function jobBusy(): AppError {
  return new AppError('job_busy', 'The job is being finished; ask again in a moment.', {
    headers: { 'Retry-After': '5' },
  });
}
