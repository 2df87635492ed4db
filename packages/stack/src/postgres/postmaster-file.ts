import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { processCommand, signalProcess, waitForProcessEnd } from '../process-identity.js';
import { StackError } from '../stack-error.js';

/** What `postmaster.pid` in a data directory says: line 1 the process, line 4 the port, line 8 the state. */
export type Postmaster = { readonly pid: number; readonly text: string; readonly ready: boolean };

/** Reads `postmaster.pid`; null when there is none or it is not wholly written. */
export function readPostmaster(dataDir: string): Postmaster | null {
  let text: string;
  try {
    text = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8');
  } catch {
    return null;
  }
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  return Number.isInteger(pid) && pid > 0 ? { pid, text, ready: lines[7]?.trim() === 'ready' } : null;
}

/**
 * Stops a PostgreSQL that still serves this data directory although nobody watches over it any more: quickly and
 * cleanly, then at once after 10 s.
 */
export async function stopLeftoverPostgres(dataDir: string): Promise<void> {
  const postmaster = readPostmaster(dataDir);
  if (postmaster === null || !isPostgresOf(dataDir, postmaster.pid)) return;
  for (const [signal, timeoutMs] of [
    ['SIGINT', 10_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 2_000],
  ] as const) {
    signalProcess(postmaster.pid, signal);
    if (await waitForProcessEnd(postmaster.pid, timeoutMs)) return;
  }
  throw new StackError(
    `An earlier PostgreSQL (process ${postmaster.pid}) still uses ${dataDir} and cannot be stopped.`,
  );
}

function isPostgresOf(dataDir: string, pid: number): boolean {
  const command = processCommand(pid) ?? '';
  return command.includes('postgres') && command.includes(dataDir);
}
