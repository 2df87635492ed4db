import type { CallOptions } from './catalog-client.js';
import type { HttpClient } from './http-client.js';

/** A session that was begun. */
export interface LoggedIn {
  /** For the header `Cookie`: `name=value`. */
  readonly cookie: string;
  readonly clientId: string;
  readonly displayName: string | null;
}

/** The session resource (spec/identity.md 4). */
export interface SessionClient {
  /**
   * @param options.forwardedFor address of the person, when a service logs in for somebody
   * @throws {HttpError} 401 when name or password is wrong
   */
  logIn(
    username: string,
    password: string,
    options?: CallOptions & { readonly forwardedFor?: string },
  ): Promise<LoggedIn>;
  logOut(cookie: string, options?: CallOptions): Promise<void>;
}

/**
 * A client of the session resource.
 * @param http anonymous
 * @param prefix where the session module answers, default `/authn`
 */
export function sessionClient(http: HttpClient, prefix = '/authn'): SessionClient {
  return {
    logIn: async (username, password, { forwardedFor, ...options } = {}) => {
      const answer = await http.request({
        method: 'POST',
        path: `${prefix}/session`,
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': forwardedFor },
        body: new URLSearchParams({ username, password }).toString(),
        ...options,
      });
      const document: unknown = await answer.json();
      const cookie = /(?:^|, )([^\s=;,]+=[^\s;,]+)/.exec(answer.headers['set-cookie'] ?? '')?.[1];
      const client = member(document, 'client');
      const clientId = member(client, 'id');
      if (cookie === undefined || typeof clientId !== 'string') {
        throw new TypeError('The server logged in without saying whom, or without a cookie.');
      }
      const displayName = member(client, 'display_name');
      return { cookie, clientId, displayName: typeof displayName === 'string' ? displayName : null };
    },
    logOut: async (cookie, options) => {
      const answer = await http.as({ cookie }).request({ method: 'DELETE', path: `${prefix}/session`, ...options });
      await answer.discard();
    },
  };
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
