import { describe, expect, it } from '@jest/globals';
import { nameInUrl, readAssetRow } from './asset-row.js';

const hex = '5d41402abc4b2a76b9719d911017c592';

describe('a row that points at a file', () => {
  it('takes hashes as hex or base64, and lengths as numbers or text', () => {
    expect(readAssetRow({ url: '/os/a', length: '5', md5: hex.toUpperCase(), filename: '', other: 1 })).toEqual({
      url: '/os/a',
      length: 5,
      hashes: { md5: hex },
      filename: null,
      contentType: null,
    });
    expect(readAssetRow({ url: '/os/a', length: 0, md5: 'XUFAKrxLKna5cZ2REBfFkg==' })).toMatchObject({
      length: 0,
      hashes: { md5: hex },
    });
  });

  it.each([
    { md5: hex.slice(1) },
    { md5: `${hex}00` },
    { md5: 'XUFAKrxLKna5cZ2REBfFkg' },
    { sha256: hex },
    { length: -1 },
    { length: 1.5 },
    { length: 'five' },
    { length: true },
  ])('refuses %j', (row) => {
    expect(() => readAssetRow({ url: '/os/a', ...row })).toThrow(expect.objectContaining({ status: 400 }));
  });

  it('may have no url', () => {
    for (const url of [null, undefined, '', 5]) expect(readAssetRow({ url }).url).toBeNull();
  });

  it.each([
    ['/os/a/o.txt:V1', 'o.txt'],
    ['https://x.org/a%20b.txt?x=1#f', 'a b.txt'],
    ['https://x.org/', null],
    ['https://x.org', null],
    ['/os/%zz', '%zz'],
    ['s3://bucket/key', 'key'],
  ])('the name in %s is %s', (url, name) => expect(nameInUrl(url)).toBe(name));
});
