import { type Connection, type Database, fromDatabase, type Sql, sql, trusted } from '@holdfast/pg-kit';
import { insertOutputs, readOutputs } from './export-outputs.js';
import {
  type ExportFailure,
  type ExportOutput,
  type ExportProgress,
  type ExportRecord,
  RECORD_COLUMNS,
  recordOf,
} from './export-record.js';
import {
  daysOfExports,
  type ExpiredExport,
  expiredExports,
  IS_SETTLED,
  takeUncleaned,
  type UncleanExport,
} from './export-retention.js';
import { type ExportEvent, transitions } from './export-state.js';
import {
  type Attempt,
  admitWaiting,
  type Creation,
  insertExport,
  type NewExport,
  type SealedCredential,
  type ShareLimits,
} from './export-turns.js';

/** Channel on which every change of a state is announced, with the id as payload. */
export const CHANGES_CHANNEL = 'ex_export';

/** Seconds for which a worker is believed to live after its last sign. */
export const LEASE_SECONDS = 20;

/** How often a worker may take up an export: a second crash is final (spec/export.md 13.3). */
export const MOST_ATTEMPTS = 2;

/** The truth about exports: PostgreSQL. Every change of state goes through the table of transitions. */
export interface ExportStore {
  create(made: NewExport, limits: ShareLimits): Promise<Creation>;
  find(id: string): Promise<ExportRecord | null>;
  outputs(id: string): Promise<readonly ExportOutput[]>;
  credential(id: string): Promise<SealedCredential | null>;
  /** Takes an export up. Null when somebody else has it, or it is over. */
  claim(id: string): Promise<ExportRecord | null>;
  /** Renews the lease and says how far it is. False when this run does not count any more. */
  beat(attempt: Attempt, progress: ExportProgress): Promise<boolean>;
  /** Publishes: outputs and state in one transaction. False when this run does not count any more. */
  complete(attempt: Attempt, results: RunResults, retentionSeconds: number): Promise<boolean>;
  /** Ends a run with a reason. False when this run does not count any more. */
  fail(attempt: Attempt, failure: ExportFailure, retentionSeconds: number): Promise<boolean>;
  /** Ends an export that no worker has taken up. */
  failQueued(id: string, failure: ExportFailure, retentionSeconds: number): Promise<boolean>;
  /** Puts back what a worker that stops had taken up. */
  release(attempt: Attempt): Promise<void>;
  /** False when it was over already. */
  cancel(id: string, retentionSeconds: number): Promise<boolean>;
  /** Cancels an export that nobody waits for any more. */
  cancelUnwatched(id: string, retentionSeconds: number): Promise<boolean>;
  /** Somebody waits for an export; with `for ever`, it goes on by itself. */
  watch(id: string, seconds: number | 'for ever'): Promise<void>;
  /** Says of a run that was cancelled that it has ended: nothing is stored any more. */
  ended(attempt: Attempt): Promise<void>;
  /** Whether nothing of an export can arrive at the store any more: its runs have ended, and what they left was looked for. */
  isSettled(id: string): Promise<boolean>;
  /** Lets an export be past its time: nobody sees it any more, and it will be removed. */
  expire(id: string): Promise<void>;
  /** Forgets an export that is over, with its log. */
  remove(id: string): Promise<void>;
  appendLog(id: string, text: string): Promise<void>;
  log(id: string): Promise<string>;
  /** Bytes of the log. */
  logBytes(id: string): Promise<number>;
  isRunning(attempt: Attempt): Promise<boolean>;
  /**
   * Gives the next of each user their turn, as far as earlier ones have ended.
   * @returns what belongs into the queue now
   */
  admit(concurrent: number): Promise<readonly Attempt[]>;
  /** Exports of an owner, newest first. @param after id of the last one seen; null when it is none of theirs */
  list(owner: string, limit: number, after: string | null): Promise<readonly ExportRecord[] | null>;
  /** Exports past their time, oldest first: they are to be removed with all they stored. */
  expired(limit: number): Promise<readonly ExpiredExport[]>;
  /** Takes on exports whose runs may have stored what nobody will find: to be removed, or {@link uncleaned} again. */
  takeUncleaned(limit: number, afterSeconds: number): Promise<readonly UncleanExport[]>;
  uncleaned(id: string): Promise<void>;
  /** Days (`YYYY-MM-DD`) of which there are exports. */
  days(): Promise<readonly string[]>;
  /** Notes that an export was put into the queue. */
  enqueued(id: string): Promise<void>;
  /** Gives up runs whose worker is gone. */
  expireLeases(failure: ExportFailure, retentionSeconds: number): Promise<readonly SweptExport[]>;
  /** Ends exports that waited longer than this for a worker. */
  expireWaiting(waitSeconds: number, failure: ExportFailure, retentionSeconds: number): Promise<readonly string[]>;
  /** Exports that wait and were last put into the queue longer ago than this, with how often they were taken up. */
  notInQueue(seconds: number): Promise<readonly Attempt[]>;
  /** @returns how many there were */
  dropExpiredCredentials(): Promise<number>;
}

