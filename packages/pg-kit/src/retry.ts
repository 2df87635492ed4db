import { AppError } from '@holdfast/http-kit';
import { isSerializationFailure } from './sqlstate.js';

const MOST_ATTEMPTS = 5;

/**
 * Runs a whole transaction again when it collided with others, at most five times with jitter (spec/catalog-data.md 9.5).
 * @throws {AppError} `unavailable` when the fifth attempt collides too
 */
export async function retryOnCollision<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isSerializationFailure(error)) throw error;
      if (count === MOST_ATTEMPTS) {
        throw new AppError('unavailable', 'The change collided with others again and again; try again.', {
          cause: error,
        });
      }
      await new Promise((resolve) => {
        setTimeout(resolve, Math.random() * 20 * 2 ** count);
      });
    }
  }
}
