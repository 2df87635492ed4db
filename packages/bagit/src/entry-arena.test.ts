import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EntryArena } from './entry-arena.js';
import { comparePaths } from './path-encoding.js';

/** Text without halves of surrogate pairs, as paths are. */
const path = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });

describe('an arena of entries', () => {
  it('gives its lines in the order of their paths, however many there are, and can be used again', () => {
    const arena = new EntryArena();
    fc.assert(
      fc.property(fc.array(path, { maxLength: 600 }), (paths) => {
        arena.clear();
        for (const [index, each] of paths.entries()) arena.add(each, `${index} ${each}\n`);
        expect(arena.count).toBe(paths.length);
        const lines = [...arena.sorted(7)].flat().map((line) => line.toString('utf8'));
        const expected = paths
          .map((each, index) => ({ each, line: `${index} ${each}\n` }))
          .sort((a, b) => comparePaths(a.each, b.each));
        expect(lines.map((line) => line.slice(line.indexOf(' ')))).toEqual(
          expected.map(({ line }) => line.slice(line.indexOf(' '))),
        );
        expect([...lines].sort()).toEqual(expected.map(({ line }) => line).sort());
      }),
    );
  });
});
