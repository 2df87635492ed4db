import { type Connection, type Sql, sql } from '@holdfast/pg-kit';

/**
 * Removes upload jobs with their chunks, whose bytes are queued for removal; `j` is `os_job`.
 * @returns the number of jobs
 */
export async function removeJobs(connection: Connection, which: Sql): Promise<number> {
  // a chunk may be on its way in: its transaction holds the job, so look at the chunks only after that
  await connection.query(sql`select from os_job j where ${which} order by j.id for update`);
  return connection.execute(sql`with gone as (select j.id, j.blob_id from os_job j where ${which}),
    chunks as (delete from os_chunk where job_id in (select id from gone) returning blob_id),
    doomed as (update os_blob set state = 'doomed', doomed_at = now() where id in (select blob_id from chunks)),
    -- one that a version has just got is staged no more
    unfinished as (update os_blob set state = 'doomed', lease_until = null, doomed_at = '-infinity'
      where id in (select blob_id from gone) and state = 'staged')
    delete from os_job where id in (select id from gone)`);
}
