import { describe, expect, it } from '@jest/globals';
import { textTable } from './text-table.js';

describe('a table of text', () => {
  it('aligns numbers to the right and text to the left', () => {
    const table = textTable([
      { name: 'limpet', n: 1234 },
      { name: 'crab', n: 5 },
    ]);
    expect(table).toBe('    name        n\n    ------  -----\n    limpet  1,234\n    crab        5\n');
  });

  it('leaves cells empty that are null or missing', () => {
    expect(textTable([{ a: null, b: 1 }, { b: 22 }], '')).toBe('a   b\n-  --\n    1\n   22\n');
  });

  it('says that there are no rows', () => {
    expect(textTable([], '')).toBe('(no rows)\n');
  });
});
