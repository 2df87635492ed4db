import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalPath, encodeSegment, shownPath } from './canonical-path.js';
import { parseTarget } from './parse-target.js';

const parse = (target: string) => parseTarget(target, { prefixes: ['/os', '/objects'] });
const codeOf = (target: string): string => {
  try {
    parse(target);
    return 'accepted';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
};

describe('the forms of a target', () => {
  it.each([
    ['/os', { kind: 'name', path: '' }],
    ['/os/', { kind: 'name', path: '' }],
    ['/os;acl', { kind: 'acl', path: '', version: null }],
    ['/os/;acl/', { kind: 'acl', path: '', version: null }],
    ['/os//a///b/', { kind: 'name', path: '/a/b' }],
    ['http://host:80/os/a', { kind: 'name', path: '/a' }],
    ['/os/a:V1', { kind: 'version', path: '/a', version: 'V1' }],
    ['/os/a;versions', { kind: 'versions', path: '/a' }],
    ['/os/a;versions/', { kind: 'versions', path: '/a' }],
    ['/os/a:V;metadata/', { kind: 'metadata', path: '/a', version: 'V' }],
    ['/os/a;metadata/Content-MD5', { kind: 'metadata-field', path: '/a', version: null, field: 'content-md5' }],
    ['/os/a:V;acl/read/', { kind: 'acl-mode', path: '/a', version: 'V', mode: 'read' }],
    [
      '/os/a;acl/read/https%3A%2F%2Fidp%2Fg%3B1',
      { kind: 'acl-entry', path: '/a', version: null, mode: 'read', entry: 'https://idp/g;1' },
    ],
    ['/os/a;acl/read/*', { kind: 'acl-entry', path: '/a', version: null, mode: 'read', entry: '*' }],
    ['/os/a;upload/', { kind: 'upload', path: '/a' }],
    ['/os/a;upload/J/', { kind: 'upload-job', path: '/a', job: 'J' }],
    ['/os/a;upload/J/-1', { kind: 'upload-chunk', path: '/a', job: 'J', number: '-1' }],
    ['/os/upload/versions', { kind: 'name', path: '/upload/versions' }],
  ])('%s', (target, resource) => {
    expect(parse(target).resource).toEqual(resource);
  });

  it.each([
    '/other',
    '/osx',
    '/os/a:',
    '/os:V',
    '/os/:V',
    '/os/a:V/',
    '/os/a:V/b',
    '/os/a:V:W',
    '/os/a;b/c',
    '/os/a;acl;acl',
    '/os/a/;acl',
    '/os/a:V;versions',
    '/os/a;versions/1',
    '/os/a;metadata/content-type/',
    '/os/a;metadata//x',
    '/os/a;acl/read/bob/',
    '/os/a;acl/read/a:b',
    '/os/a;acl/read/a/b',
    '/os/a:V;upload',
    '/os/a;upload/J/0/',
    '/os/a;upload/J/0/1',
    '/os/a;bogus',
  ])('%s is no form of a resource', (target) => {
    expect(codeOf(target)).toBe('not_found');
  });

  it.each([
    '/os/a%',
    '/os/a%2',
    '/os/a b',
    '/os/a"b',
    '/os/a#b',
    '/os/a[b]',
    '/os/a^',
    '/os/a|b',
    '/os/a%FF',
    '/os/a%00b',
    '/os/a%7F',
    '/os/a%C2%85',
    '/os/.',
    '/os/a/%2E.',
    '/os/a;acl/read/%FF',
    '/os/a:%FF',
    '/os/a:%00',
    '/os/a;upload/%00',
    '/os/a;upload/%00/0',
    '/os/a;acl/read/%0A',
    `/os/${'x'.repeat(256)}`,
    `/os${'/x'.repeat(65)}`,
    `/os${`/${'%20'.repeat(80)}`.repeat(9)}`,
  ])('%s is refused for its spelling', (target) => {
    expect(codeOf(target)).toBe('bad_name');
  });

  it('has a longest target', () => {
    expect(codeOf(`/os/a?${'x'.repeat(8186)}`)).toBe('accepted');
    expect(codeOf(`/os/a?${'x'.repeat(8187)}`)).toBe('uri_too_long');
  });

  it('knows one query parameter, and one value of it', () => {
    expect(parse('/os/a?cid=x&parents=TRUE').parents).toBe(true);
    for (const query of ['?parents=yes', '?parents', '?Parents=true', '', '?a?parents=true'])
      expect(parse(`/os/a${query}`).parents).toBe(false);
  });

  it('answers under the prefix of the request', () => {
    expect(parse('/objects/a').prefix).toBe('/objects');
    expect(parse('/os/a').prefix).toBe('/os');
    expect(parseTarget('/a', { prefixes: [''] }).resource).toEqual({ kind: 'name', path: '/a' });
  });
});

describe('canonical names', () => {
  it('are one for each way to spell them', () => {
    for (const [spelled, canonical] of [
      ['/%7Ea', '/~a'],
      ['/%c3%a4', '/%C3%A4'],
      ['/a+b', '/a%2Bb'],
      ['/x%2fy', '/x%2Fy'],
      ['/(a)', '/%28a%29'],
    ])
      expect(parse(`/os${spelled}`).resource.path).toBe(canonical);
  });

  const segment = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter((text) => text.isWellFormed() && !/\p{Cc}/u.test(text) && !/^\.{1,2}$/.test(text));

  it('survive the way out and back', () => {
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 8 }), (segments) => {
        const path = canonicalPath(segments);
        expect(parse(shownPath('/os', path)).resource).toEqual({ kind: 'name', path });
        expect(path.split('/').slice(1).map(decodeURIComponent)).toEqual(segments);
      }),
    );
  });

  it('do not depend on which bytes the client escapes', () => {
    fc.assert(
      fc.property(segment, fc.infiniteStream(fc.boolean()), (text, coins) => {
        const bytes = [...Buffer.from(text)].map((byte) => {
          const character = String.fromCharCode(byte);
          const bare = /[A-Za-z0-9\-._~!$&'()*+,=@]/.test(character) && coins.next().value === true;
          return bare ? character : `%${byte.toString(16).padStart(2, '0')}`;
        });
        expect(parse(`/os/${bytes.join('')}`).resource.path).toBe(`/${encodeSegment(text)}`);
      }),
    );
  });

  it('never fail in another way than by a refusal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(['accepted', 'bad_name', 'not_found', 'uri_too_long']).toContain(codeOf(`/os/${text}`));
      }),
    );
  });
});
