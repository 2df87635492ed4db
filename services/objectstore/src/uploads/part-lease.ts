import { randomUUID } from 'node:crypto';
import { type Connection, type Database, sql } from '@holdfast/pg-kit';
import { findJob, type JobAddress, type JobRecord } from './job-record.js';
import { jobBusy, nextJobState } from './job-states.js';

/** How long a sender may be silent before another one may send the part. */
const LEASE_SECONDS = 60;

const WAIT_MILLISECONDS = 30_000;
const LOOK_MILLISECONDS = 100;

/** Milliseconds after which a lease should be renewed. */
export const RENEW_PART_MILLISECONDS = (LEASE_SECONDS * 1000) / 3;

/** The exclusive permission to send one part: its recorded tag must be that of the transfer which came last. */
export interface PartLease {
  readonly job: JobRecord;
  renew(): Promise<void>;
  /**
   * For the transaction that records the part.
   * @returns false when somebody else has it, or the job is gone
   */
  end(connection: Connection): Promise<boolean>;
  /** Gives the permission back after a failure. */
  giveUp(): Promise<void>;
}

/**
 * Takes the permission, waiting for a transfer of the same part that is under way.
 * @throws {AppError} `not_found`, `job_busy` while the job is being finished or after 30 s
 */
export async function takePart(
  database: Database,
  address: JobAddress,
  n: number,
  signal: AbortSignal,
): Promise<PartLease> {
  const writer = randomUUID();
  const until = sql`now() + ${LEASE_SECONDS} * interval '1 second'`;
  const attempt = () =>
    database.transaction({ signal }, async (connection) => {
      const { job } = await findJob(connection, address, 'locked');
      nextJobState(job.state, 'chunk');
      await endDeadLeases(connection, job.id);
      const taken = await connection.execute(sql`insert into os_part_lease (job_id, n, writer, lease_until)
        values (${job.id}, ${n}, ${writer}, ${until}) on conflict (job_id, n) do nothing`);
      return taken === 1 ? job : null;
    });
  let job = await attempt();
  for (const end = Date.now() + WAIT_MILLISECONDS; job === null; job = await attempt()) {
    if (Date.now() >= end) throw jobBusy();
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
  }
  const mine = sql`job_id = ${job.id} and n = ${n} and writer = ${writer}`;
  const alone = (statement: ReturnType<typeof sql>) =>
    database.withConnection(null, (connection) => connection.execute(statement));
  return {
    job,
    renew: async () => {
      await alone(sql`update os_part_lease set lease_until = ${until} where ${mine}`);
    },
    end: async (connection) => (await connection.execute(sql`delete from os_part_lease where ${mine}`)) === 1,
    giveUp: async () => {
      await alone(sql`delete from os_part_lease where ${mine}`);
    },
  };
}

/**
 * Ends leases whose holders have died. Should one of them have replaced a part in the store without a record of it, the completion
 * finds another tag than the recorded one. The caller holds the lock of the job.
 */
export async function endDeadLeases(connection: Connection, jobId: string): Promise<void> {
  await connection.execute(sql`delete from os_part_lease where job_id = ${jobId} and lease_until < now()`);
}
