import { describe, expect, it } from '@jest/globals';
import { textCache } from './text-cache.js';

describe('text cache', () => {
  it('makes a text once, and again when it had to go for others', () => {
    const cache = textCache(10);
    const made: string[] = [];
    const get = (key: string, length: number): void => {
      const text = cache.get(key, () => {
        made.push(key);
        return key.repeat(length);
      });
      expect(text.toString()).toBe(key.repeat(length));
    };
    get('a', 4);
    get('b', 4);
    get('a', 4);
    expect(made).toEqual(['a', 'b']);
    get('c', 4);
    // b was used longest ago
    get('a', 4);
    get('b', 4);
    expect(made).toEqual(['a', 'b', 'c', 'b']);
    get('d', 11);
    get('d', 11);
    get('b', 4);
    expect(made).toEqual(['a', 'b', 'c', 'b', 'd', 'b']);
  });
});
