import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import {
  booleanVariable,
  ConfigError,
  integerVariable,
  jsonVariable,
  listVariable,
  parseEnvironment,
} from './config.js';

const shape = {
  PORT: integerVariable({ min: 1, max: 65535 }).default(8080),
  VERBOSE: booleanVariable().default(false),
  DATABASE_URL: z.url(),
  ROLES: listVariable().default([]),
  ACLS: jsonVariable(z.record(z.string(), z.array(z.string()))).default({}),
};

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    parseEnvironment(shape, environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

describe('configuration from the environment', () => {
  it('parses values and fills in defaults; an empty variable counts as absent', () => {
    const config = parseEnvironment(shape, {
      DATABASE_URL: 'postgres://h/d',
      PORT: '',
      ROLES: 'a, b',
      ACLS: '{"owner":["x"]}',
      VERBOSE: 'yes',
    });
    expect(config).toEqual({
      PORT: 8080,
      VERBOSE: true,
      DATABASE_URL: 'postgres://h/d',
      ROLES: ['a', 'b'],
      ACLS: { owner: ['x'] },
    });
  });

  it('names all faults at once and repeats no value', () => {
    const faults = faultsOf({ PORT: '70000', VERBOSE: 'perhaps', ACLS: '{"owner":"s3cret"}' });
    expect(faults).toHaveLength(4);
    expect(faults.join('\n')).toMatch(/PORT: .*65535/);
    expect(faults.join('\n')).toMatch(/VERBOSE: must be true or false/);
    expect(faults.join('\n')).toMatch(/DATABASE_URL/);
    expect(faults.join('\n')).toMatch(/ACLS \(at owner\)/);
    expect(faults.join('\n')).not.toContain('s3cret');
  });

  it('reads a secret from the file that NAME_FILE names', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'config-')), 'secret');
    writeFileSync(file, 'postgres://u:p@h/d\n');
    expect(parseEnvironment(shape, { DATABASE_URL_FILE: file }).DATABASE_URL).toBe('postgres://u:p@h/d');
  });

  it('refuses a variable given twice, and a file that cannot be read', () => {
    expect(faultsOf({ DATABASE_URL: 'postgres://h/d', DATABASE_URL_FILE: '/nowhere' }).join('\n')).toContain(
      'not both',
    );
    expect(faultsOf({ DATABASE_URL_FILE: '/nowhere/at/all' }).join('\n')).toContain('DATABASE_URL_FILE: cannot read');
  });
});
