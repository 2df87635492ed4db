import {
  type ExternalClient,
  factsOf,
  type HttpClient,
  type ObjectFacts,
  objectStoreClient,
  RefusedAddressError,
  steadyRead,
} from '@holdfast/clients';
import { AppError } from '@holdfast/http-kit';
import { type AssetUrl, type AssetUrlSettings, classifyAssetUrl } from './asset-url.js';
import { upstreamError } from './upstream-error.js';

/** Files that rows point at, read with the caller's rights. */
export interface AssetSource {
  /** @throws {AppError} `bad_request` for a URL that may not be used */
  classify(url: string): AssetUrl;
  /** What is known of a file. @throws {AppError} `bad_request` for one that may not be asked for */
  head(asset: AssetUrl): Promise<ObjectFacts>;
  /** Opens a file. @throws {AppError} `bad_request` for one that may not be asked for */
  get(asset: AssetUrl): Promise<OpenAsset>;
}

/** A file whose content is on its way. */
export interface OpenAsset {
  readonly facts: ObjectFacts;
  /** To be read once. */
  readonly content: AsyncIterable<Uint8Array>;
  /** Lets go of it, read or not. */
  abandon(): void;
}

/** What an asset source is made of. */
export interface AssetSourceOptions {
  readonly settings: AssetUrlSettings;
  /** Public origin of the catalog. */
  readonly catalogOrigin: string;
  /** Speaks to one of our own services as the caller. */
  readonly httpFor: (baseUrl: string) => HttpClient;
  /** For servers elsewhere; null: none of them is contacted (`externalFetch` is `deny`). */
  readonly external: ExternalClient | null;
  readonly signal: AbortSignal;
}

/** Makes it. */
export function assetSource(options: AssetSourceOptions): AssetSource {
  const { settings, catalogOrigin, httpFor, external, signal } = options;
  const ask = async <Result>(what: string, request: () => Promise<Result>): Promise<Result> => {
    try {
      return await request();
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof RefusedAddressError) {
        throw new AppError('bad_request', `The file ${JSON.stringify(what)} is refused: ${error.message}`);
      }
      throw upstreamError(error, `The file ${what.split('?')[0]} cannot be read`);
    }
  };
  const elsewhere = (method: 'GET' | 'HEAD', url: string) => {
    if (external === null || !/^https?:/i.test(url)) throw refuseExternal(url);
    return ask(url, () => external.request(method, url, signal));
  };
  return {
    classify: (url) => classifyAssetUrl(url, catalogOrigin, settings),
    head: async (asset) => {
      if (asset.kind === 'own') {
        return ask(asset.path, () => objectStoreClient(httpFor(asset.baseUrl)).head(asset.path, { signal }));
      }
      const answer = await elsewhere('HEAD', asset.url);
      await answer.discard();
      return externalFacts(answer.headers);
    },
    get: async (asset) => {
      if (asset.kind === 'own') {
        const store = objectStoreClient(httpFor(asset.baseUrl));
        const { body, ...rest } = await ask(asset.path, () => steadyRead(store, asset.path, { signal }));
        return { ...rest, content: body };
      }
      const { headers, body, abandon } = await elsewhere('GET', asset.url);
      return { facts: externalFacts(headers), content: body, abandon };
    },
  };
}

/** Versions are a matter of our own store. */
function externalFacts(headers: Readonly<Record<string, string>>): ObjectFacts {
  return { ...factsOf(headers), versionPath: null };
}

function refuseExternal(url: string): AppError {
  return new AppError(
    'bad_request',
    `${JSON.stringify(url.slice(0, 500))} lies outside of this deployment, which contacts no such servers. ` +
      'A reference to it needs its length and a hash in the row.',
  );
}
