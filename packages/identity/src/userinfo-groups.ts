import { AppError, type Logger } from '@holdfast/http-kit';
import type { JWTPayload } from 'jose';
import { z } from 'zod';
import { credentialHash } from './hashing.js';
import { discover, fetchDocument, type ProviderAccess } from './provider-documents.js';

/** Groups that do not fit into the token: the provider sends a reference instead (spec/identity.md 3.1). */
export interface UserinfoGroups {
  /**
   * The groups claim of `userinfo`, asked once per token and kept for five minutes.
   * @throws {AppError} `unavailable` when it cannot be had; nobody is silently let in with fewer groups
   */
  claimOf(token: string, payload: JWTPayload): Promise<unknown>;
}

const KEEP = 5 * 60_000;
const MOST_ENTRIES = 1_000;

/** Whether a token says that its groups claim is somewhere else (OpenID Connect 5.6.2). */
export function refersToGroups(payload: JWTPayload, groupsClaim: string): boolean {
  const names = z.record(z.string(), z.unknown()).safeParse(payload._claim_names);
  return names.success && Object.hasOwn(names.data, groupsClaim);
}

/** Asks the provider's `userinfo`. */
export function userinfoGroups(
  access: ProviderAccess & { readonly groupsClaim: string; readonly now: () => number; readonly log: Logger },
): UserinfoGroups {
  const known = new Map<string, { readonly claim: unknown; readonly until: number }>();
  return {
    claimOf: async (token, payload) => {
      const key = credentialHash(token).toString('hex');
      const entry = known.get(key);
      if (entry !== undefined && entry.until > access.now()) return entry.claim;
      const claims = await ask(access, token).catch((error: unknown) => {
        access.log.warn({ err: error, issuer: access.issuer }, 'the groups of a client could not be fetched');
        throw new AppError('unavailable', 'The issuer of the token cannot be asked for its groups; try again.');
      });
      // OpenID Connect 5.3.2: claims of another subject must not be used
      const claim = claims.sub === payload.sub ? claims[access.groupsClaim] : undefined;
      if (known.size >= MOST_ENTRIES) known.delete(known.keys().next().value ?? '');
      known.set(key, { claim, until: Math.min(access.now() + KEEP, (payload.exp ?? 0) * 1000) });
      return claim;
    },
  };
}

async function ask(access: ProviderAccess, token: string): Promise<Readonly<Record<string, unknown>>> {
  const { userinfo_endpoint: location } = await discover(access);
  if (location === undefined) throw new Error('the provider has no userinfo endpoint');
  return z.record(z.string(), z.unknown()).parse(await fetchDocument(access, location, token));
}
