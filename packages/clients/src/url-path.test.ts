import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeName, joinPath, queryString, tableName } from './url-path.js';

describe('a name in a URL', () => {
  it('keeps nothing that could be syntax', () => {
    expect(encodeName("a/b:c;d'e(f)*!ü%")).toBe('a%2Fb%3Ac%3Bd%27e%28f%29%2A%21%C3%BC%25');
  });

  it('comes back whole, and has only unreserved characters and escapes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        const encoded = encodeName(name);
        expect(encoded).toMatch(/^(?:[A-Za-z0-9\-._~]|%[0-9A-F]{2})*$/);
        expect(decodeURIComponent(encoded)).toBe(name);
      }),
    );
  });

  it('is put below a prefix, into a table name, into a query', () => {
    expect(joinPath('/objects/', 'a b', 'c/d')).toBe('/objects/a%20b/c%2Fd');
    expect(tableName({ schema: 'my:schema', table: 't' })).toBe('my%3Aschema:t');
    expect(queryString({ a: '1', b: undefined, c: 'x,y' })).toBe('?a=1&c=x,y');
    expect(queryString({ a: undefined })).toBe('');
  });
});
