import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decideRange } from './ranges.js';

describe('ranges', () => {
  it.each([
    ['bytes=1-2', 5, { kind: 'single', range: { first: 1, last: 2 } }],
    ['bytes=3-', 5, { kind: 'single', range: { first: 3, last: 4 } }],
    ['bytes=-2', 5, { kind: 'single', range: { first: 3, last: 4 } }],
    ['bytes=1-900', 5, { kind: 'single', range: { first: 1, last: 4 } }],
    ['bytes=0-', 5, { kind: 'whole' }],
    ['bytes=-900', 5, { kind: 'whole' }],
    ['bytes=9-1', 5, { kind: 'whole' }],
    ['bytes=x', 5, { kind: 'whole' }],
    ['bytes=', 5, { kind: 'whole' }],
    ['lines=1-2', 5, { kind: 'whole' }],
    [undefined, 5, { kind: 'whole' }],
    ['bytes=5-', 5, { kind: 'unsatisfiable' }],
    ['bytes=-0', 5, { kind: 'unsatisfiable' }],
    ['bytes=0-', 0, { kind: 'unsatisfiable' }],
    ['bytes=8-9,7-7', 5, { kind: 'unsatisfiable' }],
    ['bytes=8-9,1-1', 5, { kind: 'single', range: { first: 1, last: 1 } }],
    [
      'bytes=0-0,2-2',
      5,
      {
        kind: 'several',
        ranges: [
          { first: 0, last: 0 },
          { first: 2, last: 2 },
        ],
      },
    ],
    ['bytes=2-3,0-2', 9, { kind: 'single', range: { first: 0, last: 3 } }],
  ] as const)('%s of %i bytes', (header, size, decision) => {
    expect(decideRange(header, size)).toEqual(decision);
  });

  it('stay several for a service that refuses them, however they lie and however many', () => {
    expect(decideRange('bytes=0-1,1-2', 5, 'keep').kind).toBe('several');
    expect(decideRange('bytes=0-,0-', 5, 'keep').kind).toBe('several');
    expect(decideRange(`bytes=${'0-0,'.repeat(20)}`, 5, 'keep').kind).toBe('several');
    expect(decideRange('bytes=0-1,9-', 5, 'keep').kind).toBe('single');
  });

  it('answers more than sixteen separate ranges with the whole', () => {
    const many = Array.from({ length: 17 }, (_, index) => `${index * 3}-${index * 3}`).join(',');
    expect(decideRange(`bytes=${many}`, 100)).toEqual({ kind: 'whole' });
  });

  it('never leaves the content, whatever is asked for', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.nat(1000), (text, first, size) => {
        for (const header of [text, `bytes=${text}`, `bytes=${first}-${text}`, `bytes=-${first}`]) {
          const decision = decideRange(header, size);
          const ranges =
            decision.kind === 'single' ? [decision.range] : decision.kind === 'several' ? decision.ranges : [];
          for (const range of ranges) {
            expect(range.first).toBeGreaterThanOrEqual(0);
            expect(range.last).toBeGreaterThanOrEqual(range.first);
            expect(range.last).toBeLessThan(size);
          }
        }
      }),
    );
  });
});
