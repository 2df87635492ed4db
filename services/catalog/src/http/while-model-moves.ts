import { AppError } from '@holdfast/http-kit';
import { sqlStateOf } from '@holdfast/pg-kit';
import type { CatalogRequest } from './catalog-request.js';

const MOST_ATTEMPTS = 5;

/**
 * Runs a read again when the model was changed between the look at its version and the statement, which then names what is not there
 * any more: readers hold no lock that would keep a change out.
 * @param attempt is given a function to say which version of the model it goes by
 * @throws {AppError} `unavailable` when each attempt met another change
 */
export async function whileModelMoves<Result>(
  context: CatalogRequest,
  attempt: (goesBy: (version: bigint) => void) => Promise<Result>,
): Promise<Result> {
  const { catalog, models, response, signal } = context;
  let used = context.model.version;
  for (let count = 1; ; count += 1) {
    try {
      return await attempt((version) => {
        used = version;
      });
    } catch (error) {
      if (response.headersSent || !mayMeanMoved(error)) throw error;
      const { state } = await models.current(catalog.database, catalog.key, { signal });
      if (state.modelVersion === used) throw error;
      if (count === MOST_ATTEMPTS)
        throw new AppError('unavailable', 'The model is being changed again and again; try again in a moment.', {
          cause: error,
        });
    }
  }
}

/** Undefined table or column, another type than was thought, a relation that is gone at the last moment. */
export function mayMeanMoved(error: unknown): boolean {
  const state = sqlStateOf(error) ?? (error instanceof Error ? sqlStateOf(error.cause) : null);
  return state !== null && /^(42|0A000|XX000|22|55000)/.test(state);
}
