import { randomUUID } from 'node:crypto';
import { grants } from '@holdfast/acl';
import { AppError } from '@holdfast/http-kit';
import { type Connection, type Database, sql } from '@holdfast/pg-kit';
import type { Caller } from '../authorize/rights.js';
import { findDefined } from '../directory/find-place.js';
import type { JobAddress, JobRecord } from './job-record.js';
import { jobBusy } from './job-states.js';
import { endDeadLeases } from './part-lease.js';

/** How long a finisher may be silent before another one may take over. */
const JOB_LEASE_SECONDS = 120;

/** How long a second finisher waits for the first, and how often it looks. */
const WAIT_MILLISECONDS = 30_000;
const LOOK_MILLISECONDS = 200;

const leaseEnd = sql`now() + ${JOB_LEASE_SECONDS} * interval '1 second'`;

/** The exclusive permission to finish a job. */
export interface FinalizeLease {
  renew(): Promise<void>;
  /** Gives the job back, open for chunks again. Nothing happens if somebody else has taken over. */
  giveBack(): Promise<void>;
  /** Locks the job for the commit; false when somebody else has taken over or it is gone. */
  hold(connection: Connection): Promise<boolean>;
}

/**
 * Takes a job to finish it: from open to finalizing, or from a finisher that has been silent for too long. While somebody else is at
 * it, waits for the outcome (spec/objectstore.md 10.5).
 * @returns the lease, or null when the job is no longer there: somebody else finished it, or it was removed
 * @throws {AppError} `job_busy` after 30 s
 */
export async function takeJob(database: Database, job: JobRecord, signal: AbortSignal): Promise<FinalizeLease | null> {
  const finalizer = randomUUID();
  const mine = sql`id = ${job.id} and finalizer = ${finalizer}`;
  const alone = (statement: ReturnType<typeof sql>) =>
    database.withConnection(null, (connection) => connection.execute(statement));
  for (const end = Date.now() + WAIT_MILLISECONDS; ; ) {
    if (await takeFree(database, job, finalizer, signal)) break;
    const left = await database.withConnection(signal, (connection) =>
      connection.query(sql`select from os_job where id = ${job.id}`),
    );
    if (left.length === 0) return null;
    if (Date.now() >= end) throw jobBusy();
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
    signal.throwIfAborted();
  }
  return {
    renew: async () => {
      await alone(sql`update os_job set lease_until = ${leaseEnd} where ${mine}`);
    },
    giveBack: async () => {
      await alone(sql`update os_job set state = 'open', finalizer = null, lease_until = null where ${mine}`);
    },
    hold: async (connection) => (await connection.query(sql`select from os_job where ${mine} for update`)).length === 1,
  };
}

/** A job is not free while one of its parts is being sent. Its lock keeps new senders out while that is looked at. */
async function takeFree(database: Database, job: JobRecord, finalizer: string, signal: AbortSignal): Promise<boolean> {
  return database.transaction({ signal }, async (connection) => {
    await connection.query(sql`select from os_job where id = ${job.id} for update`);
    await endDeadLeases(connection, job.id);
    const taken = await connection.execute(sql`update os_job j
      set state = 'finalizing', finalizer = ${finalizer}, lease_until = ${leaseEnd}, touched_at = now()
      where id = ${job.id} and (state = 'open' or lease_until < now())
        and not exists (select from os_part_lease p where p.job_id = j.id)`);
    return taken === 1;
  });
}

/** Milliseconds after which a lease should be renewed. */
export const RENEW_MILLISECONDS = (JOB_LEASE_SECONDS * 1000) / 3;

/**
 * The version that a finished job made, for the client who owned it.
 * @throws {AppError} `not_found`
 */
export async function findOutcome(connection: Connection, address: JobAddress, caller: Caller): Promise<string> {
  const { target } = await findDefined(connection, address.path);
  const [row] = await connection.query<{ version: string; acl_owner: readonly string[] }>(
    sql`select version, acl_owner from os_job_outcome where name_id = ${target.id} and job = ${address.job}`,
  );
  if (row === undefined || !grants(row.acl_owner, caller.roles))
    throw new AppError('not_found', 'There is no such upload job, or no longer.');
  return row.version;
}
