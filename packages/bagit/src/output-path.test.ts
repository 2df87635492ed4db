import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BagWriteError, UnsafePathError } from './errors.js';
import { checkBagName, checkOutputPath, checkVerbatimPath, PayloadPaths } from './output-path.js';

describe('checkOutputPath', () => {
  it.each([
    ['a/b.csv', 'a/b.csv'],
    ['a//b/./c/', 'a/b/c'],
    ['./a', 'a'],
    ['e\u0301', '\u00e9'],
    ['..a/b..', '..a/b..'],
    ['C:x', 'C:x'],
  ])('makes %j into %j', (path, normal) => {
    expect(checkOutputPath(path)).toBe(normal);
  });

  it.each([
    ['../t', 'parent_segment'],
    ['a/../b', 'parent_segment'],
    ['/etc/t', 'absolute'],
    ['a\\b', 'backslash'],
    ['a\0', 'control_character'],
    ['a\nb', 'control_character'],
    ['a\u0085', 'control_character'],
    ['', 'empty'],
    ['./.', 'empty'],
    ['\ud800', 'lone_surrogate'],
    ['é'.repeat(128), 'segment_too_long'],
    [Array(33).fill('a').join('/'), 'too_deep'],
    [Array(5).fill('x'.repeat(220)).join('/'), 'path_too_long'],
  ])('refuses %j as %s', (path, reason) => {
    const refused = expect(() => checkOutputPath(path));
    refused.toThrow(UnsafePathError);
    refused.toThrow(expect.objectContaining({ reason, path }));
  });

  it('takes the largest path that is allowed', () => {
    const path = Array(4).fill('x'.repeat(255)).join('/');
    expect(checkOutputPath(path)).toBe(path);
    expect(checkOutputPath(Array(32).fill('a').join('/'))).toHaveLength(63);
  });

  it('never lets a path escape and is the same when applied twice', () => {
    const segment = fc.oneof(
      fc.constantFrom('..', '.', '', '~', '\\', 'a'),
      fc.string({ unit: 'binary', maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 6 }), (segments) => {
        let normal: string;
        try {
          normal = checkOutputPath(segments.join('/'));
        } catch (error) {
          expect(error).toBeInstanceOf(UnsafePathError);
          return;
        }
        expect(normal.split('/')).not.toContain('..');
        expect(normal).not.toMatch(/^\/|\/\/|\\|[\0-\x1f]/);
        expect(checkOutputPath(normal)).toBe(normal);
      }),
    );
  });
});

describe('checkVerbatimPath', () => {
  it('keeps odd names and refuses to leave the root', () => {
    expect(checkVerbatimPath('a\nb/e\u0301\\')).toBe('a\nb/e\u0301\\');
    for (const path of ['', '/a', 'a/../b', '..', 'a//b', './a', 'a\0'])
      expect(() => checkVerbatimPath(path)).toThrow(UnsafePathError);
  });
});

describe('checkBagName', () => {
  it('takes names of one segment', () => {
    expect(checkBagName('my bag: 1')).toBe('my bag: 1');
    for (const name of ['', 'a/b', 'a/', '.hidden', 'x'.repeat(129)])
      expect(() => checkBagName(name)).toThrow(BagWriteError);
    expect(() => checkBagName('a\\b')).toThrow(UnsafePathError);
  });
});

describe('PayloadPaths', () => {
  it('refuses the same path, a directory of a file and a file as directory', () => {
    const paths = new PayloadPaths();
    paths.claim('a/b');
    expect(() => paths.claim('a/b')).toThrow(BagWriteError);
    expect(() => paths.claim('a')).toThrow(BagWriteError);
    expect(() => paths.claim('a/b/c')).toThrow(BagWriteError);
    expect(paths.claim('a/bc').caseTwin).toBeUndefined();
  });

  it('names the path that differs only in case', () => {
    const paths = new PayloadPaths();
    paths.claim('a/B');
    expect(paths.claim('A/b').caseTwin).toBe('a/B');
  });

  it('forgets what was given back', () => {
    const paths = new PayloadPaths();
    paths.claim('a/b');
    paths.release('a/b');
    expect(paths.has('a/b')).toBe(false);
    expect(paths.claim('a').caseTwin).toBeUndefined();
  });
});
