import { AppError } from '@holdfast/http-kit';
import knex, { type Knex } from 'knex';
import pg from 'pg';
import { type Connection, connectionOf } from './connection.js';
import { isConnectionLoss } from './sqlstate.js';

/** How a database is reached. */
export interface DatabaseOptions {
  /** `postgres://…` URL, possibly with a password. */
  readonly url: string;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  /** Most connections of this pool. */
  readonly maxConnections: number;
  /** Milliseconds to wait for a free connection before 503. Default 10,000. */
  readonly acquireTimeout?: number;
  /** Milliseconds after which an unused connection is closed. Default 30,000. */
  readonly idleTimeout?: number;
}

/** One database behind a bounded pool. */
export interface Database {
  /** For migrations and fixed queries. */
  readonly knex: Knex;
  /**
   * Lends a connection for a piece of work. When the signal fires, what runs on the connection is cancelled in PostgreSQL and the
   * connection is closed instead of reused.
   */
  withConnection<Result>(
    signal: AbortSignal | null,
    work: (connection: Connection) => Promise<Result>,
  ): Promise<Result>;
  /** {@link withConnection} inside BEGIN … COMMIT; rolled back when the work rejects. */
  transaction<Result>(options: TransactionOptions, work: (connection: Connection) => Promise<Result>): Promise<Result>;
  /** Connections in use and idle. */
  usage(): { readonly used: number; readonly free: number; readonly waiting: number };
  close(): Promise<void>;
}

/** How a transaction runs. */
export interface TransactionOptions {
  readonly signal?: AbortSignal | null;
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  readonly readOnly?: boolean;
}

/** Opens a pool; the first connection is made at first use. */
export function openDatabase(options: DatabaseOptions): Database {
  const connection = clientConfig(options);
  const pool = knex({
    client: 'pg',
    // the same settings; knex declares the parser's format as any text
    connection: connection as Knex.PgConnectionConfig,
    log: silent,
    acquireConnectionTimeout: options.acquireTimeout ?? 10_000,
    pool: {
      min: 0,
      max: options.maxConnections,
      idleTimeoutMillis: options.idleTimeout ?? 30_000,
      propagateCreateError: true,
    },
  });
  const withConnection: Database['withConnection'] = async (signal, work) => {
    signal?.throwIfAborted();
    const client = await acquire(pool);
    const abort = cancelOnAbort(signal, connection, client);
    try {
      return await work(connectionOf(client));
    } catch (error) {
      if (isConnectionLoss(error)) dispose(client);
      if (signal?.aborted === true) throw signal.reason instanceof Error ? signal.reason : error;
      throw error;
    } finally {
      await abort.settled();
      await pool.client.releaseConnection(client);
    }
  };
  return {
    knex: pool,
    withConnection,
    transaction: (transactionOptions, work) =>
      withConnection(transactionOptions.signal ?? null, (lent) => inTransaction(lent, transactionOptions, work)),
    usage: () => {
      const { pool: tarn } = pool.client;
      return { used: tarn?.numUsed() ?? 0, free: tarn?.numFree() ?? 0, waiting: tarn?.numPendingAcquires() ?? 0 };
    },
    close: () => pool.destroy(),
  };
}

/** Knex would print to the terminal; what it has to say comes as errors too. */
const silent = { warn: () => undefined, error: () => undefined, deprecate: () => undefined, debug: () => undefined };

/** Microseconds must survive: dates and times stay the text PostgreSQL gave, in UTC. */
const TEXT_TYPES = new Set<number>([
  pg.types.builtins.TIMESTAMPTZ,
  pg.types.builtins.TIMESTAMP,
  pg.types.builtins.DATE,
  pg.types.builtins.TIME,
  pg.types.builtins.TIMETZ,
  pg.types.builtins.INTERVAL,
]);

/** Driver settings of a connection: session settings that make every output form the same everywhere. */
export function clientConfig(options: Pick<DatabaseOptions, 'url' | 'applicationName'>): pg.ClientConfig {
  return {
    connectionString: options.url,
    application_name: options.applicationName,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    options: '-c timezone=UTC -c datestyle=ISO,YMD -c intervalstyle=postgres -c client_encoding=UTF8 -c jit=off',
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        TEXT_TYPES.has(oid) ? (text: string) => text : pg.types.getTypeParser(oid, format as 'text'),
    } as pg.CustomTypesConfig,
  };
}

async function acquire(pool: Knex): Promise<pg.Client> {
  try {
    return await pool.client.acquireConnection();
  } catch (error) {
    throw new AppError('unavailable', 'The database gave no connection in time; try again in a moment.', {
      cause: error,
    });
  }
}

/** Knex drops a connection marked like this instead of lending it again. */
function dispose(client: pg.Client): void {
  Object.assign(client, { __knex__disposed: 'closed by its last user' });
}

/**
 * While the work runs, an abort asks PostgreSQL, over a connection of its own, to cancel the backend. The lent connection is not
 * reused after that: a late cancel must not hit somebody else's statement.
 */
function cancelOnAbort(
  signal: AbortSignal | null,
  config: pg.ClientConfig,
  client: pg.Client,
): { settled(): Promise<void> } {
  if (signal === null) return { settled: async () => undefined };
  let cancelling: Promise<void> = Promise.resolve();
  const onAbort = (): void => {
    dispose(client);
    cancelling = cancelBackend(config, client);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    settled: async () => {
      signal.removeEventListener('abort', onAbort);
      await cancelling;
    },
  };
}

async function cancelBackend(config: pg.ClientConfig, target: pg.Client): Promise<void> {
  const processId = 'processID' in target && typeof target.processID === 'number' ? target.processID : null;
  if (processId === null) return;
  const canceller = new pg.Client(config);
  canceller.on('error', () => undefined);
  try {
    await canceller.connect();
    await canceller.query('select pg_cancel_backend($1)', [processId]);
  } catch {
    // the server is away: then the statement is too
  } finally {
    await canceller.end().catch(() => undefined);
  }
}

async function inTransaction<Result>(
  connection: Connection,
  options: TransactionOptions,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const mode = options.readOnly === true ? ' read only' : '';
  await connection.client.query(`begin isolation level ${options.isolation ?? 'read committed'}${mode}`);
  try {
    const result = await work(connection);
    options.signal?.throwIfAborted();
    await connection.client.query('commit');
    return result;
  } catch (error) {
    await connection.client.query('rollback').catch(() => dispose(connection.client as pg.Client));
    throw error;
  }
}
