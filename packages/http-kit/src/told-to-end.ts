/** Statuses of a process that ended because of a signal, as shells give them. */
const endStatus = { SIGTERM: 143, SIGINT: 130 } as const;

/** Signals that tell a process to end. */
export type EndSignal = keyof typeof endStatus;

/** Status with which a process ends that was told to by a signal before its work was done: 143 for SIGTERM, 130 for SIGINT. */
export function statusAfter(signal: EndSignal): number {
  return endStatus[signal];
}

/**
 * Ends a command when it is told to, with a line on standard error. As the first process of a container it would not hear the signals
 * otherwise. For commands whose work may be cut anywhere: what PostgreSQL had not committed did not happen.
 * @param what what is cut, for the line
 */
export function endWhenTold(what: string): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => {
      process.stderr.write(`${what} was told to end (${signal})\n`);
      process.exit(statusAfter(signal));
    });
}
