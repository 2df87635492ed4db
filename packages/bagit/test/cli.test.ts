import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { inTemporaryDirectory, writeTree } from './support.js';

const CLI = fileURLToPath(new URL('../src/cli.js', import.meta.url));

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    encoding: 'utf8',
    env: { ...process.env, BAGIT_TOKEN: 't' },
  });
  return { status, stdout, stderr };
}

describe('the command', () => {
  it('makes a bag and validates it: 0, and 1 when it is damaged', () =>
    inTemporaryDirectory(async (directory) => {
      await writeTree(directory, { 'source/a.txt': 'A' });
      const archive = join(directory, 'b.zip');
      expect(
        run('create', join(directory, 'source'), archive, '--algorithm', 'md5', '--info', 'Contact-Name: Ann'),
      ).toEqual({
        status: 0,
        stdout: `${archive}: 1 files, 1 bytes, md5\n`,
        stderr: '',
      });
      const valid = run('validate', archive);
      expect(valid.status).toBe(0);
      expect(valid.stdout).toBe(`${archive}: valid, BagIt 1.0, 1 files, 1 bytes, md5\n`);
      expect(valid.stderr).toContain('warning: the payload has only md5');
      expect(JSON.parse(run('validate', archive, '--json').stdout)).toMatchObject({
        valid: true,
        algorithms: ['md5'],
      });
      await writeFile(archive, 'PK damaged');
      const damaged = run('validate', archive);
      expect(damaged.status).toBe(1);
      expect(damaged.stderr).toMatch(/^error: cannot be read to its end/);
    }));

  it('exits with 1 when there is nothing to read and 2 when it is used wrongly', () => {
    expect(run('validate', '/nowhere/at/all')).toEqual({
      status: 1,
      stdout: '',
      stderr: 'bagit: there is nothing at /nowhere/at/all\n',
    });
    for (const args of [
      [],
      ['nothing'],
      ['validate'],
      ['validate', 'a', 'b'],
      ['validate', 'a', '--no-such'],
      ['fetch'],
      ['fetch', 'a', 'b', 'c'],
      ['create', 'a'],
      ['create', 'a', 'b.zip', '--algorithm', 'crc'],
    ]) {
      const { status, stderr } = run(...args);
      expect(status).toBe(2);
      expect(stderr).toContain('Usage:');
    }
  });

  it('sends no header anywhere unless told to which origin', () => {
    for (const command of [
      ['validate', 'a', '--fetch-missing'],
      ['fetch', 'a'],
    ]) {
      const { status, stderr } = run(...command, '--header', 'Authorization: Bearer x');
      expect(status).toBe(2);
      expect(stderr).toContain('--origin');
    }
  });
});
