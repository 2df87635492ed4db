import { AppError } from '@holdfast/http-kit';

/** How many requests one client may send (spec/objectstore.md 15). */
export interface RateLimit {
  /** Requests a second on average. */
  readonly perSecond: number;
  /** Requests at once after a pause. */
  readonly burst: number;
}

/** Counts the requests of each client in this process. */
export interface RateLimiter {
  /**
   * @param client whose request it is
   * @throws {AppError} `too_many`, with the seconds after which one more is allowed
   */
  pass(client: string): void;
}

/** Clients that are remembered before it is looked for those that can be forgotten. */
const MANY_CLIENTS = 10_000;

/**
 * A token bucket for each client: it fills at the permitted rate up to the burst, and each request takes one.
 * @param now milliseconds of a clock that never goes back
 */
export function rateLimiter({ perSecond, burst }: RateLimit, now: () => number): RateLimiter {
  const buckets = new Map<string, { readonly tokens: number; readonly at: number }>();
  const tokensOf = (bucket: { readonly tokens: number; readonly at: number }): number =>
    Math.min(burst, bucket.tokens + ((now() - bucket.at) / 1000) * perSecond);
  let many = MANY_CLIENTS;
  // a full bucket is the same as none; what is left must double before all are looked at again
  const forgetFull = (): void => {
    for (const [client, bucket] of buckets) if (tokensOf(bucket) >= burst) buckets.delete(client);
    many = Math.max(MANY_CLIENTS, 2 * buckets.size);
  };
  return {
    pass: (client) => {
      const bucket = buckets.get(client);
      const tokens = bucket === undefined ? burst : tokensOf(bucket);
      if (tokens < 1)
        throw new AppError('too_many', `You may send ${perSecond} requests a second on average; slow down.`, {
          headers: { 'Retry-After': String(Math.ceil((1 - tokens) / perSecond)) },
        });
      if (bucket === undefined && buckets.size >= many) forgetFull();
      buckets.set(client, { tokens: tokens - 1, at: now() });
    },
  };
}
