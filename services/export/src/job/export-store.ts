import { type Connection, type Database, fromDatabase, join, type Sql, sql, trusted } from '@holdfast/pg-kit';
import type { ExportKind, ExportRequest } from '../request/export-request.js';
import {
  type ExportFailure,
  type ExportOutput,
  type ExportProgress,
  type ExportRecord,
  initialProgress,
  RECORD_COLUMNS,
  recordOf,
} from './export-record.js';
import { type ExportEvent, transitions } from './export-state.js';

/** Channel on which every change of a state is announced, with the id as payload. */
export const CHANGES_CHANNEL = 'ex_export';

/** Seconds for which a worker is believed to live after its last sign. */
export const LEASE_SECONDS = 20;

/** How often a worker may take up an export: a second crash is final (spec/export.md 13.3). */
export const MOST_ATTEMPTS = 2;

/** An export that is to be. */
export interface NewExport {
  readonly id: string;
  readonly owner: string | null;
  readonly ownerName: string | null;
  readonly readers: readonly string[];
  readonly kind: ExportKind;
  readonly request: ExportRequest;
  readonly exportUrl: string;
  /** Null: the caller is anonymous. */
  readonly credential: SealedCredential | null;
}

/** The caller's credential as it lies in the database. */
export interface SealedCredential {
  readonly keyId: string;
  readonly sealed: string;
  readonly expires: Date;
}

/** Which run of an export a worker speaks for; one that was given up for dead must lose. */
export interface Attempt {
  readonly id: string;
  readonly attempt: number;
}

/** The truth about exports: PostgreSQL. Every change of state goes through the table of transitions. */
export interface ExportStore {
  create(made: NewExport): Promise<void>;
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
  /** Forgets an export that is over, with its log. */
  remove(id: string): Promise<void>;
  appendLog(id: string, text: string): Promise<void>;
  log(id: string): Promise<string>;
  isRunning(attempt: Attempt): Promise<boolean>;
  /** Notes that an export was put into the queue. */
  enqueued(id: string): Promise<void>;
  /** Gives up runs whose worker is gone. */
  expireLeases(failure: ExportFailure, retentionSeconds: number): Promise<readonly SweptExport[]>;
  /** Ends exports that waited longer than this for a worker. */
  expireWaiting(waitSeconds: number, failure: ExportFailure, retentionSeconds: number): Promise<readonly string[]>;
  /** Exports that wait and were last put into the queue longer ago than this, with how often they were taken up. */
  notInQueue(seconds: number): Promise<readonly Attempt[]>;
  dropExpiredCredentials(): Promise<void>;
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
    create: (made) => inTransaction((connection) => create(connection, made)),
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
        return (await move(connection, 'fail', failed(failure, retention), where)).length === 1;
      }),
    release: ({ id, attempt }) =>
      inTransaction(async (connection) => {
        await move(connection, 'requeue', waitAgain(), sql`id = ${id} and attempt = ${attempt}`);
      }),
    cancel: (id, retention) =>
      inTransaction(
        async (connection) => (await move(connection, 'cancel', finished(retention), sql`id = ${id}`)).length === 1,
      ),
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
    expireLeases: (failure, retention) => inTransaction((connection) => expireLeases(connection, failure, retention)),
    expireWaiting: (seconds, failure, retention) =>
      inTransaction(async (connection) => {
        const where = sql`state = 'queued' and queued < now() - make_interval(secs => ${seconds})`;
        return idsOf(await move(connection, 'fail', failed(failure, retention), where));
      }),
    notInQueue: (seconds) =>
      run((connection) =>
        connection.query<Attempt>(
          sql`select id, attempt from ex_export where state = 'queued'
              and (enqueued is null or enqueued < now() - make_interval(secs => ${seconds})) order by queued`,
        ),
      ),
    dropExpiredCredentials: () =>
      run(async (connection) => {
        await connection.execute(sql`delete from ex_credential where expires < now()`);
      }),
  };
}

async function create(connection: Connection, made: NewExport): Promise<void> {
  const { id, credential } = made;
  const progress = JSON.stringify(initialProgress(made.request.queries.length));
  await connection.execute(
    sql`insert into ex_export (id, owner, owner_name, readers, kind, state, request, export_url, progress, enqueued)
        values (${id}, ${made.owner}, ${made.ownerName}, ${made.readers}, ${made.kind}, 'queued',
                ${JSON.stringify(made.request)}::jsonb, ${made.exportUrl}, ${progress}::jsonb, now())`,
  );
  if (credential === null) return;
  await connection.execute(
    sql`insert into ex_credential (export_id, key_id, sealed, expires)
        values (${id}, ${credential.keyId}, ${credential.sealed}, ${credential.expires.toISOString()})`,
  );
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
  return sql`lease_until = null, queued = now(), enqueued = null`;
}

function finished(retentionSeconds: number): Sql {
  return sql`finished = now(), lease_until = null, expires = now() + make_interval(secs => ${retentionSeconds})`;
}

function failed(failure: ExportFailure, retentionSeconds: number): Sql {
  return sql`error = ${JSON.stringify(failure)}::jsonb, ${finished(retentionSeconds)}`;
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

async function insertOutputs(connection: Connection, id: string, outputs: readonly ExportOutput[]): Promise<void> {
  if (outputs.length === 0) return;
  const rows = outputs.map(
    (output, index) =>
      sql`(${id}, ${index}, ${output.path}, ${output.versionPath}, ${output.bytes}, ${output.contentType},
           ${output.md5}, ${output.sha256})`,
  );
  // 8 parameters a row, 65,535 in a statement
  for (let at = 0; at < rows.length; at += 5_000) {
    await connection.execute(
      sql`insert into ex_output (export_id, ordinal, path, object_version_url, bytes, content_type, md5, sha256)
          values ${join(rows.slice(at, at + 5_000))}`,
    );
  }
}

async function readOutputs(connection: Connection, id: string): Promise<readonly ExportOutput[]> {
  const rows = await connection.query<{
    path: string;
    object_version_url: string;
    bytes: string;
    content_type: string;
    md5: string;
    sha256: string;
  }>(
    sql`select path, object_version_url, bytes, content_type, md5, sha256 from ex_output
        where export_id = ${id} order by ordinal`,
  );
  return rows.map(({ path, object_version_url, bytes, content_type, md5, sha256 }) => ({
    path,
    versionPath: object_version_url,
    bytes: Number(bytes),
    contentType: content_type,
    md5,
    sha256,
  }));
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
