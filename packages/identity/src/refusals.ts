import { AppError } from '@holdfast/http-kit';

/**
 * The answer to a credential that does not hold. The detail says what is wrong with it and never repeats it.
 * @param detail a full sentence
 */
export function invalidToken(detail: string, cause?: unknown): AppError {
  return new AppError('invalid_token', detail, {
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    ...(cause === undefined ? {} : { cause }),
  });
}
