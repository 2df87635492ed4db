import { type Database, type Migration, migrate, sql } from '@holdfast/pg-kit';

/** Key of the lock under which one process at a time makes the schema in which the list of migrations stands. */
const SCHEMA_LOCK = '5210797465438514';

/** Brings a database to the newest layout; safe when several processes do it at once. */
export async function runMigrations(database: Database, migrations: readonly Migration[]): Promise<void> {
  await database.transaction({}, async (connection) => {
    await connection.execute(sql`select pg_advisory_xact_lock(${SCHEMA_LOCK}::bigint)`);
    await connection.execute(sql`create schema if not exists _catalog`);
  });
  await migrate(database, migrations, '_catalog');
}
