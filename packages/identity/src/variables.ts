import { integerVariable, jsonVariable, listVariable, type ProcessConfig } from '@holdfast/http-kit';
import { z } from 'zod';
import { attributeDocument, clientDocument } from './client-documents.js';

/** Signature algorithms that may be allowed; `none` and HMAC never are (spec/identity.md 3.1). */
export const signatureAlgorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;

const url = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

const issuer = z.strictObject({
  issuer: url,
  audiences: z.array(z.string().min(1)).min(1),
  jwksUri: url.optional(),
  algorithms: z
    .array(z.enum(signatureAlgorithms))
    .min(1)
    .default([...signatureAlgorithms]),
  /** `{issuer}` (without a trailing slash) and `{<claim>}` are replaced. */
  clientIdTemplate: z.string().min(1).default('{issuer}/{sub}'),
  groupsClaim: z.string().min(1).default('groups'),
  groupPrefix: z.string().default(''),
  nameClaims: z
    .strictObject({
      displayName: z.string().default('preferred_username'),
      fullName: z.string().default('name'),
      email: z.string().default('email'),
    })
    .prefault({}),
  requiredScope: z.string().min(1).optional(),
  /** Whether ids and groups of this issuer may begin with `urn:service:` (client credentials of our own services). */
  serviceIdentities: z.boolean().default(false),
});

/** One issuer of access tokens. */
export type IssuerConfig = z.output<typeof issuer>;

const devToken = z.strictObject({
  // must survive both as a bearer token and as a cookie value
  token: z.string().regex(/^[A-Za-z0-9._~+/-]+=*$/, 'must be letters, digits and . _ ~ + / -'),
  client: clientDocument,
  attributes: z.array(attributeDocument).default([]),
  expires: z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text))
    .optional(),
});

/** One static development token. */
export type DevToken = z.output<typeof devToken>;

const publicKeys = z.object({
  keys: z.array(
    z.looseObject({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), kid: z.string().min(1), x: z.string() }),
  ),
});

/** Environment variables of every service that knows its clients. Explained in the README. */
export const identityVariables = {
  AUTH_MODE: z.enum(['dev', 'production']).default('production'),
  DEV_TOKENS: jsonVariable(z.array(devToken)).default([]),
  OIDC: jsonVariable(z.array(issuer)).default([]),
  SERVICE_JWKS: jsonVariable(publicKeys).default({ keys: [] }),
  IDENTITY_DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' }).optional(),
  SESSION_COOKIE_NAME: z
    .string()
    .regex(/^[A-Za-z0-9_.-]+$/, 'must be letters, digits and _ . -')
    .optional(),
  SESSION_COOKIE_DOMAIN: z
    .string()
    .regex(/^[A-Za-z0-9.-]+$/, 'must be a domain name')
    .optional(),
  SESSION_IDLE_SECONDS: integerVariable({ min: 60 }).default(1800),
  SESSION_ABSOLUTE_SECONDS: integerVariable({ min: 60 }).default(43_200),
  PASSWORD_LOGIN: z.enum(['local', 'off']).default('off'),
  ALLOWED_ORIGINS: listVariable()
    .default([])
    .pipe(z.array(url.transform((text) => new URL(text).origin))),
  REVOCATION_URL: url.transform((text) => text.replace(/\/+$/, '')).optional(),
  LOGOUT_URL: z.string().min(1).default('/'),
};

/** Parsed form of {@link identityVariables} with what identity needs of the process's own. */
export type IdentityConfig = z.output<z.ZodObject<typeof identityVariables>> &
  Pick<ProcessConfig, 'NODE_ENV' | 'ALLOW_DEV_TOKENS_IN_PRODUCTION' | 'PUBLIC_URL'>;
