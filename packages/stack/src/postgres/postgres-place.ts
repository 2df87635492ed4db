import { createHash, randomUUID } from 'node:crypto';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { StackError } from '../stack-error.js';
import { canEnter, canRunPostgres, type PostgresAccount } from './postgres-account.js';
import type { PostgresBinaries } from './postgres-binaries.js';

/** Where PostgreSQL runs from and where its files are, both within reach of its account. */
export type PostgresPlace = { readonly binaries: string; readonly dataDir: string };

/**
 * Root may have cloned the workspace below a directory that only root may enter (`/root` is 0700), where the account of
 * PostgreSQL reaches neither its programs nor its data. Then both are placed elsewhere, and `dataDir` becomes a symbolic
 * link. Gives the real places; `dataDir` itself need not exist yet, its parent is made.
 */
export function placePostgres(
  dataDir: string,
  binaries: PostgresBinaries,
  account: PostgresAccount | null,
): PostgresPlace {
  mkdirSync(dirname(dataDir), { recursive: true });
  return { binaries: placeBinaries(binaries, account), dataDir: placeData(dataDir, account) };
}

/** The directory outside of the parent of `dataDir` that holds its files, or null when they are where they seem to be. */
export function relocatedData(dataDir: string): string | null {
  const stat = lstatSync(dataDir, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isSymbolicLink()) return null;
  return resolve(dirname(dataDir), readlinkSync(dataDir));
}

function placeBinaries(binaries: PostgresBinaries, account: PostgresAccount | null): string {
  if (account === null || canRunPostgres(account, binaries.directory)) return binaries.directory;
  for (const base of reachableBases(account)) {
    const directory = join(base, `holdfast-postgres-${binaries.version}`);
    if (!isOurs(directory)) continue;
    if (!existsSync(directory)) copyWhole(binaries.directory, directory);
    if (canRunPostgres(account, directory)) return directory;
  }
  throw unreachable(account, binaries.directory);
}

function placeData(dataDir: string, account: PostgresAccount | null): string {
  const target = relocatedData(dataDir);
  if (target !== null) {
    if (existsSync(target)) return realpathSync(target);
    throw new StackError(`${dataDir} points to ${target}, which is gone: the database is lost. Start with --fresh.`);
  }
  const parent = realpathSync(dirname(dataDir));
  if (account === null || canEnter(account, parent)) return join(parent, basename(dataDir));
  const name = `holdfast-${createHash('sha256')
    .update(join(parent, basename(dataDir)))
    .digest('hex')
    .slice(0, 16)}`;
  for (const base of reachableBases(account)) {
    const directory = join(base, name);
    if (!isOurs(directory)) continue;
    // without the link, what is left there belongs to a data directory that its user has deleted
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(join(directory), { mode: 0o711 });
    mkdirSync(join(directory, 'postgres'), { mode: 0o700 });
    symlinkSync(join(directory, 'postgres'), dataDir);
    return join(directory, 'postgres');
  }
  throw unreachable(account, parent);
}

function reachableBases(account: PostgresAccount): readonly string[] {
  return ['/var/lib', '/var/tmp', tmpdir()].filter(
    (base) => existsSync(base) && canEnter(account, base) && isWritable(base),
  );
}

function isWritable(base: string): boolean {
  const probe = join(base, `holdfast-probe-${randomUUID()}`);
  try {
    mkdirSync(probe);
    rmSync(probe, { recursive: true });
    return true;
  } catch {
    return false;
  }
}

/** Names in shared directories can be guessed: what another user put there first is never used. */
function isOurs(directory: string): boolean {
  const stat = lstatSync(directory, { throwIfNoEntry: false });
  return stat === undefined || (stat.isDirectory() && stat.uid === 0);
}

/** Copies to a name of its own first, so that two starts at once never see half a copy. */
function copyWhole(from: string, to: string): void {
  const partial = `${to}.${randomUUID()}`;
  cpSync(from, partial, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(partial, to);
  } catch {
    rmSync(partial, { recursive: true, force: true });
  }
}

function unreachable(account: PostgresAccount, directory: string): StackError {
  return new StackError(
    `PostgreSQL must not run as root, and the account it runs under here (${account.name}) cannot enter ${directory}; ` +
      'no other directory (/var/lib, /var/tmp) could be used either. Start the stack as an ordinary user, or move the workspace.',
  );
}
