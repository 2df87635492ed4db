import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@holdfast/http-kit';
import { type Connection, compile, isSystemCollision, join, type Sql, sql, sqlStateOf } from '@holdfast/pg-kit';
import { cancelLateWorkBehind } from './late-work-turn.js';

/**
 * How long DDL waits for a lock at a time. All readers of a table that come later stand behind a statement that waits for its exclusive
 * lock, so one reader that takes long would freeze the others: DDL steps back and lets them pass.
 */
const PATIENCE_MILLISECONDS = 100;
const PAUSE_MILLISECONDS = 50;

const patiently = `savepoint ddl;
  select set_config('_catalog.lock_wait', current_setting('lock_timeout'), true),
         set_config('lock_timeout', '${PATIENCE_MILLISECONDS}', true)`;
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
  for (;;) {
    try {
      await connection.client.query(`${patiently};\n${text};\n${asBefore}`);
      return;
    } catch (error) {
      if (sqlStateOf(error) !== '55P03' && !isSystemCollision(error)) throw error;
      // the time limit of the transaction is back, too
      await connection.client.query('rollback to savepoint ddl');
      if (Date.now() - started > (await mayWait(connection))) throw error;
      await cancelLateWorkBehind(connection);
      await sleep(PAUSE_MILLISECONDS * (1 + Math.random()));
    }
  }
}

/** Milliseconds that the transaction may wait for locks. */
async function mayWait(connection: Connection): Promise<number> {
  const [row] = await connection.query<{ readonly wait: number }>(
    sql`select setting::integer as wait from pg_settings where name = 'lock_timeout'`,
  );
  return row?.wait ?? 0;
}
