import { AppError } from '@holdfast/http-kit';

/** Time the database may work before the first byte of an answer (spec/catalog-data.md 9.5). */
export interface TimeBudget {
  /** Fires when the client has gone or the time is used up; its reason is what to answer. */
  readonly signal: AbortSignal;
  /** The work has come far enough: from here only lack of progress ends it. */
  met(): void;
  /** What the database still does for this attempt is to be cancelled; the work is rejected with the reason. */
  abandon(reason: Error): void;
  /** To be called when the work is over, in any case. */
  close(): void;
}

/** The answer is complete although the database is not done. */
export class RestNotNeeded extends Error {}

/** Starts the clock. */
export function timeBudget(milliseconds: number, request: AbortSignal): TimeBudget {
  const over = new AbortController();
  const timer = setTimeout(() => {
    over.abort(
      new AppError(
        'query_too_expensive',
        `Query run time limit exceeded (${milliseconds / 1000} s). Narrow the question with filters, or fetch it in pages with @sort, @after and limit.`,
      ),
    );
  }, milliseconds);
  timer.unref();
  // what AbortSignal.any would do, in half a microsecond instead of 15
  const follow = (): void => over.abort(request.reason);
  if (request.aborted) follow();
  request.addEventListener('abort', follow, { once: true });
  return {
    signal: over.signal,
    met: () => clearTimeout(timer),
    abandon: (reason) => over.abort(reason),
    close: () => {
      clearTimeout(timer);
      request.removeEventListener('abort', follow);
    },
  };
}
