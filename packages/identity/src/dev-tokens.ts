import { timingSafeEqual } from 'node:crypto';
import { ConfigError, type Logger } from '@holdfast/http-kit';
import { type ClientContext, knownContext } from './client-context.js';
import { credentialHash } from './hashing.js';
import type { IdentityConfig } from './variables.js';

/** The static development tokens (spec/identity.md 3.4). */
export interface DevTokens {
  /** The client of a token: null when it is none of ours, `expired` when its time is over. */
  find(credential: string): ClientContext | 'expired' | null;
  close(): void;
}

/**
 * Reads the development tokens of the configuration. Where they are allowed in production a warning says so every minute.
 * @param now clock in milliseconds
 * @throws {ConfigError} when the mode of the deployment forbids them
 */
export function openDevTokens(config: IdentityConfig, log: Logger, now: () => number): DevTokens {
  const fault = faultOf(config);
  if (fault !== null) throw new ConfigError([fault]);
  const since = new Date(now());
  const tokens = config.DEV_TOKENS.map(({ token, client, attributes, expires = null }) => {
    const hash = credentialHash(token);
    const session = { kind: 'static', since, expires, key: hash.toString('hex') } as const;
    return { hash, expires, context: knownContext({ client, attributes, session }) };
  });
  const warning = warnEveryMinute(config, log);
  return {
    find: (credential) => {
      const hash = credentialHash(credential);
      // every token is compared, each in constant time
      const found = tokens.filter((token) => timingSafeEqual(token.hash, hash))[0];
      if (found === undefined) return null;
      return found.expires !== null && found.expires.getTime() <= now() ? 'expired' : found.context;
    },
    close: () => clearInterval(warning),
  };
}

function faultOf(config: IdentityConfig): string | null {
  if (config.DEV_TOKENS.length === 0) return null;
  if (config.AUTH_MODE !== 'dev') return 'DEV_TOKENS: development tokens need AUTH_MODE=dev; remove them or set it';
  if (config.NODE_ENV === 'production' && !config.ALLOW_DEV_TOKENS_IN_PRODUCTION)
    return (
      'DEV_TOKENS: development tokens are passwords that everybody knows, and NODE_ENV is production; remove them ' +
      '(or set ALLOW_DEV_TOKENS_IN_PRODUCTION=true if this deployment holds nothing of value)'
    );
  return null;
}

function warnEveryMinute(config: IdentityConfig, log: Logger): NodeJS.Timeout | undefined {
  if (config.DEV_TOKENS.length === 0 || config.NODE_ENV !== 'production') return undefined;
  const warn = (): void =>
    log.warn({ event: 'dev_tokens_in_production' }, 'development tokens are accepted in production');
  warn();
  return setInterval(warn, 60_000).unref();
}
