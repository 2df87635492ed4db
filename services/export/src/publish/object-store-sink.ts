import { createHash } from 'node:crypto';
import { encodeName, HttpError, type ObjectStoreClient } from '@holdfast/clients';
import { AppError } from '@holdfast/http-kit';
import type { NewResult, ResultSink } from '../package/packager.js';

/** Where the results of one run go. */
export interface ResultPlace {
  /** Speaks to the object store as the service itself. */
  readonly store: ObjectStoreClient;
  /** Encoded path of `<namespace>/<yyyy-mm-dd>/<id>`. */
  readonly directory: string;
  /** The service's own id, which owns what it stores. */
  readonly owner: string;
  readonly readers: readonly string[];
  /** A second run may find the names of the first in place. */
  readonly attempt: number;
  readonly signal: AbortSignal;
}

/** Streams results into the object store, hashing on the way (spec/export.md 13.2, step 5). They are not published by that. */
export function objectStoreSink(place: ResultPlace): ResultSink {
  const { store, signal } = place;
  return {
    store: async (result) => {
      const path = `${place.directory}/${result.path.split('/').map(encodeName).join('/')}`;
      const digest = digester();
      const isNew = place.attempt === 1 || !(await exists(place, path));
      const versionPath = await putContent(place, path, result, digest, isNew);
      // the lists of a name that is there already cannot be given with its next version (spec/objectstore.md 4.4)
      if (!isNew) await ofStore(signal, store.putAcl(versionPath, 'read', place.readers, { signal }));
      const { bytes, md5, sha256 } = digest.result();
      return { path: result.path, versionPath, bytes, contentType: result.contentType, md5, sha256 };
    },
  };
}

async function putContent(
  place: ResultPlace,
  path: string,
  result: NewResult,
  digest: Digester,
  isNew: boolean,
): Promise<string> {
  let contentFailure: unknown = null;
  async function* content(): AsyncGenerator<Uint8Array> {
    try {
      yield* digest.through(result.content);
    } catch (error) {
      contentFailure = error;
      throw error;
    }
  }
  try {
    return await ofStore(
      place.signal,
      place.store.put(path, content(), {
        contentType: result.contentType,
        fileName: result.path.split('/').at(-1) ?? result.path,
        parents: true,
        // the content comes as slowly as the catalog gives it; that nothing moves at all is the heartbeat's to notice
        idleTimeout: 0,
        signal: place.signal,
        ...(isNew ? { acls: { owner: [place.owner], read: place.readers } } : {}),
      }),
    );
  } catch (error) {
    // the store was told nothing wrong: the content could not be read
    throw contentFailure ?? error;
  }
}

/** Whether the name is there, with a version or without one. */
async function exists(place: ResultPlace, path: string): Promise<boolean> {
  try {
    await place.store.head(path, { signal: place.signal });
    return true;
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) return false;
    if (error instanceof HttpError && error.status === 409) return true;
    throw storeFailure(place.signal, error);
  }
}

async function ofStore<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw storeFailure(signal, error);
  }
}

/** spec/export.md 11: that results cannot be stored is no fault of the caller. */
function storeFailure(signal: AbortSignal, error: unknown): unknown {
  if (signal.aborted) return signal.reason;
  return new AppError('internal', 'The results could not be put into the object store.', { cause: error });
}

interface Digester {
  through(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
  result(): { readonly bytes: number; readonly md5: string; readonly sha256: string };
}

function digester(): Digester {
  const md5 = createHash('md5');
  const sha256 = createHash('sha256');
  let bytes = 0;
  return {
    through: async function* (content) {
      for await (const chunk of content) {
        bytes += chunk.byteLength;
        md5.update(chunk);
        sha256.update(chunk);
        yield chunk;
      }
    },
    result: () => ({ bytes, md5: md5.digest('hex'), sha256: sha256.digest('hex') }),
  };
}
