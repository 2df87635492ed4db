import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, type Dispatcher } from 'undici';
import { answerOf, failureOf, type HttpAnswer, refusal } from './http-client.js';
import { isPublicAddress } from './public-address.js';
import { type RetryPolicy, readRetries, withRetries } from './retry.js';

/** Where requests may go. */
export interface ExternalClientOptions {
  /** Host names that may be asked, redirects included. */
  readonly mayAsk: (host: string) => boolean;
  /** Addresses that may be connected to; default {@link isPublicAddress}. */
  readonly mayConnect?: (address: string) => boolean;
  /** Finds the addresses of a name; default: the system's. */
  readonly resolve?: (host: string) => Promise<readonly LookupAddress[]>;
  readonly userAgent?: string;
  readonly retry?: RetryPolicy;
}

/** A host or address that must not be asked. */
export class RefusedAddressError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RefusedAddressError';
  }
}

/** Reads of servers that somebody else named. */
export interface ExternalClient {
  /**
   * No credential is ever sent; up to three redirects are followed, each checked like the first address.
   * @throws {RefusedAddressError} {@link HttpError} {@link TransportError}
   */
  request(method: 'GET' | 'HEAD', url: string, signal?: AbortSignal): Promise<HttpAnswer>;
  close(): Promise<void>;
}

/** spec/export.md 7.4, in milliseconds. */
const CONNECT_TIMEOUT = 6_000;
const IDLE_TIMEOUT = 63_000;
const MOST_REDIRECTS = 3;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * A client for addresses that cannot be trusted. A name is resolved once for each connection, all its addresses are checked, and the
 * connection goes to what was checked: there is no second look-up in between that could answer otherwise (spec/export.md 7.4).
 */
export function externalClient(options: ExternalClientOptions): ExternalClient {
  const { mayConnect = isPublicAddress, resolve = resolveBySystem } = options;
  const checkedLookup: LookupFunction = (host, lookupOptions, callback) => {
    resolve(host).then(
      (addresses) => {
        const refused = addresses.find(({ address }) => !mayConnect(address));
        const [first] = addresses;
        if (refused !== undefined || first === undefined) callback(refusedAddress(host), '', 4);
        else if (lookupOptions.all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 4),
    );
  };
  const agent = new Agent({
    connections: 8,
    headersTimeout: IDLE_TIMEOUT,
    bodyTimeout: IDLE_TIMEOUT,
    connect: { timeout: CONNECT_TIMEOUT, lookup: checkedLookup },
  });
  const ask = async (method: 'GET' | 'HEAD', target: string, signal?: AbortSignal): Promise<HttpAnswer> => {
    let url = new URL(target);
    for (let redirects = 0; ; redirects += 1) {
      refuseUnlessAllowed(url, options.mayAsk, mayConnect);
      const response = await send(agent, method, url, options.userAgent, signal);
      const { location } = response.headers;
      if (!REDIRECTS.has(response.statusCode) || typeof location !== 'string') {
        const request = { method, path: url.pathname };
        if (response.statusCode >= 400) throw await refusal(response, request);
        return answerOf(response, request, url.origin);
      }
      await response.body.dump();
      if (redirects === MOST_REDIRECTS) throw new RefusedAddressError(`${target} redirects too often.`);
      url = new URL(location, url);
    }
  };
  return {
    request: (method, url, signal) =>
      withRetries(options.retry ?? readRetries, signal ?? null, () => ask(method, url, signal)),
    close: () => agent.close(),
  };
}

function refuseUnlessAllowed(
  url: URL,
  mayAsk: (host: string) => boolean,
  mayConnect: (address: string) => boolean,
): void {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isHttp = url.protocol === 'https:' || url.protocol === 'http:';
  // an address that is written out is not looked up, so it is checked here
  if (!isHttp || !mayAsk(host) || (isIP(host) !== 0 && !mayConnect(host))) throw refusedAddress(url.host);
}

async function send(
  agent: Agent,
  method: 'GET' | 'HEAD',
  url: URL,
  userAgent: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Dispatcher.ResponseData> {
  const path = `${url.pathname}${url.search}`;
  try {
    return await agent.request({
      origin: url.origin,
      path,
      method,
      headers: { 'user-agent': userAgent ?? 'holdfast-client', 'accept-encoding': 'identity' },
      signal: signal ?? null,
    });
  } catch (error) {
    throw failureOf(error, { method, path, signal: signal ?? null }, url.origin);
  }
}

function refusedAddress(host: string): RefusedAddressError {
  return new RefusedAddressError(`${host} may not be contacted from here.`);
}

function resolveBySystem(host: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(host, { all: true }, (error, addresses) => (error === null ? resolve(addresses) : reject(error)));
  });
}
