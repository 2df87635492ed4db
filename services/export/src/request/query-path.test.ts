import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkQueryPath, refuseSyntaxFromData } from './query-path.js';

describe('a query path', () => {
  it.each([
    ['/entity/s:t', '/entity/s:t'],
    ['/attribute/s:t/a::gt::5/b,c@sort(a)?limit=5', '/attribute/s:t/a::gt::5/b,c@sort(a)?limit=5'],
    ['/entity/t/a=ü b"c', '/entity/t/a=%C3%BC%20b%22c'],
    ['/entity/t/a=%2F%zz', '/entity/t/a=%2F%25zz'],
    ['/aggregate/t/n:=cnt(*)', '/aggregate/t/n:=cnt(*)'],
    ['/entity?x', '/entity?x'],
  ])('%j is sent as %j', (text, sent) => expect(checkQueryPath(text, '/q')).toBe(sent));

  it.each([
    '/schema/s',
    'entity/s:t',
    '/',
    '',
    '//entity/t',
    '/entity/../schema',
    '/entity/%2E%2e/x',
    '/entity/t#f',
    '/entity/\ud800',
  ])('refuses %j', (text) =>
    expect(() => checkQueryPath(text, '/q')).toThrow(expect.objectContaining({ status: 400 })),
  );

  it('is made of characters of URLs only, and checking it again changes nothing', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }).filter((text) => !/#|\p{Surrogate}/u.test(text)),
        (text) => {
          const sent = checkQueryPath(`/entity/t/a=x${text.replaceAll('/', '')}`, '/q');
          expect(sent).toMatch(/^[\x21-\x7e]+$/);
          expect(checkQueryPath(sent, '/q')).toBe(sent);
        },
      ),
    );
  });

  it('takes syntax from the caller, not from rows', () => {
    expect(refuseSyntaxFromData({ text: 'a/b', source: 'request' })).toBeNull();
    expect(refuseSyntaxFromData({ text: 'a b', source: 'data' })).toBeNull();
    for (const text of ['a/b', 'a?b', 'a#b', 'a\nb'])
      expect(refuseSyntaxFromData({ text, source: 'data' })).not.toBeNull();
  });
});
