import { AppError } from '@holdfast/http-kit';
import type { CatalogServer, DelegationMode } from '../request/catalog-host.js';

/** An object store whose URLs get the caller's credential. */
export interface ObjectStoreServer {
  readonly publicHost: string;
  /** Path below which it answers, without a slash at its end. */
  readonly prefix: string;
  /** Where it is reached from here. */
  readonly baseUrl: string;
  /** What speaks for the caller there; default `internal`. */
  readonly delegation?: DelegationMode | undefined;
}

/** Where the `url` of a row leads (spec/export.md 7.2). */
export type AssetUrl =
  | {
      readonly kind: 'own';
      readonly service: 'objectstore' | 'catalog';
      readonly baseUrl: string;
      /** Path and query as sent. */
      readonly path: string;
      /** Absolute, with the public host. */
      readonly publicUrl: string;
    }
  | { readonly kind: 'external'; readonly url: string };

/** What is needed to tell. */
export interface AssetUrlSettings {
  readonly stores: readonly ObjectStoreServer[];
  readonly catalogs: readonly CatalogServer[];
  /** Schemes that may stand in `fetch.txt`. */
  readonly schemes: readonly string[];
}

/**
 * Finds out where a URL leads, without asking anybody.
 * @param catalogOrigin public origin of the catalog, against which paths are resolved
 * @throws {AppError} `bad_request` for what may not be asked for
 */
export function classifyAssetUrl(text: string, catalogOrigin: string, settings: AssetUrlSettings): AssetUrl {
  const absolute = /^[a-z][a-z0-9+.-]*:/i.test(text);
  const url = parsedUrl(text, catalogOrigin);
  url.hash = '';
  const scheme = url.protocol.slice(0, -1);
  if (scheme !== 'http' && scheme !== 'https') {
    if (settings.schemes.includes(scheme)) return { kind: 'external', url: text };
    throw refused(text, `has the scheme ${scheme}, which may not be referred to`);
  }
  if (url.username !== '' || url.password !== '') throw refused(text, 'has a user name or password in it');
  const own = ownService(url, settings);
  if (own !== null) return own;
  const storeLike = settings.stores.some(({ prefix }) => isBelow(url.pathname, prefix));
  if (absolute && storeLike) throw refused(text, 'looks like an object store that this service does not know');
  if (!absolute) throw refused(text, 'leads neither to the object store nor to the catalog');
  if (!settings.schemes.includes(scheme)) throw refused(text, `has the scheme ${scheme}, which may not be referred to`);
  return { kind: 'external', url: url.href };
}

function parsedUrl(text: string, base: string): URL {
  if (/[\u0000-\u0020\\]/.test(text)) throw refused(text, 'is not a URL');
  try {
    return new URL(text, base);
  } catch (error) {
    throw refused(text, 'is not a URL', error);
  }
}

function ownService(url: URL, settings: AssetUrlSettings): AssetUrl | null {
  const isHere = ({ publicHost }: { readonly publicHost: string }): boolean => publicHost.toLowerCase() === url.host;
  const path = `${url.pathname}${url.search}`;
  const store = settings.stores.find((server) => isHere(server) && isBelow(url.pathname, server.prefix));
  if (store !== undefined) {
    return { kind: 'own', service: 'objectstore', baseUrl: store.baseUrl, path, publicUrl: url.href };
  }
  const catalog = settings.catalogs.find((server) => isHere(server) && url.pathname.startsWith(server.path));
  if (catalog === undefined) return null;
  return { kind: 'own', service: 'catalog', baseUrl: catalog.baseUrl, path, publicUrl: url.href };
}

function isBelow(path: string, prefix: string): boolean {
  return path.startsWith(`${prefix}/`);
}

function refused(text: string, problem: string, cause?: unknown): AppError {
  return new AppError('bad_request', `The url ${JSON.stringify(text.slice(0, 500))} ${problem}.`, { cause });
}
