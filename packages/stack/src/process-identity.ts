import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * A text that names one process for ever, or null when no process has this id. The id alone is not enough: after a
 * reboot, and in a container always, the same small numbers come back for other programs.
 */
export function processIdentity(pid: number): string | null {
  if (process.platform !== 'linux') return runPs(pid, 'lstart=');
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // field 2 is the program name in parentheses and may hold spaces; field 22 is the start time in ticks since boot
    const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startTime] = [afterName[0], afterName[19]];
    if (state === 'Z' || startTime === undefined) return null;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${startTime}`;
  } catch {
    return null;
  }
}

/** The command line of a process, arguments separated by blanks, or null when no process has this id. */
export function processCommand(pid: number): string | null {
  if (process.platform !== 'linux') return runPs(pid, 'command=');
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || null;
  } catch {
    return null;
  }
}

/** Waits until the process is gone. Gives false when it is still there after `timeoutMs`. */
export async function waitForProcessEnd(pid: number, timeoutMs: number): Promise<boolean> {
  const identity = processIdentity(pid);
  const deadline = Date.now() + timeoutMs;
  while (identity !== null && processIdentity(pid) === identity) {
    if (Date.now() >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  return true;
}

/** Sends a signal; a process that is already gone is no error. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it ended in between
  }
}

function runPs(pid: number, column: string): string | null {
  try {
    const output = execFileSync('ps', ['-o', column, '-p', String(pid)], { stdio: ['ignore', 'pipe', 'ignore'] });
    return output.toString('utf8').trim() || null;
  } catch {
    return null;
  }
}
