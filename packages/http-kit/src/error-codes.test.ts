import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { errorCodes } from './error-codes.js';

describe('the table of errors', () => {
  it('is the one that docs/errors.md prints', () => {
    const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `([a-z_]+)`\s+\| (\d+)\s+\| (.*?)\s*\|$/gm)].map(
      ([, code, status, meaning]) => [code, { status: Number(status), meaning }],
    );
    const table = Object.entries(errorCodes).map(([code, { status, meaning }]) => [code, { status, meaning }]);
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(table));
  });
});
