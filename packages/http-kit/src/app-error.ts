import { type ErrorCode, errorCodes } from './error-codes.js';

/** What an {@link AppError} may carry beside code and detail. */
export interface AppErrorOptions {
  /** Headers of the answer, for example `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What went wrong underneath. Logged, never sent. */
  readonly cause?: unknown;
}

/**
 * The one error the domain throws. `detail` tells the client what is wrong and what to do about it: it must hold no SQL,
 * no stack and no secret. Status and title follow from the code.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, detail: string, options: AppErrorOptions = {}) {
    super(`${code}: ${detail}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = errorCodes[code].status;
    this.detail = detail;
    this.headers = options.headers ?? {};
  }
}

/**
 * The refusal of a known resource for a method it does not have.
 * @param allowed the methods it has; they go into `Allow`
 */
export function methodNotAllowed(allowed: readonly string[]): AppError {
  const list = allowed.join(', ');
  return new AppError('method_not_allowed', `This resource knows ${list}.`, { headers: { Allow: list } });
}

/**
 * The refusal for want of a right: 401 when nobody is logged in, 403 otherwise (spec/identity.md 2).
 * @param anonymous whether the client presented no identity
 * @param detail what the right is and who could give it
 */
export function denied(anonymous: boolean, detail: string): AppError {
  return anonymous
    ? new AppError('auth_required', detail, { headers: { 'WWW-Authenticate': 'Bearer' } })
    : new AppError('forbidden', detail);
}
