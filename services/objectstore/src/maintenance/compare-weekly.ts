import { asLeader, type Connection, sql } from '@holdfast/pg-kit';
import { type ReconcileParts, type ReconcileReport, reconcile } from './reconcile.js';

/** Key of the advisory lock that makes one process compare ("objcompa" as a number). */
const COMPARE_LOCK = '8026933403060593761';

/**
 * Compares the store with the rows when nobody has finished that for a week (spec/objectstore.md 13.5). It takes long where there is much, so
 * it has a lock of its own and sweeping goes on meanwhile.
 * @returns null when it was not done now
 */
export async function compareWeekly(parts: ReconcileParts, signal: AbortSignal): Promise<ReconcileReport | null> {
  return asLeader(parts.database, COMPARE_LOCK, signal, async (connection) => {
    if (await isRecent(connection)) return null;
    const report = await reconcile(parts, new Date(), signal);
    parts.log.info({ unknown: report.removed, missing: report.missing }, 'the store was compared with the rows');
    await connection.execute(sql`insert into os_task (name, finished_at) values (${TASK}, now())
      on conflict (name) do update set finished_at = excluded.finished_at`);
    return report;
  });
}

const TASK = 'reconcile';

async function isRecent(connection: Connection): Promise<boolean> {
  const recent = await connection.query(
    sql`select from os_task where name = ${TASK} and finished_at > now() - interval '7 days'`,
  );
  return recent.length > 0;
}
