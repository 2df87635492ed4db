import type { HealthCheck, Logger, Metrics, WireProfile } from '@holdfast/http-kit';
import type { RequestHandler } from 'express';
import { authenticator } from './authenticate.js';
import { openDevTokens } from './dev-tokens.js';
import type { IdentityConfig } from './variables.js';

/** What identity is made of. */
export interface IdentityOptions {
  readonly config: IdentityConfig;
  readonly profile: WireProfile;
  readonly log: Logger;
  readonly metrics?: Metrics;
  /** The service's own name, for example `urn:service:catalog`: tokens between services must be made out to it. */
  readonly audience: string;
  readonly ports?: IdentityPorts;
}

/** The outside world; all have defaults. */
export interface IdentityPorts {
  /** Clock, in milliseconds since 1970. */
  readonly now?: () => number;
  /** For discovery and keys of providers. */
  readonly fetch?: typeof fetch;
  /**
   * Whether the job a delegated token was made for is over or cancelled. Asked at most once a minute per token.
   * @param jobId the token's `jti`
   */
  readonly isDelegationRevoked?: (jobId: string) => Promise<boolean>;
}

/** Identity of one service process. */
export interface Identity {
  /**
   * Finds out who sends the request, for `clientOf`. Refuses invalid credentials (401), cookie requests from other sites and
   * changes with a read-only token (403), and says 503 where it cannot tell; it never takes somebody for anonymous by mistake.
   */
  readonly authenticate: RequestHandler;
  /** The session module, at every prefix of the wire profile. Mount it after `authenticate`, in one service. */
  readonly sessionRoutes: RequestHandler;
  readonly checks: readonly HealthCheck[];
  close(): Promise<void>;
}

/**
 * Opens identity for a service: checks the configuration, brings the identity database to the newest schema if there is one.
 * @throws {ConfigError} when the configuration is not allowed
 */
export async function openIdentity(options: IdentityOptions): Promise<Identity> {
  const { config, log, ports = {} } = options;
  const now = ports.now ?? Date.now;
  const devTokens = openDevTokens(config, log, now);
  return {
    authenticate: authenticator({ devTokens }),
    sessionRoutes: (_request, _response, next) => next(),
    checks: [],
    close: async () => devTokens.close(),
  };
}
