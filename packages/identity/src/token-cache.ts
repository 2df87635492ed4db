import type { ClientContext } from './client-context.js';

/** What is known of a token, by its hash. */
export type TokenVerdict =
  | { readonly kind: 'valid'; readonly context: ClientContext }
  | { readonly kind: 'invalid'; readonly detail: string };

/** Remembers verdicts for a short while (spec/identity.md 3.1, 8). */
export interface TokenCache {
  find(key: string): TokenVerdict | null;
  /** @param until milliseconds; a valid verdict is kept 60 s at most, an invalid one 5 s */
  put(key: string, verdict: TokenVerdict, until: number): void;
}

const MOST_ENTRIES = 10_000;
const VALID_FOR = 60_000;
const INVALID_FOR = 5_000;

/** @param now clock in milliseconds */
export function tokenCache(now: () => number): TokenCache {
  const entries = new Map<string, { readonly verdict: TokenVerdict; readonly until: number }>();
  return {
    find: (key) => {
      const entry = entries.get(key);
      if (entry === undefined) return null;
      if (entry.until > now()) return entry.verdict;
      entries.delete(key);
      return null;
    },
    put: (key, verdict, until) => {
      const longest = now() + (verdict.kind === 'valid' ? VALID_FOR : INVALID_FOR);
      // a Map gives its keys in the order of insertion: the first is the oldest
      if (entries.size >= MOST_ENTRIES) entries.delete(entries.keys().next().value ?? '');
      entries.set(key, { verdict, until: Math.min(longest, until) });
    },
  };
}
