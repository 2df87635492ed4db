import type { Request } from 'express';

/**
 * Scheme and authority the client used, for absolute URLs in answers. `Forwarded` and `X-Forwarded-*` count only from trusted
 * proxies (Express's `trust proxy` setting).
 * @param configured `PUBLIC_URL`; wins when set
 * @returns for example `https://data.example.org`, without a trailing slash
 */
export function publicOrigin(request: Request, configured: string | undefined): string {
  if (configured !== undefined) return configured.replace(/\/+$/, '');
  return `${request.protocol}://${request.host}`;
}
