import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { amendedVersions, type ConfigurationVersion } from './amended-versions.js';

const END = 12n;

/** What holds at each instant, one after the other. */
function timeline(versions: readonly ConfigurationVersion<string>[]): readonly (string | null)[] {
  return Array.from({ length: Number(END) }, (_, index) => {
    const holding = versions.filter(({ lo, hi }) => lo <= index && (hi === null || hi > index));
    if (holding.length > 1) throw new Error(`two versions hold at ${index}`);
    return holding[0]?.doc ?? null;
  });
}

const history = fc
  .uniqueArray(fc.bigInt({ min: 0n, max: END }), { minLength: 1, maxLength: 6 })
  .chain((cuts) => {
    const sorted = [...cuts].sort((a, b) => (a < b ? -1 : 1));
    return fc.tuple(
      fc.constant(sorted),
      fc.array(fc.option(fc.constantFrom('a', 'b')), { minLength: 6, maxLength: 6 }),
    );
  })
  .map(([cuts, docs]) =>
    cuts.flatMap((lo, index) => {
      const doc = docs[index] ?? null;
      return doc === null ? [] : [{ lo, hi: cuts[index + 1] ?? null, doc }];
    }),
  );

const span = fc
  .tuple(fc.bigInt({ min: 0n, max: END - 1n }), fc.bigInt({ min: 1n, max: END }))
  .map(([lo, length]) => ({ lo, hi: lo + length }));

describe('amended versions', () => {
  it('say within the span what is made of what held, and elsewhere what they said', () => {
    fc.assert(
      fc.property(history, span, fc.option(span), (versions, stretch, life) => {
        const element = life ?? { lo: 0n, hi: null };
        const replacement = (before: string | null) => (before === 'b' ? null : `${before}!`);
        const before = timeline(versions);
        const after = timeline(amendedVersions(versions, element, stretch, replacement));
        const wanted = before.map((doc, index) => {
          const inside = stretch.lo <= index && index < stretch.hi;
          const alive = element.lo <= index && (element.hi === null || index < element.hi);
          // whoever is not alive has no configuration: nothing is put there
          if (!inside) return doc;
          return alive ? replacement(doc) : (after[index] ?? null);
        });
        expect(after).toEqual(wanted);
      }),
    );
  });

  it('are not cut where nothing changes', () => {
    const versions = [{ lo: 0n, hi: null, doc: 'a' }];
    const same = amendedVersions(versions, { lo: 0n, hi: null }, { lo: 2n, hi: 4n }, () => 'a');
    expect(same).toEqual(versions);
  });

  it('leave a version that begins later or has ended before alone', () => {
    const versions = [
      { lo: 0n, hi: 2n, doc: 'a' },
      { lo: 8n, hi: null, doc: 'b' },
    ];
    const amended = amendedVersions(versions, { lo: 0n, hi: null }, { lo: 3n, hi: 5n }, () => 'x');
    expect(amended).toEqual([versions[0], { lo: 3n, hi: 5n, doc: 'x' }, versions[1]]);
  });
});
