import { isIPv6 } from 'node:net';
import {
  createHttpClient,
  type ExternalClient,
  externalClient,
  type HttpClient,
  isPublicAddress,
  type ObjectStoreClient,
  objectStoreClient,
  readRetries,
} from '@holdfast/clients';
import type { ServiceSigner } from '@holdfast/identity';
import { type ExportConfig, type Servers, SOFTWARE_AGENT } from './settings.js';

/** Kept connections to the services an export speaks to. */
export interface Upstreams {
  /** Connections to one of our services, still nobody's: `.as(credential)` makes them somebody's. */
  http(baseUrl: string): HttpClient;
  /** Servers elsewhere, without any credential; null: they are not contacted. */
  readonly external: ExternalClient | null;
  /** The object store of the results, spoken to as the service itself. */
  readonly results: ObjectStoreClient;
  close(): Promise<void>;
}

/** What is configured about them. */
type UpstreamConfig = Pick<
  ExportConfig,
  'PROGRESS_TIMEOUT_SECONDS' | 'EXTERNAL_FETCH' | 'EXTERNAL_FETCH_HOSTS' | 'EXTERNAL_FETCH_BLOCKED'
>;

/** Opens them; nothing is connected before the first request. */
export function openUpstreams(servers: Servers, signer: ServiceSigner, config: UpstreamConfig): Upstreams {
  const clients = new Map<string, HttpClient>();
  const http = (baseUrl: string): HttpClient => {
    const { origin } = new URL(baseUrl);
    const known = clients.get(origin);
    if (known !== undefined) return known;
    const client = createHttpClient({
      origin,
      userAgent: SOFTWARE_AGENT,
      connections: 64,
      idleTimeout: config.PROGRESS_TIMEOUT_SECONDS * 1_000,
      retry: readRetries,
    });
    clients.set(origin, client);
    return client;
  };
  const asService = async () => ({ bearer: await signer.serviceToken('urn:service:objectstore') });
  const external = openExternal(config);
  return {
    http,
    external,
    results: objectStoreClient(http(servers.resultBaseUrl).as(asService)),
    close: async () => {
      await Promise.all([...clients.values()].map((client) => client.close()));
      await external?.close();
    },
  };
}

/** spec/export.md 7.4: only public addresses, and none of the cluster's own. */
function openExternal(config: UpstreamConfig): ExternalClient | null {
  if (config.EXTERNAL_FETCH === 'deny') return null;
  const blocked = config.EXTERNAL_FETCH_BLOCKED;
  const isBlocked = (address: string): boolean => blocked.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  const hosts = config.EXTERNAL_FETCH_HOSTS;
  return externalClient({
    mayAsk: (host) => config.EXTERNAL_FETCH === 'public' || hosts.some((pattern) => matchesHost(pattern, host)),
    mayConnect: (address) => isPublicAddress(address) && !isBlocked(address),
    userAgent: SOFTWARE_AGENT,
  });
}

/** `data.example.org`, or `*.example.org` for everything below. */
function matchesHost(pattern: string, host: string): boolean {
  const wanted = pattern.toLowerCase();
  return wanted.startsWith('*.') ? host.toLowerCase().endsWith(wanted.slice(1)) : host.toLowerCase() === wanted;
}