/** What a run has made. */
export interface RunResults {
  readonly outputs: readonly ExportOutput[];
  readonly progress: ExportProgress;
}

/** What became of a run whose lease ran out. */
export interface SweptExport {
  readonly id: string;
  readonly state: 'queued' | 'failed';
}

/** The store over a database that is migrated. */
export function exportStore(database: Database): ExportStore {
  const run = <Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> =>
    database.withConnection(null, work).catch(rethrow);
  const inTransaction = <Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> =>
    database.transaction({}, work).catch(rethrow);
  const end = (attempt: Attempt, event: 'complete' | 'fail', more: Sql, outputs: readonly ExportOutput[]) =>
    inTransaction(async (connection) => {
      const moved = await move(connection, event, more, sql`id = ${attempt.id} and attempt = ${attempt.attempt}`);
      if (moved.length === 0) return false;
      await insertOutputs(connection, attempt.id, outputs);
      return true;
    });
  return {
    create: (made, limits) => inTransaction((connection) => insertExport(connection, made, limits)),
    find: (id) =>
      run(async (connection) => {
        const [row] = await connection.query(
          sql`select ${trusted(RECORD_COLUMNS)} from ex_export where id = ${id} and (expires is null or expires > now())`,
        );
        return row === undefined ? null : recordOf(row);
      }),
    outputs: (id) => run((connection) => readOutputs(connection, id)),
    credential: (id) => run((connection) => readCredential(connection, id)),
    claim: (id) =>
      inTransaction(async (connection) => {
        const change = sql`attempt = attempt + 1, started = coalesce(started, now()), ${newLease()}`;
        const [row] = await move(connection, 'claim', change, sql`id = ${id}`);
        return row === undefined ? null : recordOf(row);
      }),
    beat: ({ id, attempt }, progress) =>
      run(async (connection) => {
        const count = await connection.execute(
          sql`update ex_export set ${newLease()}, progress = ${JSON.stringify(progress)}::jsonb
              where id = ${id} and attempt = ${attempt} and state = 'running'`,
        );
        return count === 1;
      }),
    complete: (attempt, { outputs, progress }, retention) => {
      const change = sql`progress = ${JSON.stringify(progress)}::jsonb, ${finished(retention)}`;
      return end(attempt, 'complete', change, outputs);
    },
    fail: (attempt, failure, retention) => end(attempt, 'fail', failed(failure, retention), []),
    failQueued: (id, failure, retention) =>
      inTransaction(async (connection) => {
        const where = sql`id = ${id} and state = 'queued'`;
        return (await move(connection, 'fail', neverRan(failure, retention), where)).length === 1;
      }),
    release: ({ id, attempt }) =>
      inTransaction(async (connection) => {
        await move(connection, 'requeue', waitAgain(), sql`id = ${id} and attempt = ${attempt}`);
      }),
    cancel: (id, retention) =>
      inTransaction(
        async (connection) => (await move(connection, 'cancel', cancelled(retention), sql`id = ${id}`)).length === 1,
      ),
    cancelUnwatched: (id, retention) =>
      inTransaction(async (connection) => {
        const where = sql`id = ${id} and (watched_until is null or watched_until < now())`;
        return (await move(connection, 'cancel', cancelled(retention), where)).length === 1;
      }),
    watch: (id, seconds) =>
      run(async (connection) => {
        const until = seconds === 'for ever' ? sql`'infinity'` : sql`now() + make_interval(secs => ${seconds})`;
        await connection.execute(
          sql`update ex_export set watched_until = greatest(watched_until, ${until}) where id = ${id}`,
        );
      }),
    ended: ({ id, attempt }) =>
      run(async (connection) => {
        await connection.execute(
          sql`update ex_export set lease_until = null where id = ${id} and attempt = ${attempt} and state = 'cancelled'`,
        );
      }),
    isSettled: (id) =>
      run(async (connection) => {
        const rows = await connection.query(sql`select from ex_export where id = ${id} and not ${trusted(IS_SETTLED)}`);
        return rows.length === 0;
      }),
    expire: (id) =>
      run(async (connection) => {
        await connection.execute(sql`update ex_export set expires = now() where id = ${id} and finished is not null`);
      }),
    remove: (id) =>
      run(async (connection) => {
        await connection.execute(sql`delete from ex_export where id = ${id}`);
      }),
    appendLog: (id, text) =>
      run(async (connection) => {
        // the export may have been discarded meanwhile
        await connection.execute(
          sql`insert into ex_log (export_id, text) select id, ${text} from ex_export where id = ${id}`,
        );
      }),
    log: (id) =>
      run(async (connection) => {
        const rows = await connection.query<{ text: string }>(
          sql`select text from ex_log where export_id = ${id} order by seq`,
        );
        return rows.map(({ text }) => text).join('');
      }),
    logBytes: (id) =>
      run(async (connection) => {
        const [row] = await connection.query<{ bytes: number }>(
          sql`select coalesce(sum(octet_length(text)), 0)::int as bytes from ex_log where export_id = ${id}`,
        );
        return row?.bytes ?? 0;
      }),
    isRunning: ({ id, attempt }) =>
      run(async (connection) => {
        const rows = await connection.query(
          sql`select 1 from ex_export where id = ${id} and attempt = ${attempt} and state = 'running'`,
        );
        return rows.length === 1;
      }),
    enqueued: (id) =>
      run(async (connection) => {
        await connection.execute(sql`update ex_export set enqueued = now() where id = ${id}`);
      }),
    admit: (concurrent) => inTransaction((connection) => admitWaiting(connection, concurrent)),
    list: (owner, limit, after) => run((connection) => listOwn(connection, owner, limit, after)),
    expired: (limit) => run((connection) => expiredExports(connection, limit)),
    takeUncleaned: (limit, afterSeconds) => run((connection) => takeUncleaned(connection, limit, afterSeconds)),
    uncleaned: (id) =>
      run(async (connection) => {
        await connection.execute(sql`update ex_export set cleaned = null where id = ${id}`);
      }),
    days: () => run(daysOfExports),
    expireLeases: (failure, retention) => inTransaction((connection) => expireLeases(connection, failure, retention)),
    expireWaiting: (seconds, failure, retention) =>
      inTransaction(async (connection) => {
        const where = sql`state = 'queued' and admitted < now() - make_interval(secs => ${seconds})`;
        return idsOf(await move(connection, 'fail', neverRan(failure, retention), where));
      }),
    notInQueue: (seconds) =>
      run((connection) =>
        connection.query<Attempt>(
          sql`select id, attempt from ex_export where state = 'queued' and admitted is not null
              and (enqueued is null or enqueued < now() - make_interval(secs => ${seconds})) order by queued`,
        ),
      ),
    dropExpiredCredentials: () =>
      run((connection) => connection.execute(sql`delete from ex_credential where expires < now()`)),
  };
}

