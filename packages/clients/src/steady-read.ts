import { isBrokenTransfer } from './http-client.js';
import { TransportError } from './http-error.js';
import type { ObjectFacts, ObjectStoreClient } from './object-store-client.js';
import { pause, type RetryPolicy, readRetries } from './retry.js';

/** How an object is read. */
export interface SteadyReadOptions {
  readonly signal?: AbortSignal;
  /** Tries without getting ahead; default {@link readRetries}. */
  readonly retry?: RetryPolicy;
}

/** An object on its way. */
export interface SteadyObject {
  readonly facts: ObjectFacts;
  /** The content, to be read once. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Lets go of it, read or not. */
  abandon(): void;
}

/** Octets that count as getting ahead: a server that breaks off after each byte is given up. */
const AHEAD = 256 * 1024;

/**
 * Reads an object; a transfer that breaks off is taken up where it was (`Range` with `If-Range`), so that what was passed on stays true.
 * @throws {HttpError} {@link TransportError}, the latter from the body too, also when the object was changed meanwhile
 */
export async function steadyRead(
  store: ObjectStoreClient,
  path: string,
  options: SteadyReadOptions = {},
): Promise<SteadyObject> {
  const { signal } = options;
  const call = signal === undefined ? {} : { signal };
  const first = await store.get(path, call);
  let current = first;
  let isAbandoned = false;
  const abandon = (): void => {
    isAbandoned = true;
    current.abandon();
  };
  async function* body(): AsyncGenerator<Uint8Array> {
    const { tries, firstDelay } = options.retry ?? readRetries;
    let offset = 0;
    let from = 0;
    for (let count = 1; ; count += 1) {
      try {
        for await (const chunk of current.body as AsyncIterable<Uint8Array>) {
          offset += chunk.byteLength;
          yield chunk;
        }
        return;
      } catch (error) {
        signal?.throwIfAborted();
        if (offset - from >= AHEAD) count = 1;
        from = offset;
        const { etag } = first.facts;
        if (isAbandoned || !isBrokenTransfer(error) || etag === null || count >= tries) throw error;
        await pause(firstDelay * 2 ** (count - 1), signal ?? null);
        if (isAbandoned) throw error;
        current = await store.get(path, { ...call, range: `bytes=${offset}-`, ifRange: etag });
        refuseOther(current.status, current.headers['content-range'], offset, path);
      }
    }
  }
  return { facts: first.facts, body: body(), abandon };
}

/** 200 to a request for a part says that the object is another one now. */
function refuseOther(status: number, range: string | undefined, offset: number, path: string): void {
  if (status === 206 && range?.startsWith(`bytes ${offset}-`) === true) return;
  throw new TransportError('broken', `GET ${path}: the object was changed while it was read.`, null);
}
