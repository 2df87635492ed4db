import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../src/postgres.js';

// packages/testkit/dist/faults
const workspace = fileURLToPath(new URL('../../../..', import.meta.url));
const limit = 120_000;

describe('the command that migrates', () => {
  let own: TestDatabase;
  let identity: TestDatabase;
  beforeAll(async () => {
    own = await createTestDatabase('migrate');
    identity = await createTestDatabase('migrate_identity');
  });
  afterAll(async () => {
    await own.drop();
    await identity.drop();
  });

  it.each([
    ['catalog', 'REGISTRY_DATABASE_URL', '_catalog'],
    ['objectstore', 'DATABASE_URL', 'public'],
    ['export', 'DATABASE_URL', 'public'],
  ])(
    'of the service %s lays its databases out, from several places at once and again, with the databases alone',
    async (service, variable, schema) => {
      const fresh = await createTestDatabase(`migrate_${service}`);
      const environment = { [variable]: fresh.url, IDENTITY_DATABASE_URL: identity.url };
      try {
        const at = await Promise.all([run(service, environment), run(service, environment)]);
        expect(at.map(({ status }) => status)).toEqual([0, 0]);
        const done = await stepsOf(fresh.url, schema);
        expect(done.length).toBeGreaterThan(0);
        expect(await run(service, environment)).toMatchObject({ status: 0, stderr: '' });
        expect(await stepsOf(fresh.url, schema)).toEqual(done);
        expect((await stepsOf(identity.url, 'public')).length).toBeGreaterThan(0);
      } finally {
        await fresh.drop();
      }
    },
    limit,
  );

  it(
    'ends with status 1 and the reason, without the password, when the database does not let it in',
    async () => {
      const url = Object.assign(new URL(own.url), { password: 'not-the-one', username: 'nobody' }).href;
      const { status, stderr } = await run('export', { DATABASE_URL: url });
      expect(status).toBe(1);
      expect(stderr).toContain('export: the migration failed');
      expect(stderr).not.toContain('not-the-one');
    },
    limit,
  );
});

function run(
  service: string,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly status: number | null; readonly stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(workspace, 'services', service, 'dist/src/migrate.js')], {
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, stderr }));
  });
}

async function stepsOf(url: string, schema: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT name FROM ${pg.escapeIdentifier(schema)}.schema_migrations ORDER BY name`,
    );
    return rows.map(({ name }) => name);
  } finally {
    await client.end();
  }
}
