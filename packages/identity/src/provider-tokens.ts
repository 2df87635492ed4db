import { isRoleId } from '@holdfast/acl';
import type { Logger } from '@holdfast/http-kit';
import { type JWTPayload, jwtVerify } from 'jose';
import { z } from 'zod';
import type { Attribute, Client } from './client-context.js';
import { openKeySet } from './key-set.js';
import { invalidToken } from './refusals.js';
import { SERVICE_PREFIX } from './service-signer.js';
import { refersToGroups, userinfoGroups } from './userinfo-groups.js';
import type { IssuerConfig } from './variables.js';
import { LEEWAY_SECONDS, refusedByJose, type VerifiedToken } from './verified-token.js';

/** Checks access tokens of one provider (spec/identity.md 3.1). */
export interface ProviderTokens {
  readonly issuer: string;
  /** @throws {AppError} `invalid_token`, or `unavailable` when the provider's keys cannot be had */
  verify(token: string): Promise<VerifiedToken>;
}

/** What checking needs. */
export interface ProviderTokensOptions {
  readonly config: IssuerConfig;
  readonly fetch: typeof fetch;
  readonly now: () => number;
  readonly log: Logger;
}

const MOST_GROUPS = 500;

/** Makes the checker of one issuer; its keys are fetched at first use. */
export function openProviderTokens(options: ProviderTokensOptions): ProviderTokens {
  const { config, fetch, now, log } = options;
  const keys = openKeySet({ issuer: config.issuer, jwksUri: config.jwksUri, fetch, now, log });
  const elsewhere = userinfoGroups({ issuer: config.issuer, groupsClaim: config.groupsClaim, fetch, now, log });
  return {
    issuer: config.issuer,
    verify: async (token) => {
      const { payload } = await jwtVerify(token, keys.keyOf, {
        algorithms: [...config.algorithms],
        issuer: config.issuer,
        audience: [...config.audiences],
        requiredClaims: ['exp', 'sub'],
        clockTolerance: LEEWAY_SECONDS,
        currentDate: new Date(now()),
      }).catch(refusedByJose);
      const issuedAt = payload.iat ?? now() / 1000;
      if (issuedAt > now() / 1000 + LEEWAY_SECONDS) throw invalidToken('The token says it was issued in the future.');
      requireScope(config, payload);
      return {
        client: clientOfClaims(config, payload),
        attributes: groupsOf(
          config,
          refersToGroups(payload, config.groupsClaim)
            ? await elsewhere.claimOf(token, payload)
            : payload[config.groupsClaim],
        ),
        since: new Date(issuedAt * 1000),
        expires: new Date((payload.exp ?? 0) * 1000),
        kind: 'bearer',
        readOnly: false,
        actor: null,
      };
    },
  };
}

/** `scope` of RFC 8693, or `scp` of some providers, as text or array. */
function requireScope(config: IssuerConfig, payload: JWTPayload): void {
  if (config.requiredScope === undefined) return;
  const scopes = z
    .union([z.string().transform((text) => text.split(' ')), z.array(z.string())])
    .safeParse(payload.scope ?? payload.scp);
  if (!scopes.success || !scopes.data.includes(config.requiredScope))
    throw invalidToken(`The token lacks the scope ${JSON.stringify(config.requiredScope)}.`);
}

function clientOfClaims(config: IssuerConfig, payload: JWTPayload): Client {
  const text = (claim: string): string | undefined => {
    const value = payload[claim];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const id = config.clientIdTemplate.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = name === 'issuer' ? config.issuer.replace(/\/$/, '') : text(name);
    if (value === undefined) throw invalidToken(`The token lacks the claim ${JSON.stringify(name)}.`);
    return value;
  });
  if (!isRoleId(id)) throw invalidToken('The client id made of the token cannot be used in access lists.');
  if (!config.serviceIdentities && id.startsWith(SERVICE_PREFIX))
    throw invalidToken('The issuer of the token may not name services.');
  const displayName = text(config.nameClaims.displayName);
  const fullName = text(config.nameClaims.fullName);
  const email = text(config.nameClaims.email);
  return {
    id,
    ...(displayName === undefined ? {} : { displayName }),
    ...(fullName === undefined ? {} : { fullName }),
    ...(email === undefined ? {} : { email }),
  };
}

function groupsOf(config: IssuerConfig, claim: unknown): readonly Attribute[] {
  if (claim === undefined || claim === null) return [];
  const names = z.array(z.string()).safeParse(claim);
  if (!names.success) throw invalidToken('The groups claim of the token is not an array of strings.');
  if (names.data.length > MOST_GROUPS)
    throw invalidToken(`The token lists ${names.data.length} groups; ${MOST_GROUPS} is the most.`);
  return names.data
    .map((name) => ({ id: `${config.groupPrefix}${name}`, displayName: name }))
    .filter(({ id }) => isRoleId(id) && (config.serviceIdentities || !id.startsWith(SERVICE_PREFIX)));
}
