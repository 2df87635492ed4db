import { AppError, mediaTypeOf, readBody } from '@holdfast/http-kit';
import type { Database } from '@holdfast/pg-kit';
import type { Request } from 'express';
import { findLocalUser, type LoggedIn } from './local-users.js';
import { beginLoginAttempt } from './login-attempts.js';

/** Checks user names and passwords of one provider. */
export interface PasswordLogin {
  /**
   * @throws {AppError} `login_failed` whatever was wrong, `too_many` after ten failures
   */
  logIn(name: string, password: string, address: string): Promise<LoggedIn>;
}

/** Login with users kept in the identity database. */
export function localPasswordLogin(database: Database, now: () => number): PasswordLogin {
  return {
    logIn: async (name, password, address) => {
      const attempt = await beginLoginAttempt(database, { name, address }, now);
      const user = await findLocalUser(database, name, password);
      if (user === null) throw new AppError('login_failed', 'User name or password is wrong.');
      await attempt.succeeded();
      return user;
    },
  };
}

const MOST_FORM_BYTES = 16 * 1024;

/**
 * The two fields of the login form.
 * @throws {AppError} `bad_request` when one is missing or there twice, `bad_media_type` for anything but a form
 */
export async function readLoginForm(request: Request): Promise<{ readonly name: string; readonly password: string }> {
  const type = mediaTypeOf(request.get('content-type')) ?? 'application/x-www-form-urlencoded';
  if (type !== 'application/x-www-form-urlencoded')
    throw new AppError('bad_media_type', 'Send the login form as application/x-www-form-urlencoded.');
  const form = new URLSearchParams((await readBody(request, MOST_FORM_BYTES)).toString('utf8'));
  const field = (name: string): string => {
    const [value, ...more] = form.getAll(name);
    if (value === undefined || value === '' || more.length > 0 || value.includes('\u0000'))
      throw new AppError('bad_request', `The form needs the field ${JSON.stringify(name)}, once and not empty.`);
    return value;
  };
  return { name: field('username'), password: field('password') };
}
