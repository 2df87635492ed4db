import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ErrorCode, errorCodes } from '@holdfast/http-kit';
import { describe, expect, it } from '@jest/globals';
import { exportVariables } from '../src/settings.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

function isErrorCode(text: string): text is ErrorCode {
  return text in errorCodes;
}

describe('the documentation', () => {
  it('names every variable and no other', () => {
    const text = readFileSync(`${root}docs/configuration.md`, 'utf8');
    const rows = text.split('\n').filter((line) => line.startsWith('| `'));
    const named = rows.flatMap((row) => row.split('|')[1]?.match(/[A-Z_]{4,}/g) ?? []);
    expect(named.sort()).toEqual(Object.keys(exportVariables).sort());
  });

  it('has every code the service throws, with its status', () => {
    const rows = readFileSync(`${root}docs/errors.md`, 'utf8').matchAll(/^\| ((?:`[a-z_]+`(?:, )?)+) \| (\d{3}) \|/gm);
    const documented = new Map(
      [...rows].flatMap(([, codes = '', status]) =>
        codes.split(', ').map((code) => [code.replaceAll('`', ''), Number(status)]),
      ),
    );
    for (const [code, status] of documented) {
      expect([code, isErrorCode(String(code)) ? errorCodes[code as ErrorCode].status : null]).toEqual([code, status]);
    }
    expect(thrownCodes().filter((code) => !documented.has(code))).toEqual([]);
  });
});

/** Codes that stand as literals after `AppError(` in the sources. */
function thrownCodes(): readonly string[] {
  const files = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!\.test)\.ts$/.test(name),
  );
  const sources = files.map((name) => readFileSync(`${root}src/${name}`, 'utf8')).join('\n');
  return [...new Set([...sources.matchAll(/AppError\(\s*'([a-z_]+)'/g)].map(([, code = '']) => code))];
}
