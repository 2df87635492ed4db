import { readFile } from 'node:fs/promises';
import { errorCodes } from '@holdfast/http-kit';
import { describe, expect, it } from '@jest/globals';
import { objectStoreVariables } from '../src/configuration.js';

const document = (name: string): Promise<string> => readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

describe('the documents', () => {
  it('list errors with the status they have', async () => {
    const rows = [...(await document('errors.md')).matchAll(/^\| (\d{3}) *\| `(\w+)` *\|/gm)];
    expect(rows.length).toBeGreaterThan(30);
    const table: Readonly<Record<string, { readonly status: number }>> = errorCodes;
    for (const [, status, code = ''] of rows) expect([code, String(table[code]?.status)]).toEqual([code, status]);
  });

  it('list every variable, and no other', async () => {
    const rows = [...(await document('configuration.md')).matchAll(/^\| `([A-Z0-9_]+)` *\|/gm)].map(([, name]) => name);
    expect(rows.sort()).toEqual(Object.keys(objectStoreVariables).sort());
  });
});
