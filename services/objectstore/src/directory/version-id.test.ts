import { describe, expect, it } from '@jest/globals';
import { newVersionId } from './version-id.js';

describe('version ids', () => {
  it('are 26 characters of base32 that do not repeat', () => {
    const ids = Array.from({ length: 2000 }, newVersionId);
    for (const id of ids) expect(id).toMatch(/^[A-Z2-7]{26}$/);
    expect(new Set(ids).size).toBe(ids.length);
    // every place but the last, which holds three bits, uses the whole alphabet
    for (let place = 0; place < 25; place += 1) expect(new Set(ids.map((id) => id[place])).size).toBe(32);
  });
});
