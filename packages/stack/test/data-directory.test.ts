import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openDataDirectory, prepareDataDirectory } from '../src/data-directory.js';
import { processIdentity } from '../src/process-identity.js';
import { loadOrCreateKeys, publicKeySet } from '../src/stack-keys.js';
import { temporaryDirectory } from './fixtures/temporary-directory.js';

let directory: ReturnType<typeof temporaryDirectory>;
let path: string;

beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory.path, 'data');
});
afterEach(() => directory.remove());

describe('a data directory', () => {
  it('serves one stack at a time', async () => {
    const data = openDataDirectory(path);
    expect(() => openDataDirectory(path)).toThrow(`Another stack (process ${process.pid}) already uses`);
    data.release();
    openDataDirectory(path).release();
  });

  it.each([
    ['a process that is gone', { pid: 2 ** 22 + 1, identity: 'x' }],
    ['an earlier process with the id of a running one', { pid: process.pid, identity: 'before the reboot' }],
  ])('takes over the lock of %s', async (_, lock) => {
    mkdirSync(path);
    writeFileSync(join(path, 'lock'), JSON.stringify(lock));
    const data = openDataDirectory(path);
    expect(JSON.parse(readFileSync(join(path, 'lock'), 'utf8'))).toEqual({
      pid: process.pid,
      identity: processIdentity(process.pid),
    });
    data.release();
  });

  it('is emptied by a fresh start, of our own files only', async () => {
    await use(false);
    for (const name of ['keys.json', 'blobs/b', 'notes.txt']) writeFileSync(join(path, name), 'x');
    await use(true);
    expect(['keys.json', 'blobs/b', 'notes.txt'].map((name) => existsSync(join(path, name)))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('is emptied of database files that are placed elsewhere, of nothing beside them', async () => {
    const elsewhere = join(directory.path, 'elsewhere');
    for (const name of ['postgres', 'precious']) mkdirSync(join(elsewhere, name), { recursive: true });
    mkdirSync(path);
    symlinkSync(join(elsewhere, 'postgres'), join(path, 'postgres'));
    await use(true);
    expect(existsSync(join(elsewhere, 'postgres'))).toBe(false);
    expect(existsSync(join(elsewhere, 'precious'))).toBe(true);
  });

  it('says so when it cannot be made', async () => {
    writeFileSync(path, 'a file');
    expect(() => openDataDirectory(path)).toThrow('cannot be used (EEXIST)');
  });
});

async function use(fresh: boolean): Promise<void> {
  const data = openDataDirectory(path);
  await prepareDataDirectory(data, fresh);
  data.release();
}

describe('the keys of a stack', () => {
  it('are made once, and only the public half is published', () => {
    mkdirSync(path);
    const keys = loadOrCreateKeys(path);
    expect(loadOrCreateKeys(path)).toEqual(keys);
    expect(Buffer.from(keys.credentialKey.split(':')[1] ?? '', 'base64')).toHaveLength(32);
    expect(publicKeySet(keys).keys).toEqual([
      {
        kty: 'OKP',
        crv: 'Ed25519',
        alg: 'EdDSA',
        use: 'sig',
        kid: keys.exportServiceKey.kid,
        x: keys.exportServiceKey.x,
      },
    ]);
  });

  it('are never silently replaced', () => {
    mkdirSync(path);
    writeFileSync(join(path, 'keys.json'), '{}');
    expect(() => loadOrCreateKeys(path)).toThrow('is damaged');
  });
});
