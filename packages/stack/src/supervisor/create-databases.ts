import pg from 'pg';

/** Creates those of the databases that the server does not have yet. `url` is of its superuser. */
export async function createMissingDatabases(url: string, names: readonly string[]): Promise<void> {
  const found = await onServer(url, 'SELECT datname AS name FROM pg_database');
  const existing = new Set(found.map((row) => row.name));
  // each takes some 300 new files, and two or more at once half of the time
  const missing = names.filter((name) => !existing.has(name));
  await Promise.all(missing.map((name) => onServer(url, `CREATE DATABASE ${pg.escapeIdentifier(name)}`)));
}

async function onServer(url: string, statement: string): Promise<readonly { readonly name: string }[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<{ name: string }>(statement)).rows;
  } finally {
    await client.end();
  }
}