async function listOwn(
  connection: Connection,
  owner: string,
  limit: number,
  after: string | null,
): Promise<readonly ExportRecord[] | null> {
  let before = sql`true`;
  if (after !== null) {
    const known = await connection.query(sql`select 1 from ex_export where id = ${after} and owner = ${owner}`);
    if (known.length === 0) return null;
    before = sql`(created, id) < (select created, id from ex_export where id = ${after})`;
  }
  const rows = await connection.query(
    sql`select ${trusted(RECORD_COLUMNS)} from ex_export
        where owner = ${owner} and (expires is null or expires > now()) and ${before}
        order by ex_export.created desc, id desc limit ${limit}`,
  );
  return rows.map(recordOf);
}

/**
 * The only statement that changes a state: from where the table of transitions allows it, announced when the transaction commits.
 * An export that is over keeps no credential.
 * @returns the rows after the change
 */
async function move(
  connection: Connection,
  event: ExportEvent,
  change: Sql,
  where: Sql,
): Promise<readonly Record<string, unknown>[]> {
  const { from, to } = transitions[event];
  const rows = await connection.query(
    sql`update ex_export set state = ${to}, ${change} where state = any(${from}) and ${where}
        returning ${trusted(RECORD_COLUMNS)}`,
  );
  const ids = idsOf(rows);
  if (ids.length === 0) return rows;
  if (to !== 'queued' && to !== 'running') {
    await connection.execute(sql`delete from ex_credential where export_id = any(${ids}::uuid[])`);
  }
  await connection.query(sql`select pg_notify(${CHANGES_CHANNEL}, id) from unnest(${ids}::text[]) as id`);
  return rows;
}

