import { AppError, type Logger } from '@holdfast/http-kit';
import { z } from 'zod';

/** Who can tell whether a job is over. */
export interface RevocationOptions {
  /** Of the jobs, without a slash at its end: `<url>/<job id>/delegation` is asked. */
  readonly url: string;
  readonly fetch: typeof fetch;
  /** Clock in milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
}

const answer = z.object({ active: z.boolean() });

/** Milliseconds the other service may take to answer. */
const PATIENCE = 5_000;

/**
 * Milliseconds for which "still active" is believed when the other service is away. Without it a restart there would end every
 * running job; with it a token of a job that is over lives ten minutes longer at worst.
 */
const BELIEVED = 600_000;

const MOST_ENTRIES = 10_000;

/**
 * Asks the service that made a token whether its job still runs, showing the token itself, so that nobody else learns anything
 * (spec/identity.md 6.1). The caller remembers good answers for a minute.
 * @throws {AppError} `unavailable` when that cannot be found out: nobody is let in by mistake
 */
export function askForRevocation(options: RevocationOptions): (jobId: string, token: string) => Promise<boolean> {
  const { url, now, log } = options;
  const lastActive = new Map<string, number>();
  return async (jobId, token) => {
    try {
      const { active } = await ask(`${url}/${encodeURIComponent(jobId)}/delegation`, token, options.fetch);
      lastActive.delete(jobId);
      if (active) {
        // a Map gives its keys in the order of insertion: the first is the oldest
        if (lastActive.size >= MOST_ENTRIES) lastActive.delete(lastActive.keys().next().value ?? '');
        lastActive.set(jobId, now());
      }
      return !active;
    } catch (error) {
      log.warn({ err: error }, 'the service that made a delegated token cannot be asked about it');
      if (now() - (lastActive.get(jobId) ?? Number.NEGATIVE_INFINITY) < BELIEVED) return false;
      throw new AppError(
        'unavailable',
        'Whether the job of this token still runs cannot be found out now; try again.',
        {
          cause: error,
          headers: { 'Retry-After': '2' },
        },
      );
    }
  };
}

async function ask(url: string, token: string, get: typeof fetch): Promise<z.output<typeof answer>> {
  const response = await get(url, {
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(PATIENCE),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`the question was answered with ${response.status}`);
  }
  return answer.parse(await response.json());
}
