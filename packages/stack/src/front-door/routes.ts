import type { WireProfile } from '@holdfast/http-kit';

/** The services that answer HTTP requests of clients. */
export type HttpService = 'catalog' | 'objectstore' | 'export';

export type Route = { readonly prefix: string; readonly service: HttpService };

/** Which service answers below which path, the longest prefix first. */
export function routesOf(profile: WireProfile): readonly Route[] {
  const to = (service: HttpService, prefixes: readonly string[]) => prefixes.map((prefix) => ({ prefix, service }));
  return [
    ...to('catalog', profile.catalogPrefixes),
    ...to('objectstore', profile.objectStorePrefixes),
    ...to('export', profile.exportPrefixes),
    // identity is answered by the catalog process, also below the prefixes of the others
    ...to('catalog', profile.authnPrefixes),
  ].sort((left, right) => right.prefix.length - left.prefix.length);
}

/**
 * Finds the route of a raw request target. Nothing is decoded: `%2F` is part of a name and never a separator.
 * A prefix ends at the end of the path, at a slash, at a sub-resource or at the query.
 */
export function findRoute(routes: readonly Route[], target: string): Route | undefined {
  return routes.find(({ prefix }) => target.startsWith(prefix) && /^([/;?]|$)/.test(target.slice(prefix.length)));
}

/** The path and query of a request target: clients may send a whole URL (RFC 9112 3.2.2). */
export function originForm(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return path.startsWith('/') ? path : `/${path}`;
}
