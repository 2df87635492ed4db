/** A content that can be read again from its beginning, as long as little of it was read. */
export interface Replayable {
  /** Reads from the beginning. An earlier reader ends. Only while {@link mayRestart} holds. */
  read(): AsyncGenerator<Uint8Array>;
  /** Whether all that was read is still there. */
  mayRestart(): boolean;
  /** What the content failed with; null: it did not. */
  failure(): { readonly error: unknown } | null;
  /** Lets go of the content. */
  close(): Promise<void>;
}

/**
 * Wraps a content that can be read once.
 * @param most bytes that are kept for another time
 */
export function replayable(content: AsyncIterable<Uint8Array>, most: number): Replayable {
  const iterator = content[Symbol.asyncIterator]();
  let kept: Uint8Array[] = [];
  let length = 0;
  let ended = false;
  let failed: { readonly error: unknown } | null = null;
  let readers = 0;
  // one request to the content at a time: a reader that was given up may have left one on the way, whose answer is the next one's
  let pending: Promise<void> | null = null;
  const readMore = async (): Promise<void> => {
    try {
      const next = await iterator.next();
      if (next.done === true) ended = true;
      else {
        kept.push(next.value);
        length += next.value.byteLength;
      }
    } catch (error) {
      failed = { error };
    } finally {
      pending = null;
    }
  };
  async function* read(): AsyncGenerator<Uint8Array> {
    readers += 1;
    const me = readers;
    let at = 0;
    while (me === readers) {
      const chunk = kept[at];
      if (chunk !== undefined) {
        at += 1;
        yield chunk;
      } else if (failed !== null) throw failed.error;
      else if (ended) return;
      else {
        if (length > most) {
          kept = [];
          at = 0;
        }
        pending ??= readMore();
        await pending;
      }
    }
  }
  return {
    read,
    mayRestart: () => length <= most && failed === null,
    failure: () => failed,
    close: async () => {
      await iterator.return?.();
    },
  };
}
