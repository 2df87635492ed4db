import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StackError } from '../stack-error.js';
import { asAccount, type PostgresAccount } from './postgres-account.js';
import type { PostgresPlace } from './postgres-place.js';

/** The superuser of the embedded PostgreSQL. */
export const superuser = 'postgres';

const passwordFile = 'holdfast-password';

/**
 * Makes sure that the place holds a data directory of this major version, making a new one where there is none.
 * Gives the password of the superuser. Throws StackError for another version or for a directory of something else.
 */
export async function prepareCluster(
  place: PostgresPlace,
  major: number,
  account: PostgresAccount | null,
  durable: boolean,
): Promise<string> {
  const versionFile = join(place.dataDir, 'PG_VERSION');
  if (existsSync(versionFile)) checkVersion(place.dataDir, readFileSync(versionFile, 'utf8').trim(), major);
  else await initialise(place, account, durable);
  return readFileSync(join(place.dataDir, passwordFile), 'utf8').trim();
}

function checkVersion(dataDir: string, found: string, major: number): void {
  if (found === String(major)) return;
  throw new StackError(
    `The data directory ${dataDir} was made by PostgreSQL ${found}; this is PostgreSQL ${major}, which cannot read it. ` +
      'Move it away to keep it, or start with --fresh to begin with an empty one.',
  );
}

async function initialise(place: PostgresPlace, account: PostgresAccount | null, durable: boolean): Promise<void> {
  if (existsSync(place.dataDir) && readdirSync(place.dataDir).length > 0) {
    throw new StackError(
      `${place.dataDir} is not empty and not a PostgreSQL data directory. Move it away, or start with --fresh.`,
    );
  }
  removePartials(place.dataDir);
  // initdb works under another name, renamed when all is there: a start that was killed leaves no half data directory
  const partial = `${place.dataDir}.new-${randomUUID()}`;
  const password = `${partial}.password`;
  mkdirSync(partial, { mode: 0o700 });
  writeFileSync(password, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  if (account !== null) for (const path of [partial, password]) chownSync(path, account.uid, account.gid);
  await runInitdb(place, partial, password, account, durable);
  renameSync(password, join(partial, passwordFile));
  chmodSync(join(partial, passwordFile), 0o600);
  if (existsSync(place.dataDir)) rmdirSync(place.dataDir);
  renameSync(partial, place.dataDir);
}

async function runInitdb(
  place: PostgresPlace,
  directory: string,
  password: string,
  account: PostgresAccount | null,
  durable: boolean,
): Promise<void> {
  const options = [
    `--pgdata=${directory}`,
    `--username=${superuser}`,
    `--pwfile=${password}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // the built-in provider sorts by code point and knows all of Unicode's cases, the same on every machine
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ];
  try {
    await promisify(execFile)(join(place.binaries, 'bin', 'initdb'), options, {
      ...asAccount(account),
      cwd: '/',
      env: postgresEnvironment(),
    });
  } catch (error) {
    for (const path of [directory, password]) rmSync(path, { recursive: true, force: true });
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);
    const advice = output.includes('could not look up effective user')
      ? ' Give this user id a name in /etc/passwd.'
      : '';
    throw new StackError(`PostgreSQL could not make its data directory ${place.dataDir}: ${output}.${advice}`);
  }
}

/** Of the user's environment nothing may reach PostgreSQL: PGDATA, PGPORT, a locale or a library path would change it. */
export function postgresEnvironment(): Record<string, string> {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

function removePartials(dataDir: string): void {
  const parent = join(dataDir, '..');
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    if (path.startsWith(`${dataDir}.new-`)) rmSync(path, { recursive: true, force: true });
  }
}
