import { HttpError, TransportError } from './http-error.js';

/** How often a read is tried again. */
export interface RetryPolicy {
  /** Tries in all. */
  readonly tries: number;
  /** Wait before the second try in milliseconds; doubled each time. */
  readonly firstDelay: number;
}

/** spec/export.md 7.5: four tries, one second doubling. */
export const readRetries: RetryPolicy = { tries: 4, firstDelay: 1_000 };

const PASSING = new Set([500, 502, 503, 504]);

/**
 * Runs a read until it succeeds, fails for good, or has been tried often enough. Only broken connections and the statuses 500,
 * 502, 503, 504 are worth another try; who was silent for too long once will be so again.
 * @param signal ends the waiting at once
 */
export async function withRetries<Result>(
  policy: RetryPolicy | null,
  signal: AbortSignal | null,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (policy === null || count >= policy.tries || !mayPass(error)) throw error;
      await pause(policy.firstDelay * 2 ** (count - 1), signal);
    }
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof TransportError) return error.kind !== 'timeout';
  return error instanceof HttpError && PASSING.has(error.status);
}

/** Waits; rejects with the reason of the signal. */
export function pause(milliseconds: number, signal: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
