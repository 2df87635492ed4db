import {
  createHttpClient,
  type HttpClient,
  type ObjectStoreClient,
  objectStoreClient,
  readRetries,
} from '@holdfast/clients';
import type { ServiceSigner } from '@holdfast/identity';
import { type Servers, SOFTWARE_AGENT } from './settings.js';

/** Kept connections to the services an export speaks to. */
export interface Upstreams {
  /** Connections to one of our services, still nobody's: `.as(credential)` makes them somebody's. */
  http(baseUrl: string): HttpClient;
  /** The object store of the results, spoken to as the service itself. */
  readonly results: ObjectStoreClient;
  close(): Promise<void>;
}

/** Opens them; nothing is connected before the first request. */
export function openUpstreams(servers: Servers, signer: ServiceSigner, idleSeconds: number): Upstreams {
  const clients = new Map<string, HttpClient>();
  const http = (baseUrl: string): HttpClient => {
    const { origin } = new URL(baseUrl);
    const known = clients.get(origin);
    if (known !== undefined) return known;
    const client = createHttpClient({
      origin,
      userAgent: SOFTWARE_AGENT,
      connections: 64,
      idleTimeout: idleSeconds * 1_000,
      retry: readRetries,
    });
    clients.set(origin, client);
    return client;
  };
  const asService = async () => ({ bearer: await signer.serviceToken('urn:service:objectstore') });
  return {
    http,
    results: objectStoreClient(http(servers.resultBaseUrl).as(asService)),
    close: async () => {
      await Promise.all([...clients.values()].map((client) => client.close()));
    },
  };
}
