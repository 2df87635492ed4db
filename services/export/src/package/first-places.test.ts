import { describe, expect, it } from '@jest/globals';
import { firstPlaces } from './first-places.js';

describe('first places', () => {
  it('are remembered, however many there are', () => {
    const places = firstPlaces();
    const count = 50_000;
    const indexes = Array.from({ length: count }, (_, index) => index);
    const first = indexes.map((index) => places.claim(`dir/${index}`, index * 7));
    expect(new Set(first)).toEqual(new Set([null]));
    expect(indexes.map((index) => places.claim(`dir/${index}`, -1))).toEqual(indexes.map((index) => index * 7));
    expect(places.claim('dir/new', 2 ** 40)).toBeNull();
    expect(places.claim('dir/new', 1)).toBe(2 ** 40);
  });
});
