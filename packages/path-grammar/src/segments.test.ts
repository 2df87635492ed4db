import { describe, expect, it } from '@jest/globals';
import { encodeName, encodeValue } from './encode.js';
import {
  lexSegments,
  parseNameList,
  parseQualifiedName,
  parseSingleName,
  parseValueList,
  segmentText,
} from './segments.js';
import { splitCatalogTarget, splitQuery } from './split-target.js';
import { PathSyntaxError } from './syntax-error.js';

describe('lexSegments', () => {
  it('cuts on raw slashes only, keeps empty segments, and counts offsets in the whole text', () => {
    const segments = lexSegments('1/schema//a%2Fb/', 2);
    expect(segments.map(({ raw, offset }) => ({ raw, offset }))).toEqual([
      { raw: 'schema', offset: 2 },
      { raw: '', offset: 9 },
      { raw: 'a%2Fb', offset: 10 },
      { raw: '', offset: 16 },
    ]);
  });

  it('refuses what the lexical rules refuse', () => {
    for (const text of ['a+b', 'a b', 'a%', 'a%zz', '%00', '%FF', '%C3/%A9', '{', 'é', 'a#b']) {
      expect(() => lexSegments(text)).toThrow(PathSyntaxError);
    }
  });
});

describe('the readers of a segment', () => {
  it('read one name', () => {
    expect(parseSingleName(only('a%3Ab'))).toEqual({ text: 'a:b', offset: 0 });
    for (const text of ['', 'a:b', 'a,b', ':a', 'a=b'])
      expect(() => parseSingleName(only(text))).toThrow(PathSyntaxError);
  });

  it('read a list of names', () => {
    expect(parseNameList(only('a,b%2Cc')).map((word) => word.text)).toEqual(['a', 'b,c']);
    for (const text of ['', 'a,', ',a', 'a:b', 'a;b']) expect(() => parseNameList(only(text))).toThrow(PathSyntaxError);
  });

  it('read a qualified name, with any number of parts', () => {
    expect(['t', 's:t', ':t', 'a:b:c'].map((text) => parseQualifiedName(only(text)).parts)).toEqual([
      ['t'],
      ['s', 't'],
      ['t'],
      ['a', 'b', 'c'],
    ]);
    for (const text of ['', 'a:', 'a,b', 'a::b']) expect(() => parseQualifiedName(only(text))).toThrow(PathSyntaxError);
  });

  it('read values that may be empty, as history ranges have them', () => {
    expect([',b', 'a,', ',', ''].map((text) => parseValueList(only(text)).map((word) => word.text))).toEqual([
      ['', 'b'],
      ['a', ''],
      ['', ''],
      [''],
    ]);
  });

  it('read a whole segment as text, escaped or not', () => {
    expect(segmentText(only('tag:x,2020:k'))).toBe('tag:x,2020:k');
    expect(segmentText(only('tag%3Ax%2C2020%3Ak'))).toBe('tag:x,2020:k');
  });

  it('point at the fault in the whole text', () => {
    const [, segment] = lexSegments('schema/a:b');
    expect(() => (segment === undefined ? undefined : parseSingleName(segment))).toThrow(
      expect.objectContaining({ offset: 8, token: ':' }),
    );
  });
});

describe('splitCatalogTarget', () => {
  it('separates catalog, snapshot and the raw rest', () => {
    expect(splitCatalogTarget('1')).toEqual({ cid: '1', revision: null, rest: '', restOffset: 1 });
    expect(splitCatalogTarget('1/')).toEqual({ cid: '1', revision: null, rest: '', restOffset: 2 });
    expect(splitCatalogTarget('1?x=1')).toEqual({ cid: '1', revision: null, rest: '?x=1', restOffset: 1 });
    expect(splitCatalogTarget('a%40b@2-X/schema/%2F')).toEqual({
      cid: 'a@b',
      revision: '2-X',
      rest: 'schema/%2F',
      restOffset: 10,
    });
    for (const text of ['', '/entity/T', '1@/x', '1@2@3/x', 'a:b', 'a+b']) {
      expect(() => splitCatalogTarget(text)).toThrow(PathSyntaxError);
    }
  });
});

describe('splitQuery', () => {
  it('finds the first raw question mark', () => {
    expect(splitQuery('a%3F?b?c', 0)).toEqual({ pathEnd: 4, queryStart: 5 });
    expect(splitQuery('abc', 0)).toEqual({ pathEnd: 3, queryStart: null });
  });
});

describe('encodeName', () => {
  it('escapes everything but unreserved characters and the asterisk', () => {
    expect(encodeName("a-b_c.d~*!'()[]+é\u{1F40A}")).toBe('a-b_c.d~*%21%27%28%29%5B%5D%2B%C3%A9%F0%9F%90%8A');
    expect(encodeValue('')).toBe('');
  });

  it('refuses texts that no URL can carry', () => {
    for (const text of ['', 'a\0', '\ud800']) expect(() => encodeName(text)).toThrow(RangeError);
  });
});

function only(text: string) {
  const [segment] = lexSegments(text);
  if (segment === undefined) throw new Error('there is always one segment');
  return segment;
}
