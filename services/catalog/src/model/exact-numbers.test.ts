import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseExact, stringifyExact, withDoubles, withoutMark } from './exact-numbers.js';

describe('exact numbers', () => {
  it.each([
    '9007199254740993',
    '-9223372036854775808',
    '0.1000000000000000055',
    '12345678.901234567890',
    '123456789012345678901234567890.5',
    '1e400',
    '1e-400',
    '[1,9007199254740993,"9007199254740993",null]',
    '{"9007199254740993":{"a":[9007199254740993]}}',
  ])('%s comes and goes with all digits', (text) => {
    expect(stringifyExact(parseExact(text))).toBe(text);
  });

  it.each([
    '1',
    '0.1',
    '-0',
    '9007199254740992',
    '1e21',
    '1E+2',
    '100000000000000000000',
    '5e-324',
    '1.50',
    '0.30000000000000004',
  ])('%s is a double', (text) => {
    expect(parseExact(text)).toBe(JSON.parse(text));
  });

  it('texts are texts, whatever stands in them', () => {
    for (const text of [
      '12345678901234567890',
      '\\',
      '"12345678901234567890',
      '\\"',
      '\\u0000123',
      ', 12345678901234567890',
    ])
      expect(parseExact(JSON.stringify([text, 1]))).toEqual([text, 1]);
  });

  it('can be made doubles, and digits', () => {
    const value = parseExact('{"a":[9007199254740993],"b":1}');
    expect(withDoubles(value)).toEqual({ a: [9007199254740992], b: 1 });
    expect(withoutMark(String(parseExact('9007199254740993')))).toBe('9007199254740993');
    expect(withoutMark('text')).toBe('text');
  });

  it('all else is as JSON has it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(withDoubles(parseExact(text))).toEqual(JSON.parse(text));
        expect(JSON.parse(stringifyExact(parseExact(text)))).toEqual(JSON.parse(text));
      }),
    );
    fc.assert(
      fc.property(fc.bigInt(), fc.nat(30), (digits, scale) => {
        const text = `${digits}${scale === 0 ? '' : `.${'7'.repeat(scale)}`}`;
        expect(Number(stringifyExact(parseExact(text)))).toBe(Number(text));
      }),
    );
  });
});
