/** A stream of bytes that is read in pieces of chosen length. */
export interface ChunkReader {
  /** The next bytes, at most so many; fewer only at the end. Take them all before anything else. */
  take(limit: number): AsyncGenerator<Buffer>;
  /** Whether nothing is left; waits for the source to know. */
  ended(): Promise<boolean>;
  /** Ends the source too. */
  close(): Promise<void>;
}

/** Cuts a stream of bytes without copying them. */
export function chunkReader(source: AsyncIterable<Buffer>): ChunkReader {
  const iterator = source[Symbol.asyncIterator]();
  let held: Buffer | null = null;
  let over = false;
  const next = async (): Promise<Buffer | null> => {
    while (held === null && !over) {
      const step = await iterator.next();
      if (step.done === true) over = true;
      else if (step.value.byteLength > 0) held = step.value;
    }
    const chunk = held;
    held = null;
    return chunk;
  };
  return {
    async *take(limit) {
      for (let left = limit; left > 0; ) {
        const chunk = await next();
        if (chunk === null) return;
        const piece = chunk.byteLength > left ? chunk.subarray(0, left) : chunk;
        if (piece !== chunk) held = chunk.subarray(left);
        left -= piece.byteLength;
        yield piece;
      }
    },
    ended: async () => {
      held = await next();
      return held === null;
    },
    close: async () => {
      over = true;
      await iterator.return?.();
    },
  };
}
