import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { asAccount, type PostgresAccount } from './postgres-account.js';
import { postgresEnvironment } from './postgres-cluster.js';

/**
 * A shell that starts PostgreSQL and then waits for two things: that PostgreSQL ends (the shell ends with its status), and
 * that standard input ends. The supervisor holds the other end of that pipe, and the system closes it however the supervisor
 * ends, `kill -9` included: then PostgreSQL gets a fast shutdown (INT), after 3 s an immediate one (QUIT).
 * The reader is a subshell, so PostgreSQL is also stopped when the shell itself is killed. At the end the rest of the
 * process group, by then only the reader, is ended and waited for: not every process 1 in a container collects orphans.
 */
const guardScript = `
exec 3<&0 </dev/null
"$@" 3<&- &
postgres=$!
{
  trap 'exit 0' TERM
  while read -r _ <&3; do :; done
  kill -INT $postgres; sleep 3; kill -QUIT $postgres
} 2>/dev/null &
exec 3<&-
wait $postgres
status=$?
trap '' TERM
kill -TERM 0
wait
exit $status
`;

/**
 * Starts a command that ends when this process ends. It runs in a session of its own: Ctrl-C in a terminal goes to every
 * process there, and PostgreSQL must outlive the services. Output goes to the end of `logFile`.
 */
export function spawnGuarded(
  command: readonly string[],
  account: PostgresAccount | null,
  logFile: string,
): ChildProcess {
  const log = openSync(logFile, 'a', 0o600);
  try {
    return spawn('/bin/sh', ['-c', guardScript, 'holdfast-postgres', ...command], {
      ...asAccount(account),
      cwd: '/',
      detached: true,
      env: postgresEnvironment(),
      stdio: ['pipe', log, log],
    });
  } finally {
    closeSync(log);
  }
}
