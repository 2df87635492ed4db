import { execFileSync, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StackError } from '../stack-error.js';

/** The account PostgreSQL runs under instead of root. */
export type PostgresAccount = { readonly name: string; readonly uid: number; readonly gid: number };

/**
 * PostgreSQL refuses to run as root. Gives null for an ordinary user (PostgreSQL then runs as that user), and for root
 * the account to use: the owner of an existing data directory, otherwise `postgres`, `_postgres` or `nobody`.
 */
export function choosePostgresAccount(dataDir: string): PostgresAccount | null {
  if (process.getuid?.() !== 0) return null;
  const owner = ownerOf(join(dataDir, 'PG_VERSION')) ?? ownerOf(dirname(dataDir));
  if (owner !== null) return owner;
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const uid = accountNumber(name, '-u');
    const gid = accountNumber(name, '-g');
    if (uid !== null && gid !== null && uid !== 0) return { name, uid, gid };
  }
  throw new StackError(
    'PostgreSQL refuses to run as root, and this machine has neither an account "postgres" nor "nobody" to run it under. ' +
      'Start the stack as an ordinary user, or add such an account.',
  );
}

/** The options of `spawn` that run a program under the account. */
export function asAccount(account: PostgresAccount | null): { readonly uid?: number; readonly gid?: number } {
  // macOS has `nobody` at 4294967294, which spawn takes as -2
  return account === null ? {} : { uid: account.uid | 0, gid: account.gid | 0 };
}

/** Whether the account can run the PostgreSQL programs in `binaries`: tried, since every parent directory decides. */
export function canRunPostgres(account: PostgresAccount | null, binaries: string): boolean {
  return tryShell(account, '"$1/bin/postgres" --version && "$1/bin/initdb" --version', binaries);
}

/** Whether the account can reach what lies below the directory. */
export function canEnter(account: PostgresAccount | null, directory: string): boolean {
  return tryShell(account, 'cd "$1"', directory);
}

function tryShell(account: PostgresAccount | null, script: string, argument: string): boolean {
  const result = spawnSync('/bin/sh', ['-c', script, 'sh', argument], {
    ...asAccount(account),
    cwd: '/',
    stdio: 'ignore',
  });
  return result.status === 0;
}

/** An owner other than root that has a name: PostgreSQL refuses an account without one. */
function ownerOf(path: string): PostgresAccount | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || stat.uid === 0) return null;
  const name = runId('-un', String(stat.uid));
  return name === null ? null : { name, uid: stat.uid, gid: stat.gid };
}

function accountNumber(name: string, option: '-u' | '-g'): number | null {
  const output = runId(option, name);
  return output === null ? null : Number(output);
}

function runId(option: string, account: string): string | null {
  try {
    const output = execFileSync('id', [option, account], { stdio: ['ignore', 'pipe', 'ignore'] });
    return output.toString('utf8').trim();
  } catch {
    return null;
  }
}
