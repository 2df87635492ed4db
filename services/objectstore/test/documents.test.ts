import { readdir, readFile } from 'node:fs/promises';
import { errorCodes, wireProfile } from '@holdfast/http-kit';
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

  it('list every error that the service makes', async () => {
    const listed = new Set(
      [...(await document('errors.md')).matchAll(/^\| \d{3} *\| `(\w+)` *\|/gm)].map(([, code]) => code),
    );
    const sources = new URL('../../src/', import.meta.url);
    const files = (await readdir(sources, { recursive: true })).filter((name) => name.endsWith('.ts'));
    const made = new Set<string>();
    for (const file of files)
      for (const [, code = ''] of (await readFile(new URL(file, sources), 'utf8')).matchAll(/AppError\(\s*'(\w+)'/g))
        made.add(code);
    expect(made.size).toBeGreaterThan(20);
    // nobody is there to read that the client has gone
    expect([...made].filter((code) => code !== 'cancelled' && !listed.has(code))).toEqual([]);
  });

  it('tell the fields of the profiles as they are', async () => {
    const rows = [...(await document('compat.md')).matchAll(/^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|/gm)];
    expect(rows.length).toBeGreaterThan(10);
    const cellOf = (value: unknown): readonly string[] => [`${value}`, `\`${value}\``, `\`${JSON.stringify(value)}\``];
    for (const [, field = '', standard, deriva] of rows)
      for (const [name, cell = ''] of [
        ['standard', standard],
        ['deriva', deriva],
      ] as const) {
        const value = new Map<string, unknown>(Object.entries(wireProfile(name))).get(field);
        expect([field, value === undefined]).toEqual([field, false]);
        // the others are told in words
        if (/^(`[^`]*`|\d+)$/.test(cell) && !/^`application/.test(cell))
          expect([field, cellOf(value).map((text) => text.replaceAll(' ', ''))]).toEqual([
            field,
            expect.arrayContaining([cell.replaceAll(' ', '')]),
          ]);
      }
  });

  it('list every variable, and no other', async () => {
    const rows = [...(await document('configuration.md')).matchAll(/^\| `([A-Z0-9_]+)` *\|/gm)].map(([, name]) => name);
    expect(rows.sort()).toEqual(Object.keys(objectStoreVariables).sort());
  });
});
