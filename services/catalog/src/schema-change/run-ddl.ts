import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@holdfast/http-kit';
import { type Connection, compile, isSystemCollision, join, type Sql, sql, sqlStateOf } from '@holdfast/pg-kit';
import { cancelLateWorkBehind, LATE_WORK_APPLICATION } from './late-work-turn.js';

/**
 * How long DDL waits for a lock at a time. All readers of a table that come later stand behind a statement that waits for its exclusive
 * lock, so one reader that takes long would freeze the others: DDL steps back and lets them pass.
 */
const PATIENCE_MILLISECONDS = 100;
const PAUSE_MILLISECONDS = 50;

/**
 * Autovacuum gives way only to a statement that has waited for `deadlock_timeout`: where one is at work, DDL waits for so long and this,
 * but not each time, since others who hold the same lock (VACUUM by hand) do not give way at all.
 */
const BEYOND_DEADLOCK_MILLISECONDS = 200;
const BETWEEN_LONG_TRIES_MILLISECONDS = 3_000;

const patiently = (milliseconds: number): string => `savepoint ddl;
  select set_config('_catalog.lock_wait', current_setting('lock_timeout'), true),
         set_config('lock_timeout', '${milliseconds}', true)`;
const asBefore = `select set_config('lock_timeout', current_setting('_catalog.lock_wait'), true);
  release savepoint ddl`;

/**
 * Runs DDL in one message, again and again until it has its locks, as long as the transaction may wait for locks
 * (spec/catalog-model.md 1.5: then 503).
 */
export async function runDdl(connection: Connection, statements: readonly Sql[]): Promise<void> {
  if (statements.length === 0) return;
  const { text, values } = compile(join(statements, ';\n'));
  if (values.length > 0) throw new AppError('internal', 'A statement that changes the database has parameters.');
  const started = Date.now();
  let patience = PATIENCE_MILLISECONDS;
  let lastLongTry = Number.NEGATIVE_INFINITY;
  for (;;) {
    try {
      await connection.client.query(`${patiently(patience)};\n${text};\n${asBefore}`);
      return;
    } catch (error) {
      if (sqlStateOf(error) !== '55P03' && !isSystemCollision(error)) throw error;
      // the time limit of the transaction is back, too
      await connection.client.query('rollback to savepoint ddl');
      if (Date.now() - started > (await mayWait(connection))) throw error;
      await cancelLateWorkBehind(connection);
      await sleep(PAUSE_MILLISECONDS * (1 + Math.random()));
      const mayBeLong = Date.now() - lastLongTry > BETWEEN_LONG_TRIES_MILLISECONDS;
      const longer = mayBeLong ? await maintenancePatience(connection) : null;
      if (longer !== null) lastLongTry = Date.now();
      patience = longer ?? PATIENCE_MILLISECONDS;
    }
  }
}

/** How many milliseconds make autovacuum give way; null when no table of this database is under maintenance but by late work of ours. */
async function maintenancePatience(connection: Connection): Promise<number | null> {
  const [row] = await connection.query<{ readonly patience: number }>(
    sql`select setting::integer + ${BEYOND_DEADLOCK_MILLISECONDS}::integer as patience
          from pg_settings where name = 'deadlock_timeout' and exists (
            select from pg_locks l left join pg_stat_activity a on a.pid = l.pid
             where locktype = 'relation' and mode = 'ShareUpdateExclusiveLock' and granted and l.pid <> pg_backend_pid()
               and database = (select oid from pg_database where datname = current_database())
               and a.application_name is distinct from ${LATE_WORK_APPLICATION})`,
  );
  return row?.patience ?? null;
}

/** Milliseconds that the transaction may wait for locks. */
async function mayWait(connection: Connection): Promise<number> {
  const [row] = await connection.query<{ readonly wait: number }>(
    sql`select setting::integer as wait from pg_settings where name = 'lock_timeout'`,
  );
  return row?.wait ?? 0;
}
