import { AppError } from '@holdfast/http-kit';
import { PathSyntaxError, UnknownResourceError } from '@holdfast/path-grammar';
import { fromDatabase } from '@holdfast/pg-kit';

/** Runs the work of a request; errors of the URL grammar and of the database become errors of the closed set. */
export async function syntaxErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw translated(error);
  }
}

function translated(error: unknown): unknown {
  if (error instanceof PathSyntaxError) return new AppError('bad_syntax', position(error), { cause: error });
  if (error instanceof UnknownResourceError) return new AppError('not_found', position(error), { cause: error });
  return fromDatabase(error);
}

function position({ message, offset, token }: PathSyntaxError | UnknownResourceError): string {
  return `${message} (at character ${offset + 1}${token === '' ? '' : `, ${JSON.stringify(token)}`}).`;
}
