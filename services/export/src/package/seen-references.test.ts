import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { seenReferences } from './seen-references.js';

describe('references that were seen', () => {
  it('are told from new ones and different ones, as a map would', () => {
    const step = fc.tuple(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 0, max: 1 }));
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 200 }), (steps) => {
        const seen = seenReferences();
        const map = new Map<string, string>();
        for (const [path, text] of steps) {
          const before = map.get(`${path}`);
          const expected = before === undefined ? 'new' : before === `${text}` ? 'same' : 'different';
          if (before === undefined) map.set(`${path}`, `${text}`);
          expect(seen.add(`${path}`, `${text}`)).toBe(expected);
        }
      }),
    );
  });

  it('stay known when there are many', () => {
    const seen = seenReferences();
    for (let index = 0; index < 20_000; index += 1) expect(seen.add(`p${index}`, 'x')).toBe('new');
    for (let index = 0; index < 20_000; index += 1)
      expect(seen.add(`p${index}`, index % 2 === 0 ? 'x' : 'y')).toBe(index % 2 === 0 ? 'same' : 'different');
  });
});
