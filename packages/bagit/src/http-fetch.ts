import { Readable } from 'node:stream';
import type { FetchContent } from './validate-bag.js';

export interface HttpFetchOptions {
  /** sent to `trustedOrigins` and nowhere else */
  readonly headers?: Readonly<Record<string, string>>;
  /** origins (`https://host[:port]`) that may see the headers: the URLs of a bag were written by somebody else */
  readonly trustedOrigins?: readonly string[];
  /** milliseconds without an answer; default 60,000 */
  readonly timeout?: number;
}

const MAX_REDIRECTS = 5;

/** Gets http and https URLs, following redirects; credentials stay with the origins they were given for. */
export function httpFetch(options: HttpFetchOptions = {}): FetchContent {
  const trusted = new Set((options.trustedOrigins ?? []).map((origin) => new URL(origin).origin));
  return async (first) => {
    let url = new URL(first);
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      if (url.protocol !== 'https:' && url.protocol !== 'http:')
        throw new Error(`${url.protocol} addresses cannot be fetched`);
      const response = await get(
        url,
        trusted.has(url.origin) ? (options.headers ?? {}) : {},
        options.timeout ?? 60_000,
      );
      const location = response.headers.get('location');
      if (response.status >= 300 && response.status < 400 && location !== null) {
        await response.body?.cancel();
        url = new URL(location, url);
        continue;
      }
      if (response.status !== 200 || response.body === null) {
        await response.body?.cancel();
        throw new Error(`the server answered ${response.status}`);
      }
      return Readable.fromWeb(response.body);
    }
    throw new Error(`more than ${MAX_REDIRECTS} redirects`);
  };
}

async function get(url: URL, headers: Readonly<Record<string, string>>, timeout: number): Promise<Response> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(new Error(`no answer within ${timeout} ms`)), timeout);
  try {
    // the checksum is of the stored bytes: no content coding
    return await fetch(url, {
      redirect: 'manual',
      signal: stop.signal,
      headers: { 'accept-encoding': 'identity', ...headers },
    });
  } catch (error) {
    // fetch says 'fetch failed' and hides why
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw cause instanceof Error ? cause : new Error(String(cause));
  } finally {
    clearTimeout(timer);
  }
}
