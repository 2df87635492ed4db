import { describe, expect, it } from '@jest/globals';
import { firstPlaces } from './first-places.js';

describe('first places', () => {
  it('are remembered, however many there are', () => {
    const places = firstPlaces();
    const count = 50_000;
    for (let index = 0; index < count; index += 1) expect(places.claim(`dir/${index}`, index * 7)).toBeNull();
    for (let index = 0; index < count; index += 1) expect(places.claim(`dir/${index}`, -1)).toBe(index * 7);
    expect(places.claim('dir/new', 2 ** 40)).toBeNull();
    expect(places.claim('dir/new', 1)).toBe(2 ** 40);
  });
});
