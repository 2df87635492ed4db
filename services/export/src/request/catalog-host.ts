import { AppError } from '@holdfast/http-kit';
import { badRequest } from './document-reader.js';

/** A catalog service that may be queried. */
export interface CatalogServer {
  /** Host, with the port unless it is the scheme's own: what requests name. */
  readonly publicHost: string;
  /** Where it is reached from here. */
  readonly baseUrl: string;
  /** Path of its catalogs, with a slash at its end. */
  readonly path: string;
  /** What speaks for the caller there; default `internal`. */
  readonly delegation?: DelegationMode | undefined;
}

/**
 * `internal`: a service of this deployment, which knows the tokens we sign. `forward`: another one that trusts the same logins; it
 * gets the caller's own credential (spec/identity.md 6.1).
 */
export type DelegationMode = 'internal' | 'forward';

/**
 * Finds the configured server that a request names. Anything else is refused before any connection is made: the caller's
 * credential goes to configured servers only (spec/export.md 2.3, 14).
 * @throws {AppError} `bad_request` for what is no host, `host_not_allowed`
 */
export function findCatalogServer(host: string, servers: readonly CatalogServer[], pointer: string): CatalogServer {
  const wanted = normalHost(host, pointer);
  const server = servers.find(({ publicHost }) => withoutDefaultPort('', publicHost) === wanted);
  if (server !== undefined) return server;
  throw new AppError(
    'host_not_allowed',
    `${pointer} names ${JSON.stringify(host)}, which is not a catalog that this service may query.`,
  );
}

const HOST = /^(?:(https?):\/\/)?([A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?(\/?)$/;

/** `name[:port]`, in lower case and without the default port. */
function normalHost(host: string, pointer: string): string {
  const [, scheme = '', name = '', port = '', slash = ''] = HOST.exec(host) ?? [];
  if (name === '' || (slash !== '' && scheme === '')) {
    throw badRequest(pointer, 'must be a host name, with a port or http(s):// where wanted, and nothing else.');
  }
  return withoutDefaultPort(scheme, `${name}${port}`);
}

function withoutDefaultPort(scheme: string, host: string): string {
  const lower = host.toLowerCase();
  return scheme === 'http' ? lower.replace(/:80$/, '') : lower.replace(/:443$/, '');
}
