import { describe, expect, it } from '@jest/globals';
import { boundedCache } from './bounded-cache.js';

describe('bounded cache', () => {
  const weightOf = (text: string): number => text.length;
  const held = (cache: ReturnType<typeof boundedCache<string>>, keys: string) =>
    [...keys].filter((key) => cache.get(key) !== undefined).join('');

  it('lets go what was used longest ago when there are too many', () => {
    const cache = boundedCache({ mostEntries: 2, mostWeight: 100, weightOf });
    cache.set('a', 'x');
    cache.set('b', 'x');
    cache.get('a');
    cache.set('c', 'x');
    expect(held(cache, 'abc')).toBe('ac');
  });

  it('lets go as many as are needed when they are too heavy together', () => {
    const cache = boundedCache({ mostWeight: 10, weightOf });
    for (const key of 'abc') cache.set(key, 'xxx');
    expect(held(cache, 'abc')).toBe('abc');
    cache.set('d', 'xxxxxxx');
    expect(held(cache, 'abcd')).toBe('cd');
    // the weight of what is replaced counts no more
    cache.set('d', 'x');
    cache.set('e', 'xxxxxx');
    expect(held(cache, 'cde')).toBe('cde');
  });

  it('keeps what is beyond the bound alone until the next one comes', () => {
    const cache = boundedCache({ mostWeight: 10, weightOf });
    cache.set('a', 'x');
    cache.set('b', 'x'.repeat(11));
    expect(held(cache, 'ab')).toBe('b');
    cache.set('c', 'x');
    expect(held(cache, 'abc')).toBe('c');
  });
});
