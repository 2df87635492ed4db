import { ANONYMOUS_ROLES, type Roles, rolesOf } from '@holdfast/acl';
import { AppError } from '@holdfast/http-kit';
import type { Request } from 'express';

/** Who sends a request (spec/identity.md 1). Its document form has snake_case members: `client-documents.ts`. */
export interface Client {
  /** Stable and globally unique; the value that stands in lists. */
  readonly id: string;
  readonly displayName?: string;
  readonly fullName?: string;
  readonly email?: string;
  /** Other ids of the same person, also good in lists. */
  readonly identities?: readonly string[];
}

/** A group or other identity of a client. */
export interface Attribute {
  readonly id: string;
  readonly displayName?: string;
}

/**
 * How the client proved itself: `bearer` an access token of a provider, `cookie` a session of ours, `static` a development token (in
 * the header or in the cookie), `service` a token a service signed for itself, `delegated` a token for a job of the client.
 */
export type SessionKind = 'bearer' | 'cookie' | 'static' | 'service' | 'delegated';

/** The proof, without the credential itself. */
export interface ClientSession {
  readonly kind: SessionKind;
  readonly since: Date;
  /** Null: never. */
  readonly expires: Date | null;
  /** SHA-256 of the credential in hexadecimal, for logs and caches. */
  readonly key: string;
}

/** What a service learns about the sender of a request. */
export interface ClientContext {
  /** Null: anonymous. */
  readonly client: Client | null;
  /** Groups; the client's own id is not repeated here. */
  readonly attributes: readonly Attribute[];
  /** Everything lists are matched with; {@link ANONYMOUS_ROLES} for the anonymous client. */
  readonly roles: Roles;
  readonly session: ClientSession | null;
  /** The credential is good for GET and HEAD only (spec/identity.md 6.1). */
  readonly readOnly: boolean;
  /** The service that acts for the client, for audit; null when the client acts itself. */
  readonly actor: string | null;
}

/** Nobody in particular. */
export const anonymousContext: ClientContext = Object.freeze({
  client: null,
  attributes: [],
  roles: ANONYMOUS_ROLES,
  session: null,
  readOnly: false,
  actor: null,
});

/**
 * The context of a known client, its roles computed.
 * @throws {AclError} when the client's id cannot be used in lists
 */
export function knownContext(parts: {
  readonly client: Client;
  readonly attributes: readonly Attribute[];
  readonly session: ClientSession;
  readonly readOnly?: boolean;
  readonly actor?: string | null;
}): ClientContext {
  const { client, attributes, session, readOnly = false, actor = null } = parts;
  return Object.freeze({ client, attributes, roles: rolesOf(client, attributes), session, readOnly, actor });
}

/** Where a credential was found; the cross-site rule and the session module depend on it. */
export type CredentialPlace = 'header' | 'cookie' | 'none';

const contexts = new WeakMap<object, { readonly context: ClientContext; readonly place: CredentialPlace }>();

/**
 * Who sent the request.
 * @throws {AppError} `internal` before `Identity.authenticate` has seen the request: nobody is anonymous by mistake
 */
export function clientOf(request: Request): ClientContext {
  return entryOf(request).context;
}

/** Where the credential of the request was; `none` for a stale cookie too. */
export function credentialPlaceOf(request: Request): CredentialPlace {
  return entryOf(request).place;
}

/** Remembers the outcome of authentication for {@link clientOf}. */
export function rememberClient(request: Request, context: ClientContext, place: CredentialPlace): void {
  contexts.set(request, { context, place });
}

function entryOf(request: Request): { readonly context: ClientContext; readonly place: CredentialPlace } {
  const entry = contexts.get(request);
  if (entry === undefined) throw new AppError('internal', 'The request was not authenticated.');
  return entry;
}
