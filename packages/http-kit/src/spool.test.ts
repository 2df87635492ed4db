import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spool } from './spool.js';

describe('a spool', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'holdfast-spool-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it.each([
    ['nothing', []],
    ['what fits into memory', ['ab', 'cd']],
    ['what goes on in a file', ['abcd', 'efgh', 'i', 'jkl']],
    ['a first piece longer than the memory', ['abcdefgh', 'i']],
  ])('gives %s back as it came', async (_what, pieces) => {
    const kept = await spool(each(pieces), { memoryBytes: 5, directory });
    expect(kept.bytes).toBe(pieces.join('').length);
    expect(kept.whole?.toString() ?? null).toBe(kept.bytes > 5 ? null : pieces.join(''));
    const read: Buffer[] = [];
    for await (const chunk of kept.read() as AsyncIterable<Buffer>) read.push(chunk);
    expect(Buffer.concat(read).toString()).toBe(pieces.join(''));
    await kept.discard();
    expect(await readdir(directory)).toEqual([]);
  });

  it('leaves nothing when its source fails', async () => {
    const failing = async function* (): AsyncGenerator<Buffer> {
      yield Buffer.from('abcdefgh');
      throw new Error('no more');
    };
    await expect(spool(failing(), { memoryBytes: 5, directory })).rejects.toThrow('no more');
    expect(await readdir(directory)).toEqual([]);
  });
});

async function* each(pieces: readonly string[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece);
}
