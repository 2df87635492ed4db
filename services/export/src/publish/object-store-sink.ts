import { createHash } from 'node:crypto';
import { ALGORITHMS, type Algorithm, type Hashes } from '@holdfast/bagit';
import { encodeName, HttpError, type ObjectStoreClient, pause, readRetries, TransportError } from '@holdfast/clients';
import { AppError } from '@holdfast/http-kit';
import type { ExportOutput } from '../job/export-record.js';
import type { NewResult, ResultSink } from '../package/packager.js';
import type { Expected } from '../steps/step-output.js';
import { type Replayable, replayable } from './replayable.js';

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
  /** Called whenever bytes went to the store. */
  readonly onProgress: () => void;
  readonly signal: AbortSignal;
}

/** Bytes of a result that are kept until the store has them, so that they can be sent again. */
const KEPT = 256 * 1024;

/**
 * Streams results into the object store, hashing on the way (spec/export.md 13.2, step 5). They are not published by that. The store may
 * fail for a while: what is sent again comes from memory, so it is a small result, or the beginning of one.
 */
export function objectStoreSink(place: ResultPlace): ResultSink {
  return {
    store: async (result) => {
      const source = replayable(result.content, KEPT);
      try {
        return await putWithRetries(place, result, source);
      } finally {
        await source.close();
      }
    },
  };
}

async function putWithRetries(place: ResultPlace, result: NewResult, source: Replayable): Promise<ExportOutput> {
  const path = `${place.directory}/${result.path.split('/').map(encodeName).join('/')}`;
  for (let count = 1; ; count += 1) {
    const digest = digester(result.expected);
    try {
      const isNew = (count === 1 && place.attempt === 1) || !(await exists(place, path));
      const content = moving(digest.through(source.read()), place.onProgress);
      const versionPath = await put(place, { path, result, content, isNew });
      if (count > 1 && !isNew) await removeOthers(place, path, versionPath);
      return { path: result.path, versionPath, contentType: result.contentType, ...digest.result() };
    } catch (error) {
      // the store was told nothing wrong: the content could not be read, or is not what it should be
      const failure = source.failure() ?? digest.failure();
      if (failure !== null) throw failure.error;
      if (count >= readRetries.tries || !source.mayRestart() || !mayPass(error)) {
        throw storeFailure(place.signal, error);
      }
      await pause(readRetries.firstDelay * 2 ** (count - 1), place.signal);
    }
  }
}

/** One result on its way into the store. */
interface Put {
  readonly path: string;
  readonly result: NewResult;
  readonly content: AsyncIterable<Uint8Array>;
  readonly isNew: boolean;
}

async function put(place: ResultPlace, { path, result, content, isNew }: Put): Promise<string> {
  const { store, signal } = place;
  const versionPath = await store.put(path, content, {
    contentType: result.contentType,
    fileName: result.path.split('/').at(-1) ?? result.path,
    parents: true,
    // the content comes as slowly as the catalog gives it; that nothing moves at all is the heartbeat's to notice
    idleTimeout: 0,
    signal,
    ...(isNew ? { acls: { owner: [place.owner], read: place.readers } } : {}),
  });
  // the lists of a name that is there already cannot be given with its next version (spec/objectstore.md 4.4)
  if (!isNew) await store.putAcl(versionPath, 'read', place.readers, { signal });
  place.onProgress();
  return versionPath;
}

async function* moving(content: AsyncIterable<Uint8Array>, onProgress: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    yield chunk;
    // asked for the next one: this one is on its way
    onProgress();
  }
}

/** What an earlier try had stored after all, whose answer was lost. What is left is removed with the export. */
async function removeOthers({ store, signal }: ResultPlace, path: string, versionPath: string): Promise<void> {
  try {
    for (const version of await store.versions(path, { signal })) {
      if (version !== versionPath) await store.remove(version, { signal });
    }
  } catch (error) {
    if (!(error instanceof HttpError || error instanceof TransportError)) throw error;
  }
}

/** Worth another try: the store is away for a moment, or the connection was. */
function mayPass(error: unknown): boolean {
  if (error instanceof TransportError) return error.kind !== 'timeout';
  return error instanceof HttpError && [500, 502, 503, 504].includes(error.status);
}

function isAway(error: unknown): boolean {
  return error instanceof TransportError || (error instanceof HttpError && [502, 503, 504].includes(error.status));
}

/** Whether the name is there, with a version or without one. */
async function exists(place: ResultPlace, path: string): Promise<boolean> {
  try {
    await place.store.head(path, { signal: place.signal });
    return true;
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) return false;
    if (error instanceof HttpError && error.status === 409) return true;
    throw error;
  }
}

/**
 * spec/export.md 11: that results cannot be stored is no fault of the caller. Where the store is only away, even after all tries, the caller
 * may come again: what is away is 503 in all services, and never 500.
 */
function storeFailure(signal: AbortSignal, error: unknown): unknown {
  if (signal.aborted) return signal.reason;
  if (isAway(error))
    return new AppError(
      'storage_unavailable',
      'The object store that keeps the results is away; try again in a moment.',
      {
        cause: error,
      },
    );
  return new AppError('internal', 'The results could not be put into the object store.', { cause: error });
}

interface Digester {
  through(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
  result(): { readonly bytes: number; readonly md5: string; readonly sha256: string };
  /** Why the content is not what it should be; null: it is, or was not read to its end. */
  failure(): { readonly error: unknown } | null;
}

/** Hashes a content once, for what the store is told, and for what the content should be: a wrong one must not become an object. */
function digester(expected: Expected | null): Digester {
  const wanted = ALGORITHMS.filter((name) => ALWAYS.includes(name) || expected?.algorithms.includes(name));
  const running = wanted.map((name) => ({ name, hash: createHash(name) }));
  let bytes = 0;
  let hashes: Hashes = {};
  let failed: { readonly error: unknown } | null = null;
  return {
    through: async function* (content) {
      for await (const chunk of content) {
        bytes += chunk.byteLength;
        for (const { hash } of running) hash.update(chunk);
        yield chunk;
      }
      hashes = Object.fromEntries(running.map(({ name, hash }) => [name, hash.digest('hex')]));
      try {
        expected?.verify({ bytes, hashes });
      } catch (error) {
        failed = { error };
        throw error;
      }
    },
    result: () => ({ bytes, md5: hashes.md5 ?? '', sha256: hashes.sha256 ?? '' }),
    failure: () => failed,
  };
}

/** Those of every result. */
const ALWAYS: readonly Algorithm[] = ['md5', 'sha256'];
