import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a Node program in the foreground, in the directory the user is in, and gives its exit status. Signals are handed on to
 * it: it decides when to end.
 */
export async function runProgram(program, args, { nodeArgs = [], ...options } = {}) {
  const child = spawn(process.execPath, [...nodeArgs, program, ...args], {
    // pnpm runs scripts in the directory of the package
    cwd: process.env.INIT_CWD ?? process.cwd(),
    stdio: 'inherit',
    ...options,
  });
  const forward = (signal) => child.kill(signal);
  for (const signal of forwarded) process.on(signal, forward);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve(code ?? 128 + (constants.signals[signal] ?? 0)));
    });
  } finally {
    for (const signal of forwarded) process.off(signal, forward);
  }
}
