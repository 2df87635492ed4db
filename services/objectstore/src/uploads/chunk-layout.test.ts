import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chunkCount, lengthOfChunk, parseChunkNumber } from './chunk-layout.js';

describe('the chunks of a job', () => {
  it('add up to the content, and only the last may be shorter', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 2000 }), (chunkLength, contentLength) => {
        const layout = { chunkLength, contentLength };
        const lengths = Array.from({ length: chunkCount(layout) }, (_, number) => lengthOfChunk(layout, number));
        expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(contentLength);
        for (const length of lengths.slice(0, -1)) expect(length).toBe(chunkLength);
        for (const length of lengths) expect(length).toBeGreaterThan(0);
        expect(() => lengthOfChunk(layout, lengths.length)).toThrow(
          expect.objectContaining({ code: 'chunk_out_of_range' }),
        );
      }),
    );
  });

  it.each(['-1', '+1', '01', 'x', '', '1.0', '9007199254740992'])('have no number %j', (text) => {
    expect(() => parseChunkNumber(text)).toThrow(expect.objectContaining({ code: 'bad_request' }));
  });
});
