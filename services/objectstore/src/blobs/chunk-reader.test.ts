import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chunkReader } from './chunk-reader.js';

describe('a chunk reader', () => {
  it('gives all bytes in order, in pieces of the length asked for, whatever the lengths of the chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 20 })),
        fc.integer({ min: 1, max: 30 }),
        async (chunks, limit) => {
          const reader = chunkReader(source(chunks.map((chunk) => Buffer.from(chunk))));
          const pieces: Buffer[] = [];
          while (!(await reader.ended())) {
            const piece: Buffer[] = [];
            for await (const chunk of reader.take(limit)) piece.push(chunk);
            pieces.push(Buffer.concat(piece));
          }
          expect(Buffer.concat(pieces)).toEqual(Buffer.concat(chunks));
          expect(pieces.slice(0, -1).every(({ byteLength }) => byteLength === limit)).toBe(true);
          expect(pieces.at(-1)?.byteLength ?? 1).toBeGreaterThan(0);
        },
      ),
    );
  });

  it('ends its source when it is closed before the end', async () => {
    let ended = false;
    const endless = (async function* () {
      try {
        for (;;) yield Buffer.from('more');
      } finally {
        ended = true;
      }
    })();
    const reader = chunkReader(endless);
    expect(await reader.ended()).toBe(false);
    await reader.close();
    expect([ended, await reader.ended()]).toEqual([true, false]);
  });
});

async function* source(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}
