import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { humanSize, infoValues, parseBagInfo, parseOxum, printBagInfo, printOxum } from './bag-info.js';
import { parseDeclaration, printDeclaration } from './bagit-txt.js';
import { BagWriteError } from './errors.js';
import { parseFetch, printFetchLine } from './fetch-txt.js';
import { parseManifest, parseManifestName, printManifestLine } from './manifest.js';
import { comparePaths, decodePath, encodePath } from './path-encoding.js';
import { decodeTagFile } from './tag-text.js';

const MD5 = '5d41402abc4b2a76b9719d911017c592';
/** any path text that fits in a line once encoded */
const anyPath = fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => `data/${text}`);

describe('bagit.txt', () => {
  it('reads back what it prints', () => {
    expect(parseDeclaration(printDeclaration('1.0'))).toEqual({
      value: { version: '1.0', encoding: 'UTF-8' },
      problems: [],
    });
    expect(parseDeclaration(printDeclaration('0.97')).value?.version).toBe('0.97');
  });

  it.each(['0.93', '0.94', '0.95', '0.96', '0.97', '1.0'])('knows version %s', (version) => {
    expect(parseDeclaration(`BagIt-Version: ${version}\r\nTag-File-Character-Encoding: UTF-8`).value?.version).toBe(
      version,
    );
  });

  it.each([
    ['', 1, "must be 'BagIt-Version: <value>'"],
    ['BagIt-Version: 1.0\n', 2, "must be 'Tag-File-Character-Encoding: <value>'"],
    ['BagIt-Version: 2.0\nTag-File-Character-Encoding: UTF-8\n', 1, 'names the version 2.0, which is not known'],
    ['BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-9\n', 2, 'names the encoding UTF-9, which is not known'],
    ['BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\nx\n', 3, 'has more than its two lines'],
    [
      'BagIt-Version : 1.0\nTag-File-Character-Encoding: UTF-8\n',
      1,
      'must be a label, a colon, one space and the value',
    ],
  ])('refuses %j at line %i', (text, line, message) => {
    expect(parseDeclaration(text).problems).toContainEqual({ severity: 'error', line, message });
  });

  it('forgives white space to versions before 1.0', () => {
    expect(parseDeclaration('BagIt-Version : 0.96\nTag-File-Character-Encoding:UTF-8\n').problems).toEqual([]);
  });

  it('refuses a byte order mark and bytes that are not of the encoding', () => {
    expect(decodeTagFile(Buffer.from('\ufeffBagIt-Version: 1.0'), 'UTF-8')).toEqual({
      ok: false,
      message: 'starts with a byte order mark',
    });
    expect(decodeTagFile(Buffer.from([0xff]), 'UTF-8')).toEqual({ ok: false, message: 'is not valid UTF-8' });
    expect(decodeTagFile(Buffer.from('\ufeffé', 'utf16le'), 'UTF-16')).toEqual({ ok: true, text: 'é' });
  });
});

describe('bag-info.txt', () => {
  const label = fc.stringMatching(/^[!-9;-~]([ -9;-~]{0,30}[!-9;-~])?$/);
  const value = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, '').trim());

  it('reads back what it prints: order, repeated labels, any text', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ label, value })), (entries) => {
        expect(parseBagInfo(printBagInfo(entries), '1.0')).toEqual({ value: entries, problems: [] });
      }),
    );
  });

  it('joins folded lines when reading', () => {
    const text = 'External-Description: one\n  two\r\n\tthree\nContact-Name: A: B\n';
    expect(parseBagInfo(text, '1.0').value).toEqual([
      { label: 'External-Description', value: 'one two three' },
      { label: 'Contact-Name', value: 'A: B' },
    ]);
  });

  it('never folds and never breaks a line when printing', () => {
    expect(printBagInfo([{ label: 'L', value: `a\r\nb\nc ${'x'.repeat(500)}` }])).toBe(`L: a b c ${'x'.repeat(500)}\n`);
  });

  it.each(['', ' a', 'a ', 'a:b', 'a\nb', 'x'.repeat(101)])('refuses the label %j', (bad) => {
    expect(() => printBagInfo([{ label: bad, value: 'v' }])).toThrow(BagWriteError);
  });

  it('names the line of what it cannot read', () => {
    expect(
      parseBagInfo(' x\nA: b\nno colon\n: v\n', '1.0').problems.map(({ line, severity }) => [line, severity]),
    ).toEqual([
      [1, 'error'],
      [3, 'error'],
      [4, 'error'],
    ]);
  });

  it('finds values without regard to case', () => {
    expect(infoValues(parseBagInfo('a: 1\nB: 2\nA: 3\n', '1.0').value, 'A')).toEqual(['1', '3']);
  });

  it('reads and prints Payload-Oxum, and sizes for people', () => {
    expect(parseOxum(printOxum({ bytes: 10 ** 13, files: 7 }))).toEqual({ bytes: 10 ** 13, files: 7 });
    expect([parseOxum('9'), parseOxum('a.b'), parseOxum('-1.2'), parseOxum('1.2.3')]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect([0, 1, 999, 1000, 1_500_000, 2.5e18].map(humanSize)).toEqual([
      '0 bytes',
      '1 byte',
      '999 bytes',
      '1.0 KB',
      '1.5 MB',
      '2500.0 PB',
    ]);
  });
});

