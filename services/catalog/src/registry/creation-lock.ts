import { AppError } from '@holdfast/http-kit';
import { type Database, sql } from '@holdfast/pg-kit';

/**
 * Runs the creation of an entry under a session lock of its id: a claim without such a lock is one whose maker has died. The database
 * gives the lock back when the connection of its holder is lost.
 * @param creationLocks connections that hold nothing but the lock of a creation under way; as many creations run at a time
 * @param id null for one that the service will choose
 * @throws {AppError} `conflict` when another creation of the id is under way
 */
export async function withCreationLock<Result>(
  creationLocks: Database,
  id: string | null,
  work: () => Promise<Result>,
): Promise<Result> {
  if (id === null) return work();
  const key = sql`hashtextextended(${`create catalog ${id}`}, 0)`;
  return creationLocks.withConnection(null, async (connection) => {
    const [row] = await connection.query<{ readonly got: boolean }>(sql`select pg_try_advisory_lock(${key}) as got`);
    if (row?.got !== true)
      throw new AppError('conflict', `A catalog ${JSON.stringify(id)} is being created right now.`);
    try {
      return await work();
    } finally {
      await connection.execute(sql`select pg_advisory_unlock(${key})`);
    }
  });
}
