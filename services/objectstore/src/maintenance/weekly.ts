import { type Connection, sql } from '@holdfast/pg-kit';

/**
 * Runs a rare task when its time has come since anybody last finished it. The caller is the one sweeper there is.
 * @returns whether it ran
 */
export async function runWeekly(connection: Connection, name: string, task: () => Promise<void>): Promise<boolean> {
  const recent = await connection.query(
    sql`select from os_task where name = ${name} and finished_at > now() - interval '7 days'`,
  );
  if (recent.length > 0) return false;
  await task();
  await connection.execute(sql`insert into os_task (name, finished_at) values (${name}, now())
    on conflict (name) do update set finished_at = excluded.finished_at`);
  return true;
}
