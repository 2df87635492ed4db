import { AppError, contextOf } from '@holdfast/http-kit';
import type { Request, RequestHandler, Response } from 'express';
import type { BearerTokens } from './bearer-tokens.js';
import { anonymousContext, type ClientContext, type CredentialPlace, rememberClient } from './client-context.js';
import type { OriginRule } from './cross-site.js';
import type { DevTokens } from './dev-tokens.js';
import { credentialOf } from './request-credential.js';
import type { SessionCookie } from './session-cookie.js';
import type { SessionStore } from './session-store.js';

/** What authentication needs. */
export interface AuthenticatorParts {
  readonly bearer: BearerTokens;
  readonly devTokens: DevTokens;
  /** Null: the deployment has no cookie sessions. */
  readonly sessions: SessionStore | null;
  readonly cookie: SessionCookie;
  readonly origins: OriginRule;
}

/** The middleware behind `Identity.authenticate`. */
export function authenticator(parts: AuthenticatorParts): RequestHandler {
  return async (request, response, next) => {
    try {
      const { context, place } = await identify(request, response, parts);
      rememberClient(request, context, place);
      logClient(request, context);
      if (place === 'cookie' && !isSafe(request)) parts.origins.refuseCrossSite(request);
      if (context.readOnly && request.method !== 'GET' && request.method !== 'HEAD')
        throw new AppError('forbidden', 'This token is for reading only: it is good for GET and HEAD.');
    } catch (error) {
      auditRefusal(request, error);
      throw error;
    }
    next();
  };
}

async function identify(
  request: Request,
  response: Response,
  parts: AuthenticatorParts,
): Promise<{ readonly context: ClientContext; readonly place: CredentialPlace }> {
  const credential = credentialOf(request, parts.cookie.name);
  switch (credential.kind) {
    case 'none':
      return { context: anonymousContext, place: 'none' };
    case 'bearer':
      return { context: await parts.bearer.verify(credential.token), place: 'header' };
    case 'cookie': {
      const context = await contextOfCookie(credential.value, parts);
      if (context !== null) return { context, place: 'cookie' };
      // browsers keep sending what has ended: not an error, but they are told to stop (spec/identity.md 3)
      parts.cookie.clear(request, response);
      return { context: anonymousContext, place: 'none' };
    }
  }
}

async function contextOfCookie(value: string, parts: AuthenticatorParts): Promise<ClientContext | null> {
  const known = parts.devTokens.find(value);
  if (known === 'expired') return null;
  return known ?? (await parts.sessions?.use(value)) ?? null;
}

function isSafe(request: Request): boolean {
  return request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS';
}

function logClient(request: Request, context: ClientContext): void {
  const { client, session, actor } = context;
  if (client === null || session === null) return;
  const { logFields } = contextOf(request);
  // the start of the hash is enough to follow a session through the log
  Object.assign(logFields, { client: client.id, session: `${session.kind}:${session.key.slice(0, 12)}` });
  if (actor !== null) logFields.actor = actor;
}

/** Refused credentials are logged with the reason, never with the credential (spec/identity.md 8, audit). */
function auditRefusal(request: Request, error: unknown): void {
  if (!(error instanceof AppError) || error.status >= 500) return;
  const { log } = contextOf(request);
  log.info({ event: 'credential_refused', reason: error.code, detail: error.detail, address: request.ip });
}
