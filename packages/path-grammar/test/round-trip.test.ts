import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  encodeName,
  lexSegments,
  parseNameList,
  parseResource,
  parseSingleName,
  printRequest,
  stripOffsets,
} from '../src/index.js';
import { request } from './arbitraries.js';

describe('printing and parsing', () => {
  it('gives back every tree: parse(print(tree)) = tree', () => {
    fc.assert(
      fc.property(request, (tree) => {
        expect(stripOffsets(parseResource(printRequest(tree)))).toEqual(tree);
      }),
      { numRuns: 2000 },
    );
  });

  it('is canonical: printing what was parsed from a printed tree changes nothing', () => {
    fc.assert(
      fc.property(request, (tree) => {
        const printed = printRequest(tree);
        expect(printRequest(parseResource(printed))).toBe(printed);
      }),
      { numRuns: 500 },
    );
  });

  it('writes only characters that a request target may hold', () => {
    fc.assert(
      fc.property(request, (tree) => {
        expect(printRequest(tree)).toMatch(/^[A-Za-z0-9\-._~*%():;,=@&/?!$]*$/);
      }),
      { numRuns: 500 },
    );
  });

  it('carries any list of names through one path segment', () => {
    const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 10 }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (names) => {
        const [list, single] = lexSegments(`${names.map(encodeName).join(',')}/${encodeName(names[0] ?? '')}`);
        if (list === undefined || single === undefined) throw new Error('two segments were written');
        expect(parseNameList(list).map((word) => word.text)).toEqual(names);
        expect(parseSingleName(single).text).toBe(names[0]);
      }),
    );
  });
});
