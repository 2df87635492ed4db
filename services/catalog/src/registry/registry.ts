import { AppError } from '@holdfast/http-kit';
import { type Connection, checkSchema, type Database, identifier, openDatabase, type Sql, sql } from '@holdfast/pg-kit';
import { beginChange, type Change, recordSnapshot } from '../history/change.js';
import { catalogMigrations } from '../migrations/catalog-layout.js';
import { registryMigrations } from '../migrations/registry-layout.js';
import { runMigrations } from '../migrations/run-migrations.js';

/** The registry: which catalogs and aliases there are and where each catalog is stored. Laid out like a catalog itself. */
export interface Registry {
  readonly database: Database;
  readonly databaseUrl: string;
  /** The table `registry`, quoted. */
  readonly table: Sql;
  /**
   * Runs a change of the registry as one snapshot of it, under its writer lock.
   * @param client id of who makes the change
   */
  change<Result>(
    client: string | null,
    work: (connection: Connection, change: Change) => Promise<Result>,
  ): Promise<Result>;
  /** Rejects when the registry does not answer, or is not the one that was opened. */
  check(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** How the registry is reached and named. */
export interface RegistryOptions {
  readonly url: string;
  readonly maxConnections: number;
  /** Schema of its table and prefix of the built-in tables, when they are made for the first time. */
  readonly schemaName: string;
  readonly tablePrefix: string;
}

/** Opens the registry and brings it to the newest layout. Safe when several processes start at once. */
export async function openRegistry(options: RegistryOptions): Promise<Registry> {
  const database = openDatabase({
    url: options.url,
    applicationName: 'holdfast-catalog registry',
    maxConnections: options.maxConnections,
  });
  try {
    const steps = [...catalogMigrations(options.tablePrefix), ...registryMigrations(options.schemaName)];
    await runMigrations(database, steps);
    const { rid, table } = await database.withConnection(null, findTable);
    return {
      database,
      databaseUrl: options.url,
      table,
      change: (client, work) =>
        database.transaction({}, async (connection) => {
          const change = await beginChange(connection, client);
          const result = await work(connection, change);
          await recordSnapshot(connection, change, { model: false, tables: [rid] });
          return result;
        }),
      check: (signal) => checkSchema(database, steps, signal, '_catalog'),
      close: () => database.close(),
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The schema has the name of the profile under which the registry was made. */
async function findTable(connection: Connection): Promise<{ readonly rid: string; readonly table: Sql }> {
  const [row] = await connection.query<{ readonly rid: string; readonly schema: string; readonly name: string }>(
    sql`select t.rid, s.doc->>'name' as schema, t.doc->>'name' as name
          from _catalog.elem t join _catalog.elem s on s.rid = t.parent and s.kind = 'schema' and s.hi = 'infinity'
         where t.kind = 'table' and t.hi = 'infinity' and t.doc->>'builtin' = 'registry'`,
  );
  if (row === undefined) throw new AppError('internal', 'The registry database lacks its table.');
  return { rid: row.rid, table: identifier(row.schema, row.name) };
}
