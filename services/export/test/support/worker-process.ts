import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Starts a worker as a process of its own, so that it can really be killed. */
export function startWorkerProcess(environment: Readonly<Record<string, string>>): ChildProcess {
  const program = fileURLToPath(new URL('../../src/worker.js', import.meta.url));
  return spawn(process.execPath, [program], {
    env: { ...environment, PATH: process.env.PATH, ADMIN_PORT: '0', LOG_LEVEL: 'fatal' },
    stdio: 'ignore',
  });
}

/** Kills a process without a chance to say anything. */
export async function kill(victim: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => victim.once('exit', resolve));
  victim.kill('SIGKILL');
  await gone;
}
