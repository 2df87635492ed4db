import { AppError } from '@holdfast/http-kit';
import { type Database, sql } from '@holdfast/pg-kit';
import { credentialHash } from './hashing.js';
import { inIdentityTransaction, onIdentityDatabase } from './identity-database.js';

/** spec/identity.md 3.5. */
const MOST_FAILURES = 10;
const WINDOW_SECONDS = 600;

/** One try to log in. */
export interface LoginAttempt {
  /** The password was right: the attempt is no failure. */
  succeeded(): Promise<void>;
}

/**
 * Counts failed logins per user name and per address, over all processes. An attempt is booked as a failure before the password is
 * looked at and taken back when it was right, so that many at once cannot slip through together.
 * @param now clock in milliseconds
 * @throws {AppError} `too_many` when either has failed ten times within ten minutes
 */
export async function beginLoginAttempt(
  database: Database,
  attempt: { readonly name: string; readonly address: string },
  now: () => number,
): Promise<LoginAttempt> {
  const subjects = [credentialHash(`name:${attempt.name}`), credentialHash(`address:${attempt.address}`)];
  const time = new Date(now()).toISOString();
  const windowStart = new Date(now() - WINDOW_SECONDS * 1000).toISOString();
  const booked: string[] = [];
  const failures: number[] = [];
  await inIdentityTransaction(database, async (connection) => {
    await connection.execute(sql`delete from auth_login_failure where at < ${windowStart}::timestamptz`);
    for (const subject of subjects) {
      // one at a time per subject: two transactions would not see each other's row
      await connection.query(sql`select pg_advisory_xact_lock(${subject.readBigInt64BE()}::bigint)`);
      const [count] = await connection.query<{ readonly failures: number }>(
        sql`select count(*)::int as failures from auth_login_failure where subject = ${subject}`,
      );
      failures.push(count?.failures ?? 0);
    }
    if (failures.some((count) => count >= MOST_FAILURES)) return;
    for (const subject of subjects) {
      const rows = await connection.query<{ readonly id: string }>(
        sql`insert into auth_login_failure (subject, at) values (${subject}, ${time}::timestamptz) returning id::text`,
      );
      booked.push(...rows.map(({ id }) => id));
    }
  });
  if (failures.some((count) => count >= MOST_FAILURES))
    throw new AppError(
      'too_many',
      'Too many logins have failed for this name or from this address; wait ten minutes.',
      {
        headers: { 'Retry-After': String(WINDOW_SECONDS) },
      },
    );
  return {
    succeeded: () =>
      onIdentityDatabase(database, async (connection) => {
        await connection.execute(sql`delete from auth_login_failure where id = any(${booked}::bigint[])`);
      }),
  };
}
