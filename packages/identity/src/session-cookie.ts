import { publicOrigin } from '@holdfast/http-kit';
import type { Request, Response } from 'express';
import type { IdentityConfig } from './variables.js';

/** The cookie that carries a session id. */
export interface SessionCookie {
  readonly name: string;
  set(request: Request, response: Response, value: string): void;
  clear(request: Request, response: Response): void;
}

/**
 * The cookie with the attributes of spec/identity.md 3.3. It is a session cookie for the browser too: the server knows when it ends.
 * @param defaultName name of the wire profile
 */
export function sessionCookie(config: IdentityConfig, defaultName: string): SessionCookie {
  const name = config.SESSION_COOKIE_NAME ?? defaultName;
  const write = (request: Request, response: Response, value: string, more: string): void => {
    const plain = config.AUTH_MODE === 'dev' && publicOrigin(request, config.PUBLIC_URL).startsWith('http://');
    const domain = config.SESSION_COOKIE_DOMAIN === undefined ? '' : `; Domain=${config.SESSION_COOKIE_DOMAIN}`;
    const secure = plain ? '' : '; Secure';
    // replaces what was set before for this answer: a login after a stale cookie must not clear its own
    response.setHeader('Set-Cookie', `${name}=${value}; Path=/; HttpOnly${secure}; SameSite=Lax${domain}${more}`);
  };
  return {
    name,
    set: (request, response, value) => write(request, response, value, ''),
    clear: (request, response) => write(request, response, '', '; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT'),
  };
}
