import { execFileSync, spawnSync } from 'node:child_process';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReplicatedStack } from '@holdfast/stack';
import pg from 'pg';
import { items, text } from '../acceptance/documents.js';

/**
 * Superuser of a PostgreSQL whose pg_dump is on the PATH: the dump is then made and restored with the commands of the README. Without it
 * the files of an embedded PostgreSQL are copied while it stands still; it brings no pg_dump along.
 */
const { BACKUP_POSTGRES_URL } = process.env;
const hasDump = spawnSync('pg_dump', ['--version']).status === 0;
export const dumpServer = hasDump && BACKUP_POSTGRES_URL !== undefined ? BACKUP_POSTGRES_URL : null;

/** A deployment that was put aside. */
export interface Backup {
  /** Brings everything back; gives the data directory of the deployment to start. */
  restore(): Promise<string>;
}

/** What a deployment is besides its databases: bytes and keys. */
async function copyBytesAndKeys(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o711 });
  for (const name of ['blobs', 'keys.json'])
    await cp(join(from, name), join(to, name), { recursive: true, preserveTimestamps: true });
}

/** Of a deployment that stands still. */
export async function copyFiles(stack: ReplicatedStack, directory: string): Promise<Backup> {
  await stack.stop();
  const [from, backup, to] = ['first', 'backup', 'second'].map((name) => join(directory, name));
  if (from === undefined || backup === undefined || to === undefined) throw new Error('unreachable');
  await copyBytesAndKeys(from, backup);
  // with owners and modes, which PostgreSQL looks at
  execFileSync('cp', ['-a', join(from, 'postgres'), join(backup, 'postgres')]);
  await rm(from, { recursive: true, force: true });
  return {
    restore: async () => {
      await copyBytesAndKeys(backup, to);
      execFileSync('cp', ['-a', join(backup, 'postgres'), join(to, 'postgres')]);
      return to;
    },
  };
}

/** While the deployment runs: databases first, then the bytes, which never change. */
export async function dump(stack: ReplicatedStack, directory: string): Promise<Backup> {
  const [from, backup, to] = ['first', 'backup', 'second'].map((name) => join(directory, name));
  if (from === undefined || backup === undefined || to === undefined) throw new Error('unreachable');
  const server = new URL(stack.postgresUrl);
  const names = await databasesOf(server.href);
  await mkdir(backup, { recursive: true });
  const urlOf = (name: string): string => Object.assign(new URL(server), { pathname: `/${name}` }).href;
  for (const name of names)
    execFileSync('pg_dump', ['--format=custom', '--file', join(backup, `${name}.dump`), urlOf(name)]);
  await copyBytesAndKeys(from, backup);
  await stack.stop();
  await onServer(server.href, async (client) => {
    for (const name of names) await client.query(`DROP DATABASE ${pg.escapeIdentifier(name)} WITH (FORCE)`);
  });
  await rm(from, { recursive: true, force: true });
  return {
    restore: async () => {
      for (const name of names)
        execFileSync('pg_restore', [
          '--create',
          '--exit-on-error',
          '--dbname',
          server.href,
          join(backup, `${name}.dump`),
        ]);
      await copyBytesAndKeys(backup, to);
      return to;
    },
  };
}

/** The services' own databases, and one for each catalog. Those that catalogs are copied from are made again. */
function databasesOf(url: string): Promise<readonly string[]> {
  return onServer(url, async (client) => {
    const found = await client.query<{ name: string }>(
      `SELECT datname AS name FROM pg_database WHERE datname ~ '^(catalog_|holdfast_)' AND datname !~ '^holdfast_template_'`,
    );
    return items(found.rows.map(({ name }) => name)).map(text);
  });
}

async function onServer<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
