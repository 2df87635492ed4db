import { AppError } from '@holdfast/http-kit';
import { fromDatabase, sqlStateOf } from '@holdfast/pg-kit';
import pg from 'pg';

const SYNTAX_ERROR = '42601';
const PROGRAM_LIMIT = '54000';

const TOO_LONG_FOR_INDEX =
  'A value is too long for the index of its column. Shorten it, give the column the type longtext, or switch the index off in the indexing preferences of the column.';

/**
 * An error of a statement that converts texts of the URL or the body. What is wrong with them is the client's to mend, a malformed text
 * search query too (spec/catalog-data.md 3.2.2), although PostgreSQL reports that like a statement it cannot read.
 */
export function literalError(error: unknown): unknown {
  // only what is wrong with the statement itself has a place in it
  if (sqlStateOf(error) === SYNTAX_ERROR && error instanceof pg.DatabaseError && error.position === undefined) {
    return new AppError('bad_value', `The text to search for cannot be read: ${error.message}.`, { cause: error });
  }
  if (sqlStateOf(error) === PROGRAM_LIMIT && error instanceof Error && error.message.startsWith('index row')) {
    return new AppError('bad_request', TOO_LONG_FOR_INDEX, { cause: error });
  }
  return fromDatabase(error, 'literals');
}
