import { AppError } from '@holdfast/http-kit';
import type { Connection, Database } from '@holdfast/pg-kit';

type Work<Result> = (connection: Connection) => Promise<Result>;

/**
 * Runs statements on the identity database. Whatever goes wrong there means that nobody can say who the client is: 503, never
 * anonymous (spec/identity.md 8).
 */
export function onIdentityDatabase<Result>(database: Database, work: Work<Result>): Promise<Result> {
  return database.withConnection(null, work).catch(away);
}

/** {@link onIdentityDatabase} in a transaction. */
export function inIdentityTransaction<Result>(database: Database, work: Work<Result>): Promise<Result> {
  return database.transaction({}, work).catch(away);
}

function away(error: unknown): never {
  if (error instanceof AppError) throw error;
  throw new AppError('unavailable', 'The identity database cannot be asked at the moment; try again.', {
    cause: error,
  });
}
