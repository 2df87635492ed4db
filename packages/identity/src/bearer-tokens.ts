import { AppError } from '@holdfast/http-kit';
import { decodeJwt } from 'jose';
import { type ClientContext, knownContext } from './client-context.js';
import type { DevTokens } from './dev-tokens.js';
import { credentialHash } from './hashing.js';
import type { ProviderTokens } from './provider-tokens.js';
import { invalidToken } from './refusals.js';
import { IDENTITY_ISSUER, SERVICE_PREFIX } from './service-signer.js';
import type { ServiceTokens } from './service-tokens.js';
import { tokenCache } from './token-cache.js';
import { LEEWAY_SECONDS, type VerifiedToken } from './verified-token.js';

/** Everything that may stand behind `Authorization: Bearer`. */
export interface BearerTokens {
  /** @throws {AppError} `invalid_token`; `unavailable` when it cannot be decided now */
  verify(token: string): Promise<ClientContext>;
}

/** The kinds of bearer tokens. */
export interface BearerTokensOptions {
  readonly devTokens: DevTokens;
  readonly providers: readonly ProviderTokens[];
  readonly services: ServiceTokens;
  readonly now: () => number;
}

/** spec/identity.md 8. */
const MOST_TOKEN_BYTES = 8 * 1024;

/** Puts them together, with a cache of verdicts by the hash of the token. */
export function bearerTokens(options: BearerTokensOptions): BearerTokens {
  const cache = tokenCache(options.now);
  return {
    verify: async (token) => {
      if (token.length > MOST_TOKEN_BYTES) throw invalidToken(`The token is longer than ${MOST_TOKEN_BYTES} bytes.`);
      const known = options.devTokens.find(token);
      if (known === 'expired') throw invalidToken('The token has expired; get a new one.');
      if (known !== null) return known;
      const key = credentialHash(token).toString('hex');
      const verdict = cache.find(key);
      if (verdict?.kind === 'valid') return verdict.context;
      if (verdict?.kind === 'invalid') throw invalidToken(verdict.detail);
      try {
        const { kind, since, expires, ...rest } = await verifyJwt(token, options);
        const context = knownContext({ ...rest, session: { kind, since, expires, key } });
        cache.put(key, { kind: 'valid', context }, expires.getTime() + LEEWAY_SECONDS * 1000);
        return context;
      } catch (error) {
        if (error instanceof AppError && error.code === 'invalid_token')
          cache.put(key, { kind: 'invalid', detail: error.detail }, Number.POSITIVE_INFINITY);
        throw error;
      }
    },
  };
}

/** The issuer a token claims decides who checks it; nothing else of it is believed before. */
async function verifyJwt(token: string, options: BearerTokensOptions): Promise<VerifiedToken> {
  const issuer = claimedIssuer(token);
  const provider = options.providers.find((candidate) => candidate.issuer === issuer);
  if (provider !== undefined) return provider.verify(token);
  if (issuer === IDENTITY_ISSUER || issuer.startsWith(SERVICE_PREFIX)) return options.services.verify(token);
  throw invalidToken('The token comes from an issuer that is not known here.');
}

function claimedIssuer(token: string): string {
  try {
    const { iss } = decodeJwt(token);
    if (typeof iss === 'string') return iss;
  } catch (error) {
    // spec/identity.md 3.2: there is no introspection, so a token must be a JWT or one of the development tokens
    throw invalidToken('The token is neither a JWT nor known here.', error);
  }
  throw invalidToken('The token names no issuer.');
}
