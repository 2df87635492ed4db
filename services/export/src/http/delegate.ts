import { AppError, contextOf } from '@holdfast/http-kit';
import { type ClientContext, clientOf, credentialOf, type ServiceSigner } from '@holdfast/identity';
import type { Request } from 'express';
import type { LoginSessions } from '../job/login-sessions.js';
import type { ExportCredentials } from '../job/sealed-credential.js';
import type { CatalogServer, DelegationMode } from '../request/catalog-host.js';
import type { Login } from '../request/parse-request.js';

/** What delegating needs. */
export interface DelegationParts {
  readonly signer: ServiceSigner;
  /** Life of the delegated token. */
  readonly seconds: number;
  readonly sessions: LoginSessions;
  /** Name of the session cookie. */
  readonly cookieName: string;
  /** Some configured server gets the caller's own credential. */
  readonly forwards: boolean;
}

/** For whom an export is made, and with what it acts for them. */
export interface Creator {
  /** Null: anonymous. */
  readonly id: string | null;
  readonly name: string | null;
  readonly credentials: ExportCredentials;
}

/** Services that a delegated token is good for. */
const AUDIENCES = ['urn:service:catalog', 'urn:service:objectstore'];

/**
 * Finds out who makes an export, and with what the worker acts for them: a read-only token of ours, the caller's own credential for
 * servers that want it, or a session that is begun here with the name and password of the request (spec/export.md 9.2,
 * spec/identity.md 6.1). The password goes no further.
 */
export async function delegate(
  parts: DelegationParts,
  request: Request,
  exportId: string,
  server: CatalogServer,
  login: Login | null,
): Promise<Creator> {
  const context = clientOf(request);
  const own = {
    internal: await ownToken(parts, context, exportId),
    forward: parts.forwards ? forwarded(parts, request, context) : null,
    session: null,
  };
  const { client } = context;
  if (login === null) return { id: client?.id ?? null, name: client?.displayName ?? null, credentials: own };
  const { signal } = contextOf(request);
  const session = await parts.sessions.begin(server.baseUrl, login, request.ip ?? '', signal);
  const mode: DelegationMode = server.delegation ?? 'internal';
  return {
    id: client?.id ?? session.clientId,
    name: client === null ? session.displayName : (client.displayName ?? null),
    credentials: {
      ...own,
      // the session is of the catalog that was asked: other kinds of servers do not know it
      [mode]: { cookie: session.cookie },
      session: { baseUrl: server.baseUrl, cookie: session.cookie },
    },
  };
}

async function ownToken(
  parts: DelegationParts,
  context: ClientContext,
  exportId: string,
): Promise<ExportCredentials['internal']> {
  if (context.client === null) return null;
  const { signer, seconds } = parts;
  return { bearer: await signer.delegate({ context, exportId, audiences: AUDIENCES, seconds }) };
}

function forwarded(parts: DelegationParts, request: Request, context: ClientContext): ExportCredentials['forward'] {
  if (context.client === null) return null;
  const credential = credentialOf(request, parts.cookieName);
  switch (credential.kind) {
    case 'bearer':
      return { bearer: credential.token };
    case 'cookie':
      return { cookie: `${parts.cookieName}=${credential.value}` };
    case 'none':
      throw new AppError('internal', 'A known client has shown no credential.');
  }
}
