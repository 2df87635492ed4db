import { AppError } from '@holdfast/http-kit';

/** Time the database may work before the first byte of an answer (spec/catalog-data.md 9.5). */
export interface TimeBudget {
  /** Fires when the client has gone or the time is used up; its reason is what to answer. */
  readonly signal: AbortSignal;
  /** The work has come far enough: from here only lack of progress ends it. */
  met(): void;
  /** The answer is complete although the database is not done: what it still does is to be cancelled. */
  abandon(): void;
  /** Whether it was abandoned: the rejection that follows is no failure. */
  readonly abandoned: boolean;
}

/** Starts the clock. */
export function timeBudget(milliseconds: number, request: AbortSignal): TimeBudget {
  const over = new AbortController();
  let abandoned = false;
  const timer = setTimeout(() => {
    over.abort(
      new AppError(
        'query_too_expensive',
        `Query run time limit exceeded (${milliseconds / 1000} s). Narrow the question with filters, or fetch it in pages with @sort, @after and limit.`,
      ),
    );
  }, milliseconds);
  timer.unref();
  return {
    signal: AbortSignal.any([request, over.signal]),
    met: () => clearTimeout(timer),
    abandon: () => {
      abandoned = true;
      over.abort(new Error('The answer is complete without the rest.'));
    },
    get abandoned() {
      return abandoned;
    },
  };
}
