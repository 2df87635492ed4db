import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeId, encodeId } from './id-codec.js';
import { canonicalRid } from './rid.js';

describe('ids of rows and snapshots', () => {
  it.each([
    [0n, '0'],
    [1n, '2'],
    [15n, 'Y'],
    [16n, '10'],
    [31n, '1Y'],
    [511n, 'ZY'],
    [512n, '100'],
    [524287n, 'ZZZY'],
    [524288n, '1-0000'],
    [1000000n, '1-X140'],
    [1n << 40n, '2-0000-0000'],
    [123456789012345n, '70-J461-QFQJ'],
    [-1n, 'Z-ZZZZ-ZZZZ-ZZZY'],
    [1_529_365_427_096_206n, '2PX-WS30-E58W'],
    [1_527_801_178_638_323n, '2PV-1QEH-93Z6'],
    [1_700_000_000_123_456n, '30M-90R4-0H40'],
    [1_704_164_645_678_901n, '30V-VE0B-0QKA'],
  ])('%s is written %s', (number, text) => {
    expect(encodeId(number)).toBe(text);
    expect(decodeId(text)).toBe(number);
  });

  it.each([
    ['1', '0'],
    ['3', '2'],
    ['a', 'A'],
    ['10000', '1-0000'],
    ['1-abcd', '1-ABCC'],
    ['O', '0'],
    ['I', '0'],
    ['l', '0'],
    ['-', '0'],
    ['', '0'],
    ['AAAAA2', 'AA-AAA2'],
    ['U', null],
    ['hello', 'H-E110'],
    ['12345678901234', null],
    ['FZZZZZZZZZZZZ', 'F-ZZZZ-ZZZZ-ZZZY'],
    ['a b', null],
    ['ı', null],
  ])('%j is understood as %j', (text, canonical) => {
    expect(canonicalRid(text)).toBe(canonical);
  });

  it('decodes what it encodes, and its length grows with the number', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }), (number) => {
        expect(decodeId(encodeId(number))).toBe(number);
      }),
    );
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 1n << 62n }), fc.bigInt({ min: 0n, max: 1n << 62n }), (a, b) => {
        const [textA, textB] = [encodeId(a), encodeId(b)];
        const order = textA.length - textB.length || (textA < textB ? -1 : textA === textB ? 0 : 1);
        expect(Math.sign(order)).toBe(a < b ? -1 : a === b ? 0 : 1);
      }),
    );
  });

  it('decodes any text or says that it cannot', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 16 }), (text) => {
        const number = decodeId(text);
        if (number !== null) expect(encodeId(number)).toMatch(/^[0-9A-Z]+(-[0-9A-Z]{4})*$/);
      }),
    );
  });
});
