import { type Database, sql } from '@holdfast/pg-kit';
import { catalogMigrations } from '../migrations/catalog-layout.js';
import { runMigrations } from '../migrations/run-migrations.js';

/** Brings catalogs of an older layout to the present one, when a process opens them for the first time (spec/catalog-access.md 12.1). */
export interface CatalogLayouts {
  /** One statement per catalog and process for those that are up to date. */
  ensure(catalogKey: string, database: Database): Promise<void>;
}

/** @param tablePrefix of the built-in tables of new catalogs; older ones keep theirs */
export function catalogLayouts(tablePrefix: string): CatalogLayouts {
  const migrations = catalogMigrations(tablePrefix);
  const ensured = new Map<string, Promise<void>>();
  return {
    ensure: (catalogKey, database) => {
      const known = ensured.get(catalogKey);
      if (known !== undefined) return known;
      const done = isPresent(
        database,
        migrations.map(({ name }) => name),
      )
        .then((present) => (present ? undefined : runMigrations(database, migrations)))
        .catch((error: unknown) => {
          ensured.delete(catalogKey);
          throw error;
        });
      ensured.set(catalogKey, done);
      return done;
    },
  };
}

async function isPresent(database: Database, names: readonly string[]): Promise<boolean> {
  const rows = await database.withConnection(null, (connection) =>
    connection.query(sql`select from _catalog.schema_migrations where name = any(${names}::text[])`),
  );
  return rows.length === names.length;
}
