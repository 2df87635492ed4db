import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openFilesystemStore } from '../src/blobs/filesystem-store.js';
import { newVersionKey, parseBlobKey } from '../src/naming/blob-key.js';
import { blobStoreContract } from './blob-store-contract.js';

const never = new AbortController().signal;

blobStoreContract('filesystem', async () => {
  const root = await mkdtemp(join(tmpdir(), 'holdfast-contract-'));
  return { store: await openFilesystemStore(root), close: () => rm(root, { recursive: true }) };
});

describe('the filesystem store', () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'holdfast-files-'));
  });
  afterAll(() => rm(root, { recursive: true }));

  it('keeps files that only its own account reads, at paths made of dates and ids', async () => {
    const store = await openFilesystemStore(root);
    const { id, key } = newVersionKey(new Date('2026-03-04T00:00:00Z'));
    await store.put(key, { bytes: bytes('secret'), expectedBytes: 6 }, never);
    expect(key).toBe(`b/2026/03/${id.slice(0, 2)}/${id}`);
    expect((await stat(join(root, key))).mode & 0o777).toBe(0o600);
    expect(await readdir(join(root, 'tmp'))).toEqual([]);
  });

  it('removes what a killed process left half written', async () => {
    const store = await openFilesystemStore(root);
    const { id, key } = newVersionKey(new Date());
    // a put that never ends stands for a process that never came back
    store.put(key, { bytes: endless(), expectedBytes: null }, never).catch(() => undefined);
    while (!(await readdir(join(root, 'tmp'))).includes(id)) await new Promise((resolve) => setTimeout(resolve, 5));
    await store.remove(key);
    expect(await readdir(join(root, 'tmp'))).toEqual([]);
  });

  it('takes no key that the service did not make', () => {
    for (const text of ['', '../x', 'b/../../etc/passwd', 'b/2026/03/ab/../../x', '/b/2026/03/ab/x'])
      expect(() => parseBlobKey(text)).toThrow(TypeError);
  });
});

async function* bytes(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

async function* endless(): AsyncGenerator<Buffer> {
  yield Buffer.from('some');
  await new Promise(() => undefined);
}
