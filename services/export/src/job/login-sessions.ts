import { type HttpClient, HttpError, type LoggedIn, sessionClient } from '@holdfast/clients';
import { AppError, type Logger } from '@holdfast/http-kit';
import type { Sealer } from '@holdfast/identity';
import type { Login } from '../request/parse-request.js';
import type { ExportRecord } from './export-record.js';
import type { ExportStore } from './export-store.js';
import { type LoginSession, openCredentials } from './sealed-credential.js';

/** Sessions begun with the name and password of a request (spec/export.md 9.2). */
export interface LoginSessions {
  /**
   * Logs in at a catalog service.
   * @param address of the caller, whose failed tries are counted
   * @throws {AppError} `login_failed`, `too_many`, `bad_request`, `upstream_failed`
   */
  begin(baseUrl: string, login: Login, address: string, signal: AbortSignal): Promise<LoggedIn>;
  /** The session of an export that is not over; null when it has none. */
  of(record: Pick<ExportRecord, 'id' | 'owner'>): Promise<LoginSession | null>;
  /** Ends a session. A failure is no more than logged: sessions that nobody uses end by themselves. */
  end(session: LoginSession | null): Promise<void>;
}

/** What is needed to speak to the session resource. */
export interface LoginSessionsParts {
  readonly http: (baseUrl: string) => HttpClient;
  /** Where the session module answers, for example `/authn`. */
  readonly authnPath: string;
  readonly store: ExportStore;
  readonly sealer: Sealer;
  readonly log: Logger;
}

/** Opens them; nothing is connected yet. */
export function loginSessions(parts: LoginSessionsParts): LoginSessions {
  const client = (baseUrl: string) => sessionClient(parts.http(baseUrl).as(null), parts.authnPath);
  return {
    begin: async (baseUrl, { username, password }, address, signal) => {
      try {
        return await client(baseUrl).logIn(username, password, { forwardedFor: address, signal });
      } catch (error) {
        throw loginFailure(error);
      }
    },
    of: async (record) => {
      try {
        return (await openCredentials(parts.store, parts.sealer, record)).session;
      } catch {
        // expired or taken away: then there is nothing to end
        return null;
      }
    },
    end: async (session) => {
      if (session === null) return;
      try {
        await client(session.baseUrl).logOut(session.cookie);
      } catch (error) {
        parts.log.warn({ err: error }, 'the session of an export could not be ended; it ends when its time is over');
      }
    },
  };
}

/** Without what was sent: people type passwords into the wrong field. */
function loginFailure(error: unknown): unknown {
  if (!(error instanceof HttpError)) {
    return new AppError('upstream_failed', 'The catalog could not be asked to log in.', { cause: error });
  }
  const { status } = error;
  if (status === 401 || status === 403) {
    return new AppError('login_failed', 'The catalog refused the user name and password.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
  if (status === 429) {
    return new AppError('too_many', 'Too many logins failed; try again later.', {
      headers: { 'Retry-After': String(error.retryAfter ?? 60) },
    });
  }
  return status < 500
    ? new AppError('bad_request', '/catalog/username is refused: the catalog has no login with a password.')
    : new AppError('upstream_failed', `The catalog could not log in (${status}).`, { cause: error });
}
