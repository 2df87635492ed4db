import { randomBytes } from 'node:crypto';
import pg from 'pg';

export type TestDatabase = {
  readonly url: string;
  /** Drops the database, with the connections that are still open in it. */
  drop(): Promise<void>;
};

/**
 * The URL of the PostgreSQL server of this test run, of its superuser, for the database `postgres`.
 * Throws when the tests were started without the workspace's Jest configuration, which starts that server.
 */
export function testPostgresUrl(): string {
  const url = process.env.HOLDFAST_TEST_POSTGRES;
  if (url) return url;
  throw new Error(
    'HOLDFAST_TEST_POSTGRES is not set. Run the tests with the jest.config.js of the workspace, whose global set-up ' +
      'starts a PostgreSQL, or set it to the URL of a superuser of a server for tests.',
  );
}

/** Creates an empty database with a name of its own, `<prefix>_<random>`, on the server of this test run. */
export async function createTestDatabase(prefix = 'test'): Promise<TestDatabase> {
  const name = `${prefix}_${randomBytes(6).toString('hex')}`;
  await onServer(`CREATE DATABASE ${pg.escapeIdentifier(name)}`);
  const url = new URL(testPostgresUrl());
  url.pathname = `/${encodeURIComponent(name)}`;
  return {
    url: url.href,
    drop: () => onServer(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`),
  };
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: testPostgresUrl() });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
