import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import { z } from 'zod';
import { attributeDocument, clientDocument } from './client-documents.js';
import { invalidToken } from './refusals.js';
import { IDENTITY_ISSUER, SERVICE_PREFIX, SERVICE_TOKEN_SECONDS } from './service-signer.js';
import { LEEWAY_SECONDS, refusedByJose, type VerifiedToken } from './verified-token.js';

/** Checks tokens that services made: for themselves or, delegated, for a client (spec/identity.md 6.1, 7). */
export interface ServiceTokens {
  /** @throws {AppError} `invalid_token` */
  verify(token: string): Promise<VerifiedToken>;
}

/** What checking needs. */
export interface ServiceTokensOptions {
  readonly keys: JSONWebKeySet;
  /** Name of this service. */
  readonly audience: string;
  readonly now: () => number;
  /** Whether the job of a delegated token is over. */
  readonly isJobOver: (jobId: string, token: string) => Promise<boolean>;
  /** Whether the cookie session the token was made in was ended by logging out. */
  readonly isLoggedOut: (sessionKey: string) => Promise<boolean>;
}

const delegatedClaims = z.object({
  sub: z.string(),
  jti: z.string().min(1),
  scope: z.literal('read'),
  client: clientDocument,
  attributes: z.array(attributeDocument),
  act: z.object({ sub: z.string().startsWith(SERVICE_PREFIX) }),
  sid: z.string().optional(),
});

/** Makes the checker. */
export function openServiceTokens(options: ServiceTokensOptions): ServiceTokens {
  const keys = createLocalJWKSet(options.keys);
  return {
    verify: async (token) => {
      const { payload } = await jwtVerify(token, keys, {
        algorithms: ['EdDSA'],
        audience: options.audience,
        requiredClaims: ['iss', 'sub', 'iat', 'exp'],
        clockTolerance: LEEWAY_SECONDS,
        currentDate: new Date(options.now()),
      }).catch(refusedByJose);
      if ((payload.iat ?? 0) > options.now() / 1000 + LEEWAY_SECONDS)
        throw invalidToken('The token says it was issued in the future.');
      return payload.iss === IDENTITY_ISSUER ? delegated(payload, token, options) : ofService(payload);
    },
  };
}

/**
 * The job of a delegated token, whichever services it is made out to: for the service that made it, when another asks about it.
 * @throws {AppError} `invalid_token`
 */
export async function jobOfDelegation(keys: JSONWebKeySet, token: string): Promise<string> {
  const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
    algorithms: ['EdDSA'],
    issuer: IDENTITY_ISSUER,
    requiredClaims: ['jti', 'exp'],
    clockTolerance: LEEWAY_SECONDS,
  }).catch(refusedByJose);
  return payload.jti ?? '';
}

async function delegated(payload: JWTPayload, token: string, options: ServiceTokensOptions): Promise<VerifiedToken> {
  const claims = delegatedClaims.safeParse(payload);
  if (!claims.success || claims.data.client.id !== claims.data.sub)
    throw invalidToken('The delegated token does not have the claims it needs.');
  const { client, attributes, act, jti, sid } = claims.data;
  if (await options.isJobOver(jti, token)) throw invalidToken('The job this token was made for is over.');
  if (sid !== undefined && (await options.isLoggedOut(sid)))
    throw invalidToken('The client of this token has logged out.');
  return { kind: 'delegated', client, attributes, ...timesOf(payload), readOnly: true, actor: act.sub };
}

function ofService(payload: JWTPayload): VerifiedToken {
  const { iss, sub = '', iat = 0, exp = 0 } = payload;
  if (iss !== sub) throw invalidToken('A service can sign only for itself.');
  if (exp - iat > SERVICE_TOKEN_SECONDS) throw invalidToken('The token of a service lives five minutes at most.');
  const displayName = sub.slice(SERVICE_PREFIX.length);
  return {
    kind: 'service',
    client: { id: sub, displayName },
    attributes: [],
    ...timesOf(payload),
    readOnly: false,
    actor: null,
  };
}

function timesOf({ iat = 0, exp = 0 }: JWTPayload): { readonly since: Date; readonly expires: Date } {
  return { since: new Date(iat * 1000), expires: new Date(exp * 1000) };
}
