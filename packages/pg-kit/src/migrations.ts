import type { Knex } from 'knex';
import type { Database } from './database.js';

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
 * wait for it.
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
