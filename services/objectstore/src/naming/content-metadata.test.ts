import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { parseContentType, parseDisposition } from './content-metadata.js';
import { parseHash } from './hash-text.js';

describe('hashes in text', () => {
  const md5 = createHash('md5').update('x').digest();
  it('are base64 with padding, or hexadecimal of any case', () => {
    for (const text of [md5.toString('base64'), md5.toString('hex'), md5.toString('hex').toUpperCase()])
      expect(parseHash('md5', text).equals(md5)).toBe(true);
    expect(parseHash('sha256', 'a'.repeat(64)).byteLength).toBe(32);
  });

  it.each([
    '',
    'bad_md5',
    md5.toString('base64').replace('==', ''),
    Buffer.alloc(16, 0xfb).toString('base64').replaceAll('+', '-'),
    md5.toString('hex').slice(1),
    ` ${md5.toString('hex')}`,
    Buffer.alloc(8).toString('base64'),
    Buffer.alloc(32).toString('base64'),
    'g'.repeat(32),
  ])('%j is none', (text) => {
    expect(() => parseHash('md5', text)).toThrow(expect.objectContaining({ code: 'bad_hash' }));
  });
});

describe('Content-Disposition', () => {
  it.each(["filename*=UTF-8''a", "filename*=UTF-8''%C3%A4.txt", "filename*=UTF-8''a%20b", "filename*=UTF-8''..."])(
    '%s is kept',
    (text) => {
      expect(parseDisposition(text)).toBe(text);
    },
  );

  it.each([
    'a',
    'filename=a',
    "filename*=utf-8''a",
    "filename*=UTF-8''",
    "filename*=UTF-8''a;x",
    "filename*=UTF-8''%zz",
    "filename*=UTF-8''%FF",
    "filename*=UTF-8''%00",
    "filename*=UTF-8''%5C",
    "filename*=UTF-8''.",
    "filename*=UTF-8''%2E.",
  ])('%s is refused', (text) => {
    expect(() => parseDisposition(text)).toThrow(expect.objectContaining({ code: 'bad_disposition' }));
  });
});

describe('content types', () => {
  it('are kept as written', () => {
    for (const text of ['Text/Plain', 'text/plain; Charset="UTF-8"', 'application/vnd.a+json'])
      expect(parseContentType(text)).toBe(text);
  });

  it.each(['text', 'text/', '/plain', 'text/plain x', `a/${'b'.repeat(254)}`])('%s is none', (text) => {
    expect(() => parseContentType(text)).toThrow(expect.objectContaining({ code: 'bad_request' }));
  });
});
