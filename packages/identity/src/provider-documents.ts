import { z } from 'zod';

/** How documents of a provider are fetched. */
export interface ProviderAccess {
  readonly issuer: string;
  readonly fetch: typeof fetch;
}

const FETCH_TIMEOUT = 5_000;

const discoveryDocument = z.object({
  issuer: z.string(),
  jwks_uri: z.url({ protocol: /^https?$/ }),
  userinfo_endpoint: z.url({ protocol: /^https?$/ }).optional(),
});

/** What we need of a provider's discovery document. */
export type DiscoveryDocument = z.output<typeof discoveryDocument>;

/** Fetches the discovery document. Throws when it cannot be had or is that of somebody else. */
export async function discover(access: ProviderAccess): Promise<DiscoveryDocument> {
  const base = access.issuer.replace(/\/$/, '');
  const document = discoveryDocument.parse(await fetchDocument(access, `${base}/.well-known/openid-configuration`));
  // OpenID Connect Discovery 4.3: a document of somebody else must not bring its keys
  if (document.issuer !== access.issuer) throw new Error('the discovery document names another issuer');
  return document;
}

/**
 * Fetches a JSON document of the provider. Throws when that takes longer than 5 s or the answer is not a success.
 * @param token sent as bearer when given
 */
export async function fetchDocument(access: ProviderAccess, location: string, token?: string): Promise<unknown> {
  const response = await access.fetch(location, {
    headers: { Accept: 'application/json', ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }) },
    redirect: 'error',
    signal: AbortSignal.timeout(FETCH_TIMEOUT),
  });
  if (!response.ok) throw new Error(`${location} answered ${response.status}`);
  return response.json();
}
