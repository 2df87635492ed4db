import type { Knex } from 'knex';
import type { Database } from './database.js';
import { identifier, sql } from './sql.js';

/** One step of a schema, forward only. Each runs in a transaction of its own. */
export interface Migration {
  /** Sorts the steps and names them in the database: `0001-names`. Never changed once released. */
  readonly name: string;
  up(knex: Knex): Promise<void>;
}

/** Key of the advisory lock under which one process at a time migrates a database ("Holdfast" as a number). */
const MIGRATION_LOCK = '5210797465438512';

/**
 * Brings a database to the newest schema. Safe to call from several processes at once and after a crash: one works, the others
 * wait for it. A schema that is newer than this release is left alone: during an upgrade, and after a rollback, old processes start
 * beside it.
 * @returns names of the steps carried out
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  schemaName = 'public',
): Promise<readonly string[]> {
  const { knex } = database;
  return database.withConnection(null, async ({ client }) => {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    try {
      const config: Knex.MigratorConfig = {
        migrationSource: sourceOf(migrations),
        tableName: 'schema_migrations',
        schemaName,
        // steps of a later release are no fault
        disableMigrationsListValidation: true,
      };
      // Knex keeps a lock row of its own, which a killed process leaves set; the advisory lock already says that nobody works.
      if (await knex.schema.withSchema(schemaName).hasTable('schema_migrations_lock'))
        await knex.migrate.forceFreeMigrationsLock(config);
      const [, done]: [number, string[]] = await knex.migrate.latest(config);
      return done;
    } finally {
      await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    }
  });
}

/**
 * Whether a database still has the schema that this release made of it: a part of the readiness check, for databases that are brought back
 * from a backup beneath a running process.
 * @throws when steps are missing
 */
export async function checkSchema(
  database: Database,
  migrations: readonly Migration[],
  signal: AbortSignal,
  schemaName = 'public',
): Promise<void> {
  const done = await database.withConnection(signal, (connection) =>
    connection.query<{ readonly name: string }>(sql`select name from ${identifier(schemaName, 'schema_migrations')}`),
  );
  const names = new Set(done.map(({ name }) => name));
  const missing = migrations.filter(({ name }) => !names.has(name));
  if (missing.length > 0)
    throw new Error(`The schema lacks ${missing.map(({ name }) => name).join(', ')}: restart the service.`);
}

function sourceOf(migrations: readonly Migration[]): Knex.MigrationSource<Migration> {
  return {
    getMigrations: async () => [...migrations].sort((a, b) => (a.name < b.name ? -1 : 1)),
    getMigrationName: (migration) => migration.name,
    getMigration: async (migration) => ({
      up: (knex) => migration.up(knex),
      down: () => Promise.reject(new Error('Migrations go forward only.')),
    }),
  };
}