describe('paths in manifests', () => {
  it('encodes nothing but percent, LF and CR in 1.0, and not percent before', () => {
    expect(encodePath('data/a%b\nc\r é\t', '1.0')).toBe('data/a%25b%0Ac%0D é\t');
    expect(encodePath('data/a%b\nc', '0.97')).toBe('data/a%b%0Ac');
  });

  it('leaves other percent signs alone when reading', () => {
    expect(decodePath('data/%20%25%0a%0D', '1.0')).toBe('data/%20%\n\r');
    expect(decodePath('data/%20%25%0a', '0.97')).toBe('data/%20%25\n');
    expect(decodePath('data/%0A', '0.96')).toBe('data/%0A');
  });

  it('gives back every path', () => {
    fc.assert(fc.property(anyPath, (path) => expect(decodePath(encodePath(path, '1.0'), '1.0')).toBe(path)));
  });

  it('sorts as the UTF-8 bytes do', () => {
    expect(['\u{10000}', '\uffff', 'a', 'B', 'a/b', 'a-b'].sort(comparePaths)).toEqual([
      'B',
      'a',
      'a-b',
      'a/b',
      '\uffff',
      '\u{10000}',
    ]);
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(comparePaths(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });
});

describe('manifests', () => {
  it('reads back every line it prints', () => {
    fc.assert(
      fc.property(fc.array(anyPath), (paths) => {
        const text = paths.map((path) => printManifestLine(MD5, path, '1.0')).join('');
        const { value, problems } = parseManifest(text, 'md5', '1.0');
        expect(problems).toEqual([]);
        expect(value.map(({ path, checksum, line }) => [path, checksum, line])).toEqual(
          paths.map((path, index) => [path, MD5, index + 1]),
        );
      }),
    );
  });

  it('puts two spaces between checksum and path', () => {
    expect(printManifestLine(MD5, 'data/a', '1.0')).toBe(`${MD5}  data/a\n`);
  });

  it('reads tabs, capitals, asterisks and ./ of other writers', () => {
    const { value, problems } = parseManifest(`${MD5.toUpperCase()}\t*data/a b\n${MD5} ./data/c`, 'md5', '0.97');
    expect(value.map(({ path, checksum }) => [path, checksum])).toEqual([
      ['data/a b', MD5],
      ['data/c', MD5],
    ]);
    expect(problems.map(({ severity, line }) => [severity, line])).toEqual([
      ['warning', 1],
      ['warning', 2],
    ]);
  });

  it.each([
    ['abc  data/a', 'does not start with 32 hexadecimal digits of md5'],
    [`${MD5.replace('5', 'g')}  data/a`, 'does not start with 32 hexadecimal digits of md5'],
    [MD5, 'must be a checksum, white space and a path'],
    ['', 'must be a checksum, white space and a path'],
  ])('refuses the line %j', (line, message) => {
    expect(parseManifest(`${MD5}  data/x\n${line}\n`, 'md5', '1.0').problems).toEqual([
      { severity: 'error', line: 2, message },
    ]);
  });

  it('tells manifests by their names', () => {
    expect(parseManifestName('manifest-sha256.txt')).toEqual({ kind: 'payload', algorithm: 'sha256' });
    expect(parseManifestName('tagmanifest-md5.txt')).toEqual({ kind: 'tag', algorithm: 'md5' });
    expect(parseManifestName('my-manifest-md5.txt')).toBeUndefined();
  });
});

describe('fetch.txt', () => {
  it('reads back every line it prints', () => {
    const entry = fc.record({
      url: fc.webUrl({ withQueryParameters: true, withFragments: true }),
      length: fc.option(fc.maxSafeNat()),
      // white space at the start of a path cannot be told from the separator
      path: anyPath,
    });
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const { value, problems } = parseFetch(entries.map((each) => printFetchLine(each, '1.0')).join(''), '1.0');
        expect(problems).toEqual([]);
        expect(value.map(({ url, length, path }) => ({ url, length, path }))).toEqual(entries);
      }),
    );
  });

  it('encodes white space in URLs', () => {
    expect(printFetchLine({ url: 'https://x/a b\tc', length: 0, path: 'data/a b' }, '1.0')).toBe(
      'https://x/a%20b%09c\t0\tdata/a b\n',
    );
  });

  it.each([
    ['https://x/ data/a', 'must be a URL, a length and a path'],
    ['/os/a 5 data/a', 'has no absolute URL but "/os/a"'],
    ['https://x/ 5x data/a', `has neither a number nor '-' as its length but "5x"`],
  ])('refuses the line %j', (line, message) => {
    expect(parseFetch(`${line}\n`, '1.0').problems).toEqual([{ severity: 'error', line: 1, message }]);
  });
});
