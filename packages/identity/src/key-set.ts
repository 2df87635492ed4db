import { AppError, type Logger } from '@holdfast/http-kit';
import {
  type CryptoKey,
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JWSHeaderParameters,
  type LocalJWKSet,
} from 'jose';
import { z } from 'zod';
import { discover, fetchDocument, type ProviderAccess } from './provider-documents.js';

/** The keys of one issuer. */
export interface KeySet {
  /**
   * The key a token's header names.
   * @throws {errors.JWKSNoMatchingKey} when the issuer has no such key
   * @throws {AppError} `unavailable` when the issuer is away and no usable set is left
   */
  readonly keyOf: (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>;
}

/** What a key set needs. */
export interface KeySetOptions extends ProviderAccess {
  /** Where the keys are; found through discovery when left out. */
  readonly jwksUri: string | undefined;
  readonly now: () => number;
  readonly log: Logger;
}

/** Milliseconds (spec/identity.md 3.1). */
const FRESH = 10 * 60_000;
const USABLE = 24 * 3_600_000;
const BETWEEN_REFRESHES = 60_000;
/** While there is no set at all, requests must not each wait for a dead issuer. */
const BETWEEN_FIRST_TRIES = 5_000;

interface GoodSet {
  readonly keys: LocalJWKSet;
  readonly fetchedAt: number;
}

const keyDocument = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

/**
 * A key set of our own instead of jose's remote one, which throws once its cache is old and the issuer is away: here the last good
 * set serves for a day. Fetched at first use, fresh for ten minutes; an unknown key id fetches again, at most once a minute.
 */
export function openKeySet(options: KeySetOptions): KeySet {
  const { now, log, issuer } = options;
  let good: GoodSet | null = null;
  let lastTry = Number.NEGATIVE_INFINITY;
  let lastForUnknownKey = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | null = null;

  const fetchOnce = (): Promise<void> => {
    fetching ??= (async () => {
      lastTry = now();
      try {
        good = { keys: await fetchKeys(options), fetchedAt: now() };
      } catch (error) {
        log.warn({ err: error, issuer }, 'the keys of an issuer could not be fetched');
      } finally {
        fetching = null;
      }
    })();
    return fetching;
  };
  const current = async (): Promise<GoodSet> => {
    const age = good === null ? Number.POSITIVE_INFINITY : now() - good.fetchedAt;
    const pause = good === null ? BETWEEN_FIRST_TRIES : BETWEEN_REFRESHES;
    if (age > FRESH && (fetching !== null || now() - lastTry >= pause)) await fetchOnce();
    if (good === null || now() - good.fetchedAt > USABLE)
      throw new AppError(
        'unavailable',
        'The issuer of the token cannot be reached to check it; try again in a moment.',
      );
    return good;
  };
  return {
    keyOf: async (header, token) => {
      const before = good;
      const set = await current();
      try {
        return await set.keys(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        const justFetched = set !== before;
        if (!justFetched && now() - lastForUnknownKey < BETWEEN_REFRESHES) throw error;
        lastForUnknownKey = now();
        if (justFetched) throw error;
        await fetchOnce();
        return (await current()).keys(header, token);
      }
    },
  };
}

async function fetchKeys(options: KeySetOptions): Promise<LocalJWKSet> {
  const location = options.jwksUri ?? (await discover(options)).jwks_uri;
  const { keys } = keyDocument.parse(await fetchDocument(options, location));
  return createLocalJWKSet({ keys });
}
