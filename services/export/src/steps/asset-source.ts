import type { Readable } from 'node:stream';
import { type HttpClient, type ObjectFacts, objectStoreClient } from '@holdfast/clients';
import { AppError } from '@holdfast/http-kit';
import { type AssetUrl, type AssetUrlSettings, classifyAssetUrl } from './asset-url.js';
import { upstreamError } from './upstream-error.js';

/** Files that rows point at, read with the caller's rights. */
export interface AssetSource {
  /** @throws {AppError} `bad_request` for a URL that may not be used */
  classify(url: string): AssetUrl;
  /** What is known of a file. @throws {AppError} `bad_request` for an external one */
  head(asset: AssetUrl): Promise<ObjectFacts>;
  /** Opens a file. @throws {AppError} `bad_request` for an external one */
  get(asset: AssetUrl): Promise<OpenAsset>;
}

/** A file whose content is on its way. */
export interface OpenAsset {
  readonly facts: ObjectFacts;
  readonly body: Readable;
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
  readonly signal: AbortSignal;
}

/** Makes it. Nothing outside of the configured services is ever contacted: `externalFetch` is `deny`. */
export function assetSource(options: AssetSourceOptions): AssetSource {
  const { settings, catalogOrigin, httpFor, signal } = options;
  const ask = async <Result>(asset: AssetUrl, request: (path: string, http: HttpClient) => Promise<Result>) => {
    if (asset.kind === 'external') throw refuseExternal(asset.url);
    try {
      return await request(asset.path, httpFor(asset.baseUrl));
    } catch (error) {
      signal.throwIfAborted();
      throw upstreamError(error, `The file ${asset.path.split('?')[0]} cannot be read`);
    }
  };
  return {
    classify: (url) => classifyAssetUrl(url, catalogOrigin, settings),
    head: (asset) => ask(asset, (path, http) => objectStoreClient(http).head(path, { signal })),
    get: (asset) => ask<OpenAsset>(asset, (path, http) => objectStoreClient(http).get(path, { signal })),
  };
}

function refuseExternal(url: string): AppError {
  return new AppError(
    'bad_request',
    `${JSON.stringify(url.slice(0, 500))} lies outside of this deployment, which contacts no other servers. ` +
      'A reference to it needs its length and a hash in the row.',
  );
}
