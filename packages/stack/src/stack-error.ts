/**
 * A failure of the stack that its user can do something about. The message says what happened and what to do,
 * in whole sentences; the command line prints it alone, without a stack trace, and exits with status 1.
 */
export class StackError extends Error {
  override readonly name = 'StackError';
}

/** What to say about a failure: its message, never a stack trace. */
export function failureMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of a system error (`ENOENT`, `EADDRINUSE`, ...), or undefined for any other failure. */
export function systemErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
