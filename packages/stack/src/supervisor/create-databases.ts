import pg from 'pg';

/** Creates those of the databases that the server does not have yet. `url` is of its superuser. */
export async function createMissingDatabases(url: string, names: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const found = await client.query<{ datname: string }>('SELECT datname FROM pg_database');
    const existing = new Set(found.rows.map((row) => row.datname));
    for (const name of names) {
      if (!existing.has(name)) await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`);
    }
  } finally {
    await client.end();
  }
}