function newLease(): Sql {
  return sql`lease_until = now() + make_interval(secs => ${LEASE_SECONDS})`;
}

function waitAgain(): Sql {
  return sql`lease_until = null, queued = now(), admitted = now(), enqueued = null`;
}

function finished(retentionSeconds: number): Sql {
  return sql`lease_until = null, ${over(retentionSeconds)}`;
}

/** The lease stays: until its run notices, it may be storing something. */
function cancelled(retentionSeconds: number): Sql {
  return sql`idempotency_key = null, ${over(retentionSeconds)}`;
}

function over(retentionSeconds: number): Sql {
  return sql`finished = now(), expires = now() + make_interval(secs => ${retentionSeconds})`;
}

function failed(failure: ExportFailure, retentionSeconds: number): Sql {
  return sql`error = ${JSON.stringify(failure)}::jsonb, ${finished(retentionSeconds)}`;
}

/** A repeat of a request that no worker took up shall be a new try. */
function neverRan(failure: ExportFailure, retentionSeconds: number): Sql {
  return sql`idempotency_key = null, ${failed(failure, retentionSeconds)}`;
}

async function expireLeases(
  connection: Connection,
  failure: ExportFailure,
  retention: number,
): Promise<readonly SweptExport[]> {
  const lost = sql`state = 'running' and lease_until < now()`;
  const again = await move(connection, 'requeue', waitAgain(), sql`${lost} and attempt < ${MOST_ATTEMPTS}`);
  const over = await move(connection, 'fail', failed(failure, retention), lost);
  return [
    ...idsOf(again).map((id) => ({ id, state: 'queued' as const })),
    ...idsOf(over).map((id) => ({ id, state: 'failed' as const })),
  ];
}

async function readCredential(connection: Connection, id: string): Promise<SealedCredential | null> {
  const [row] = await connection.query<{ key_id: string; sealed: string; expires: string }>(
    sql`select key_id, sealed, expires from ex_credential where export_id = ${id}`,
  );
  return row === undefined ? null : { keyId: row.key_id, sealed: row.sealed, expires: new Date(row.expires) };
}

function idsOf(rows: readonly Record<string, unknown>[]): readonly string[] {
  return rows.map(({ id }) => String(id));
}

function rethrow(error: unknown): never {
  throw fromDatabase(error);
}
