import { ConfigError, type HealthCheck, type Logger, type Metrics, type WireProfile } from '@holdfast/http-kit';
import { checkSchema, type Database, measurePool, migrate, openDatabase } from '@holdfast/pg-kit';
import type { RequestHandler } from 'express';
import { authenticator } from './authenticate.js';
import { bearerTokens } from './bearer-tokens.js';
import { originRule } from './cross-site.js';
import { openDevTokens } from './dev-tokens.js';
import { identityMigrations } from './migrations.js';
import { localPasswordLogin } from './password-login.js';
import { openProviderTokens } from './provider-tokens.js';
import { askForRevocation } from './revocation.js';
import { openServiceTokens } from './service-tokens.js';
import { sessionCookie } from './session-cookie.js';
import { sessionRoutes } from './session-routes.js';
import { type SessionTimes, sessionStore } from './session-store.js';
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
   * Whether the job a delegated token was made for is over or cancelled. Asked at most once a minute per token. Default: the service
   * at `REVOCATION_URL` is asked, or nobody where there is none.
   * @param jobId the token's `jti`
   */
  readonly isDelegationRevoked?: (jobId: string, token: string) => Promise<boolean>;
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
  const { config, profile, log, metrics, audience, ports = {} } = options;
  const now = ports.now ?? Date.now;
  if (config.PASSWORD_LOGIN === 'local' && config.IDENTITY_DATABASE_URL === undefined)
    throw new ConfigError(['PASSWORD_LOGIN: local users need a database; set IDENTITY_DATABASE_URL']);
  const devTokens = openDevTokens(config, log, now);
  const database = await openIdentityDatabase(config, metrics).catch((error: unknown) => {
    devTokens.close();
    throw error;
  });
  const sessions = database === null ? null : sessionStore(database, timesOf(config, now));
  const services = openServiceTokens({
    keys: config.SERVICE_JWKS,
    audience,
    now,
    isJobOver: ports.isDelegationRevoked ?? revocationOf(config, ports.fetch ?? fetch, now, log),
    isLoggedOut: async (key) => (await sessions?.isLoggedOut(key)) ?? false,
  });
  const providers = config.OIDC.map((issuer) =>
    openProviderTokens({ config: issuer, fetch: ports.fetch ?? fetch, now, log }),
  );
  const bearer = bearerTokens({ devTokens, providers, services, now });
  const cookie = sessionCookie(config, profile.sessionCookieName);
  const origins = originRule(config);
  const passwordLogin = database === null || config.PASSWORD_LOGIN === 'off' ? null : localPasswordLogin(database, now);
  return {
    authenticate: authenticator({ bearer, devTokens, sessions, cookie, origins }),
    sessionRoutes: sessionRoutes({ config, profile, cookie, origins, sessions, passwordLogin, now }),
    checks: database === null ? [] : [databaseCheck(database)],
    close: async () => {
      devTokens.close();
      await database?.close();
    },
  };
}

function revocationOf(
  config: IdentityConfig,
  ask: typeof fetch,
  now: () => number,
  log: Logger,
): NonNullable<IdentityPorts['isDelegationRevoked']> {
  return config.REVOCATION_URL === undefined
    ? async () => false
    : askForRevocation({ url: config.REVOCATION_URL, fetch: ask, now, log });
}

const MOST_CONNECTIONS = 4;

async function openIdentityDatabase(config: IdentityConfig, metrics: Metrics | undefined): Promise<Database | null> {
  if (config.IDENTITY_DATABASE_URL === undefined) return null;
  const database = await migratedDatabase(config.IDENTITY_DATABASE_URL);
  if (metrics !== undefined) measurePool(metrics, 'identity', database);
  return database;
}

/** Brings the identity database to the newest schema, where there is one. */
export async function migrateIdentity(url: string | undefined): Promise<void> {
  if (url !== undefined) await (await migratedDatabase(url)).close();
}

async function migratedDatabase(url: string): Promise<Database> {
  const database = openDatabase({ url, applicationName: 'holdfast identity', maxConnections: MOST_CONNECTIONS });
  try {
    await migrate(database, identityMigrations);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

function timesOf(config: IdentityConfig, now: () => number): SessionTimes {
  return { idleSeconds: config.SESSION_IDLE_SECONDS, absoluteSeconds: config.SESSION_ABSOLUTE_SECONDS, now };
}

function databaseCheck(database: Database): HealthCheck {
  return {
    name: 'identity_database',
    check: (signal) => checkSchema(database, identityMigrations, signal),
  };
}
