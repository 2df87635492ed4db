import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { replayable } from './replayable.js';

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += size) {
    await null;
    yield Buffer.from(text.slice(at, at + size), 'latin1');
  }
}

async function collect(content: AsyncIterable<Uint8Array>, most = Number.POSITIVE_INFINITY): Promise<string> {
  let text = '';
  for await (const chunk of content) {
    text += Buffer.from(chunk).toString('latin1');
    if (text.length >= most) break;
  }
  return text;
}

describe('a content that may be read again', () => {
  it('is the same from its beginning as long as little of it was read, and is read to its end but once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.integer({ min: 1, max: 120 }), { maxLength: 4 }),
        async (length, size, breaks) => {
          const text = Array.from({ length }, (_, index) => String.fromCharCode(32 + (index % 90))).join('');
          const source = replayable(inPieces(text, size), 100);
          for (const most of breaks) {
            if (!source.mayRestart()) return;
            expect(text.startsWith(await collect(source.read(), most))).toBe(true);
          }
          if (source.mayRestart()) expect(await collect(source.read())).toBe(text);
        },
      ),
    );
  });

  it('loses nothing that a reader had asked for when it was given up', async () => {
    const source = replayable(inPieces('abcdef', 1), 100);
    const first = source.read();
    await first.next();
    const asked = first.next();
    const second = collect(source.read());
    await asked;
    expect(await second).toBe('abcdef');
  });

  it('says what it failed with', async () => {
    const error = new Error('broken');
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('a');
      throw error;
    }
    const source = replayable(broken(), 100);
    await expect(collect(source.read())).rejects.toBe(error);
    expect([source.failure(), source.mayRestart()]).toEqual([{ error }, false]);
  });
});
