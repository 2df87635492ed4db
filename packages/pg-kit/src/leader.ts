import type { Connection } from './connection.js';
import type { Database } from './database.js';
import { sql } from './sql.js';

/**
 * Does something that only one process may do at a time. The lock goes with the connection, so that it cannot outlive the process.
 * @param lock key of an advisory lock
 * @returns null when another process is at it
 */
export async function asLeader<Result>(
  database: Database,
  lock: string,
  signal: AbortSignal | null,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result | null> {
  return database.withConnection(signal, async (connection) => {
    const [row] = await connection.query<{ held: boolean }>(sql`select pg_try_advisory_lock(${lock}::bigint) as held`);
    if (row?.held !== true) return null;
    try {
      return await work(connection);
    } finally {
      await connection.query(sql`select pg_advisory_unlock(${lock}::bigint)`);
    }
  });
}
