import { type CryptoKey, importJWK, type JWK, SignJWT } from 'jose';
import type { ClientContext } from './client-context.js';
import { toAttributeDocument, toClientDocument } from './client-documents.js';

/** Issuer of delegated tokens. */
export const IDENTITY_ISSUER = 'urn:service:identity';

/** Every service is called `urn:service:<name>`. */
export const SERVICE_PREFIX = 'urn:service:';

/** Life of a service's own token in seconds (spec/identity.md 7: at most 5 minutes). */
export const SERVICE_TOKEN_SECONDS = 300;

/** Signs for a service, with its own key. */
export interface ServiceSigner {
  /**
   * A token by which the service acts for itself, good for five minutes at one other service.
   * @param audience for example `urn:service:objectstore`
   */
  serviceToken(audience: string): Promise<string>;
  /**
   * A read-only token by which the service acts as a client, for one job (spec/identity.md 6.1).
   * @throws {TypeError} for an anonymous client, who needs no token, and for a client that is itself delegated
   */
  delegate(request: DelegationRequest): Promise<string>;
}

/** What is delegated. */
export interface DelegationRequest {
  /** The client at the time of the request; its groups are taken along as they are. */
  readonly context: ClientContext;
  readonly exportId: string;
  /** Services the token is good for. */
  readonly audiences: readonly string[];
  /** Life of the token. */
  readonly seconds: number;
}

/** Who signs. */
export interface ServiceSignerOptions {
  /** Default `urn:service:export`. */
  readonly service?: string;
  /** Clock in milliseconds. */
  readonly now?: () => number;
}

/**
 * Makes the signer of a service.
 * @param privateJwk Ed25519 private key with a `kid`; its public half stands in SERVICE_JWKS of all services
 */
export function serviceSigner(privateJwk: JWK, options: ServiceSignerOptions = {}): ServiceSigner {
  const { service = 'urn:service:export', now = Date.now } = options;
  const { kid } = privateJwk;
  if (kid === undefined || privateJwk.crv !== 'Ed25519')
    throw new TypeError('The key of a service is an Ed25519 JWK with a kid.');
  let imported: Promise<CryptoKey | Uint8Array> | null = null;
  const sign = async (token: SignJWT): Promise<string> => {
    imported ??= importJWK(privateJwk, 'EdDSA');
    return token.setProtectedHeader({ alg: 'EdDSA', kid }).sign(await imported);
  };
  const seconds = (): number => Math.floor(now() / 1000);
  return {
    serviceToken: (audience) =>
      sign(
        new SignJWT({})
          .setIssuer(service)
          .setSubject(service)
          .setAudience(audience)
          .setIssuedAt(seconds())
          .setExpirationTime(seconds() + SERVICE_TOKEN_SECONDS),
      ),
    delegate: async ({ context, exportId, audiences, seconds: life }) => {
      const { client, attributes, session } = context;
      if (client === null) throw new TypeError('An anonymous client has nothing to delegate.');
      if (session?.kind === 'delegated') throw new TypeError('A delegated token cannot be delegated further.');
      return sign(
        new SignJWT({
          client: toClientDocument(client),
          attributes: attributes.map(toAttributeDocument),
          act: { sub: service },
          scope: 'read',
          // lets a logout end the token too; a hash, good for nothing else
          ...(session?.kind === 'cookie' ? { sid: session.key } : {}),
        })
          .setIssuer(IDENTITY_ISSUER)
          .setSubject(client.id)
          .setAudience([...audiences])
          .setJti(exportId)
          .setIssuedAt(seconds())
          .setExpirationTime(seconds() + life),
      );
    },
  };
}
