import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase, testPostgresUrl } from './postgres.js';

describe('a test database', () => {
  let database: TestDatabase | undefined;
  afterEach(() => database?.drop());

  it('is empty, in UTF-8, and sorts by code point', async () => {
    database = await createTestDatabase('testkit');
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const answer = await client.query(
      `SELECT current_database() AS name, pg_encoding_to_char(encoding) AS encoding, datlocprovider AS provider,
              'Z' < 'a' AS by_code_point, upper('ä') AS upper
         FROM pg_database WHERE datname = current_database()`,
    );
    await client.end();
    expect(answer.rows).toEqual([
      {
        name: expect.stringMatching(/^testkit_[0-9a-f]{12}$/),
        encoding: 'UTF8',
        provider: 'b',
        by_code_point: true,
        upper: 'Ä',
      },
    ]);
  });

  it('goes away with connections open in it', async () => {
    database = await createTestDatabase();
    const client = new pg.Client({ connectionString: database.url });
    const closed = new Promise((resolve) => client.on('error', resolve));
    await client.connect();
    await database.drop();
    await closed;
    await expect(new pg.Client({ connectionString: database.url }).connect()).rejects.toThrow('does not exist');
  });

  it('is refused with a helpful sentence when no server was started', () => {
    const url = process.env.HOLDFAST_TEST_POSTGRES;
    delete process.env.HOLDFAST_TEST_POSTGRES;
    try {
      expect(() => testPostgresUrl()).toThrow('HOLDFAST_TEST_POSTGRES is not set');
    } finally {
      process.env.HOLDFAST_TEST_POSTGRES = url;
    }
  });
});
