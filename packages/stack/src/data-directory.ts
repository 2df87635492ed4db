import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { relocatedData } from './postgres/postgres-place.js';
import { stopLeftoverPostgres } from './postgres/postmaster-file.js';
import { processIdentity } from './process-identity.js';
import { StackError, systemErrorCode } from './stack-error.js';

/** The directory that holds everything a stack keeps, locked for one process. */
export type DataDirectory = {
  readonly path: string;
  readonly postgres: string;
  readonly blobs: string;
  readonly scratch: string;
  readonly logs: string;
  /** Lets other processes use the directory. */
  release(): void;
};

/** What a fresh start deletes. Other files stay: the directory may have been chosen by mistake. */
const contents = ['blobs', 'scratch', 'logs', 'keys.json', 'stack.json'];

const lockDocument = z.object({ pid: z.int().positive(), identity: z.string() });

/**
 * Makes and locks a data directory. The lock of a process that no longer runs is taken over.
 * Throws StackError when another stack uses it, or when it cannot be written.
 */
export function openDataDirectory(path: string): DataDirectory {
  try {
    // passable for the account of PostgreSQL when root starts the stack; every file within is closed to others
    mkdirSync(path, { recursive: true, mode: 0o711 });
    lock(path);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    throw new StackError(`The data directory ${path} cannot be used (${code}). Choose another one with --data-dir.`);
  }
  return {
    path,
    postgres: join(path, 'postgres'),
    blobs: join(path, 'blobs'),
    scratch: join(path, 'scratch'),
    logs: join(path, 'logs'),
    release: () => rmSync(join(path, 'lock'), { force: true }),
  };
}

/** Makes the directories within that are missing; `fresh` deletes what the stack has kept there first. */
export async function prepareDataDirectory(directory: DataDirectory, fresh: boolean): Promise<void> {
  if (fresh) await empty(directory);
  for (const name of [directory.blobs, directory.scratch, directory.logs]) {
    mkdirSync(name, { recursive: true, mode: 0o700 });
  }
}

function lock(path: string): void {
  const file = join(path, 'lock');
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, JSON.stringify({ pid: process.pid, identity: processIdentity(process.pid) ?? '' }), {
    mode: 0o600,
  });
  try {
    for (let attempt = 1; ; attempt += 1) {
      if (tryLink(mine, file)) return;
      const owner = lockOwner(file);
      if (owner !== null || attempt > 5) throw inUse(path, owner);
      rmSync(file, { force: true });
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

/** A hard link appears whole or not at all, and never replaces a file. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** The running process that holds the lock, or null. */
function lockOwner(file: string): number | null {
  try {
    const { pid, identity } = lockDocument.parse(JSON.parse(readFileSync(file, 'utf8')));
    return processIdentity(pid) === identity ? pid : null;
  } catch {
    return null;
  }
}

function inUse(path: string, pid: number | null): StackError {
  const who = pid === null ? 'Another stack' : `Another stack (process ${pid})`;
  return new StackError(
    `${who} already uses the data directory ${path}. Stop it, or choose another one with --data-dir.`,
  );
}

async function empty(directory: DataDirectory): Promise<void> {
  await stopLeftoverPostgres(directory.postgres);
  const relocated = relocatedData(directory.postgres);
  if (relocated !== null) {
    await stopLeftoverPostgres(relocated);
    rmSync(relocated, { recursive: true, force: true });
  }
  for (const name of ['postgres', ...contents]) rmSync(join(directory.path, name), { recursive: true, force: true });
}
