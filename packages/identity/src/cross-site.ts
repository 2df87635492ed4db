import { AppError, publicOrigin } from '@holdfast/http-kit';
import type { Request } from 'express';
import type { IdentityConfig } from './variables.js';

/** Which origins may make a browser send changes to us. */
export interface OriginRule {
  /** @throws {AppError} `cross_site` when another site made the browser send this request (spec/identity.md 5) */
  refuseCrossSite(request: Request): void;
  /** Whether a URL, absolute or relative, leads to our own origin or an allowed one. Read as browsers read it. */
  isOurs(request: Request, url: string): boolean;
}

/** The rule for a deployment. */
export function originRule(config: IdentityConfig): OriginRule {
  const ownOrigin = (request: Request): string => new URL(publicOrigin(request, config.PUBLIC_URL)).origin;
  const isAllowed = (origin: string | null): boolean => origin !== null && config.ALLOWED_ORIGINS.includes(origin);
  const isOwn = (request: Request, origin: string | null): boolean =>
    origin === ownOrigin(request) || isAllowed(origin);
  return {
    refuseCrossSite: (request) => {
      if (passes(request, { isAllowed, isOwn: (origin) => isOwn(request, origin) })) return;
      throw new AppError(
        'cross_site',
        'Another site made your browser send this request with your cookie. If that is wanted, its origin must be allowed in ' +
          'the configuration; programs should send a bearer token.',
      );
    },
    isOurs: (request, url) => {
      const own = ownOrigin(request);
      return URL.canParse(url, own) && isOwn(request, new URL(url, own).origin);
    },
  };
}

interface Origins {
  isAllowed(origin: string | null): boolean;
  isOwn(origin: string | null): boolean;
}

function passes(request: Request, origins: Origins): boolean {
  const site = request.get('sec-fetch-site');
  const origin = request.get('origin');
  if (site === 'same-origin' || site === 'none') return true;
  if (site !== undefined) return origins.isAllowed(originOf(origin));
  if (origin !== undefined) return origins.isOwn(originOf(origin));
  const referer = request.get('referer');
  // none of the three: not a browser, which sends at least one with a change
  return referer === undefined || origins.isOwn(originOf(referer));
}

/** Null for `null`, which stands for a document without an origin, and for what is no URL. */
function originOf(text: string | undefined): string | null {
  return text !== undefined && URL.canParse(text) ? new URL(text).origin : null;
}
