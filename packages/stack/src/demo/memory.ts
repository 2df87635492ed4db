import { readdirSync, readFileSync } from 'node:fs';

/** Memory of a process, in bytes. */
export interface ProcessMemory {
  readonly name: string;
  /** Resident now. For PostgreSQL: of all its processes, what they share counted once. */
  readonly resident: number;
  /** The most that was ever resident; null for several processes together. */
  readonly peak: number | null;
}

/**
 * Memory of processes of this machine, from /proc: empty on systems without it.
 * @param processes a `postgres` among them stands for itself and its children
 */
export function processMemory(
  processes: readonly { readonly name: string; readonly pid: number }[],
): readonly ProcessMemory[] {
  return processes.flatMap(({ name, pid }) => {
    try {
      return [name === 'postgres' ? postgresMemory(pid) : { name, ...residentOf(pid) }];
    } catch {
      // no /proc, or a process that has ended or belongs to somebody else
      return [];
    }
  });
}

function residentOf(pid: number): { readonly resident: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return { resident: kilobytes(status, 'VmRSS'), peak: kilobytes(status, 'VmHWM') };
}

function postgresMemory(pid: number): ProcessMemory {
  const pids = [pid, ...childrenOf(pid)];
  const shares = pids.map((one) => kilobytes(readFileSync(`/proc/${one}/smaps_rollup`, 'utf8'), 'Pss'));
  return { name: `postgres (${pids.length})`, resident: shares.reduce((sum, share) => sum + share, 0), peak: null };
}

function childrenOf(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // the program name in parentheses may hold anything
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null;
  }
}

function kilobytes(text: string, field: string): number {
  const [, value] = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text) ?? [];
  if (value === undefined) throw new Error(`${field} is missing.`);
  return Number(value) * 1024;
}
