import { AppError, contextOf, methodNotAllowed, sendJson, type WireProfile } from '@holdfast/http-kit';
import type { Request, RequestHandler, Response } from 'express';
import { clientOf, credentialPlaceOf, rememberClient } from './client-context.js';
import type { OriginRule } from './cross-site.js';
import { type PasswordLogin, readLoginForm } from './password-login.js';
import { credentialOf } from './request-credential.js';
import type { SessionCookie } from './session-cookie.js';
import { sessionDocument } from './session-document.js';
import type { SessionStore } from './session-store.js';
import type { IdentityConfig } from './variables.js';

/** What the session module needs. */
export interface SessionRoutesParts {
  readonly config: IdentityConfig;
  readonly profile: WireProfile;
  readonly cookie: SessionCookie;
  readonly origins: OriginRule;
  readonly sessions: SessionStore | null;
  /** Null: no login with name and password. */
  readonly passwordLogin: PasswordLogin | null;
  /** Clock in milliseconds. */
  readonly now: () => number;
}

type Operation = (request: Request, response: Response, parts: SessionRoutesParts) => Promise<void> | void;

/** Every resource of the module with its methods (spec/identity.md 4.2). */
const resources: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
  session: { GET: getSession, PUT: putSession, POST: postSession, DELETE: deleteSession },
  preauth: { GET: getPreauth },
  discovery: { GET: getDiscovery },
};

/** The middleware behind `Identity.sessionRoutes`. */
export function sessionRoutes(parts: SessionRoutesParts): RequestHandler {
  return async (request, response, next) => {
    const name = resourceName(request.path, parts.profile);
    if (name === null) return next();
    const requestContext = contextOf(request);
    requestContext.route = 'authn';
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Vary', 'Authorization, Cookie');
    try {
      await operationOf(name, request)(request, response, parts);
    } catch (error) {
      throw neverStored(error);
    }
  };
}

/** What stands below a prefix, without a trailing slash; null for paths of others. */
function resourceName(path: string, profile: WireProfile): string | null {
  const prefix = profile.authnPrefixes.find((candidate) => path === candidate || path.startsWith(`${candidate}/`));
  return prefix === undefined ? null : path.slice(prefix.length + 1).replace(/\/$/, '');
}

function operationOf(name: string, request: Request): Operation {
  const methods = Object.hasOwn(resources, name) ? resources[name] : undefined;
  if (methods === undefined) throw new AppError('not_found', 'The session module has session, preauth and discovery.');
  const operation = methods[request.method === 'HEAD' ? 'GET' : request.method];
  if (operation === undefined) throw methodNotAllowed(['HEAD', ...Object.keys(methods)]);
  return operation;
}

/** A 404 that a cache keeps would log people out. */
function neverStored(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const { code, detail, headers, cause } = error;
  return new AppError(code, detail, { cause: cause ?? error, headers: { ...headers, 'Cache-Control': 'no-store' } });
}

function getSession(request: Request, response: Response, parts: SessionRoutesParts): void {
  const document = sessionDocument(clientOf(request), parts.now());
  if (document === null) throw noSession();
  sendJson(request, response, 200, document);
}

async function putSession(request: Request, response: Response, parts: SessionRoutesParts): Promise<void> {
  const credential = credentialOf(request, parts.cookie.name);
  // bearer and static tokens live as long as they live: nothing to extend
  if (clientOf(request).session?.kind === 'cookie' && credential.kind === 'cookie') {
    const extended = await parts.sessions?.extend(credential.value);
    if (extended == null) throw noSession();
    rememberClient(request, extended, 'cookie');
  }
  getSession(request, response, parts);
}

async function postSession(request: Request, response: Response, parts: SessionRoutesParts): Promise<void> {
  const { passwordLogin, sessions } = parts;
  if (passwordLogin === null || sessions === null) throw methodNotAllowed(['HEAD', 'GET', 'PUT', 'DELETE']);
  // also without a cookie: another site could log somebody in as itself
  parts.origins.refuseCrossSite(request);
  if (clientOf(request).client !== null)
    throw new AppError('already_logged_in', 'There is a session already; DELETE it first to log in as somebody else.');
  const { name, password } = await readLoginForm(request);
  const { client, attributes } = await passwordLogin.logIn(name, password, request.ip ?? '').catch((error: unknown) => {
    // without the name: people type passwords into the wrong field
    if (error instanceof AppError) contextOf(request).log.info({ event: 'login_refused', reason: error.code });
    throw error;
  });
  const { id, context } = await sessions.begin(client, attributes);
  parts.cookie.set(request, response, id);
  contextOf(request).log.info({ event: 'login', client: client.id, provider: 'local', address: request.ip });
  sendJson(request, response, 200, sessionDocument(context, parts.now()));
}

async function deleteSession(request: Request, response: Response, parts: SessionRoutesParts): Promise<void> {
  const logoutUrl = ownUrlParameter(request, 'logout_url', parts) ?? parts.config.LOGOUT_URL;
  if (credentialPlaceOf(request) === 'header')
    throw new AppError('method_not_allowed', 'A bearer token cannot be ended here; it ends with its time.', {
      headers: { Allow: 'HEAD, GET, PUT' },
    });
  const { client, session } = clientOf(request);
  const credential = credentialOf(request, parts.cookie.name);
  if (client === null || credential.kind !== 'cookie') {
    // R: the same shape, so that a client that logs out twice finds its way all the same
    sendJson(request, response, 404, { logout_url: logoutUrl });
    return;
  }
  if (session?.kind === 'cookie') await parts.sessions?.end(credential.value);
  parts.cookie.clear(request, response);
  contextOf(request).log.info({ event: 'logout', client: client.id });
  sendJson(request, response, 200, { logout_url: logoutUrl });
}

function getPreauth(request: Request, response: Response, parts: SessionRoutesParts): void {
  ownUrlParameter(request, 'referrer', parts);
  if (parts.passwordLogin === null)
    throw new AppError('method_not_allowed', 'This deployment has no login of its own.');
  sendJson(request, response, 200, {
    authentication_type: 'database',
    login_form: {
      method: 'POST',
      action: `${parts.profile.authnPrefixes[0] ?? ''}/session`,
      input_fields: [
        { type: 'text', name: 'username' },
        { type: 'password', name: 'password' },
      ],
    },
  });
}

function getDiscovery(request: Request, response: Response, parts: SessionRoutesParts): void {
  const issuers = parts.config.OIDC.map(({ issuer, requiredScope }) => ({
    issuer,
    scopes: requiredScope === undefined ? ['openid'] : ['openid', requiredScope],
  }));
  sendJson(request, response, 200, issuers.length === 0 ? {} : { issuers });
}

/**
 * A URL in the query that we will send the browser to.
 * @throws {AppError} `bad_request` when it leads to somebody else
 */
function ownUrlParameter(request: Request, name: string, parts: SessionRoutesParts): string | null {
  const [value, ...more] = new URLSearchParams(request.originalUrl.split('?').slice(1).join('?')).getAll(name);
  if (value === undefined) return null;
  if (more.length > 0 || !parts.origins.isOurs(request, value))
    throw new AppError('bad_request', `The URL in ${JSON.stringify(name)} must lead to this site or an allowed one.`);
  return value;
}

function noSession(): AppError {
  return new AppError('no_session', 'There is no session: log in, or send a bearer token.');
}
