import { Readable } from 'node:stream';

/**
 * The bytes of a generator as a stream. Empty ones are left out: to a byte stream they would mean nothing.
 * Whatever the generator throws, the stream is destroyed with.
 */
export function bytesOf(chunks: AsyncIterator<Buffer>): Readable {
  const nonEmpty: AsyncIterableIterator<Buffer> = {
    [Symbol.asyncIterator]: () => nonEmpty,
    async next() {
      for (;;) {
        const step = await chunks.next();
        if (step.done || step.value.length > 0) return step;
      }
    },
    async return() {
      await chunks.return?.();
      return { done: true, value: undefined };
    },
  };
  return Readable.from(nonEmpty, { objectMode: false });
}
