import { describe, expect, it } from '@jest/globals';
import { fewestCatalogs, lastListed } from './placement-rules.js';

describe('rules of placement', () => {
  it('take the server with the fewest catalogs, the first of equals', () => {
    expect(fewestCatalogs([{ name: 'a', catalogs: 3 }])).toBe('a');
    const servers = [
      { name: 'a', catalogs: 3 },
      { name: 'b', catalogs: 1 },
      { name: 'c', catalogs: 1 },
    ] as const;
    expect(fewestCatalogs(servers)).toBe('b');
  });

  it('take the server listed last, whatever is on it', () => {
    const servers = [
      { name: 'old', catalogs: 0 },
      { name: 'new', catalogs: 9 },
    ] as const;
    expect(lastListed(servers)).toBe('new');
  });
});
