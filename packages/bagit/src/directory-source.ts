import { createReadStream } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { BagSource, SourceEntry } from './bag-source.js';

/** A bag that is a directory; paths are relative to it, in no particular order. */
export function directorySource(root: string): BagSource {
  return { kind: 'directory', entries: () => walk(root) };
}

async function* walk(root: string): AsyncGenerator<SourceEntry, void, undefined> {
  const top = await realpath(root);
  const pending = [''];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for (const name of (await readdir(join(top, directory))).sort()) {
      const path = directory === '' ? name : `${directory}/${name}`;
      const entry = await inspect(top, path);
      if (entry.kind === 'directory') pending.push(path);
      yield entry;
    }
  }
}

async function inspect(top: string, path: string): Promise<SourceEntry> {
  const full = join(top, path);
  const found = await lstat(full);
  const base = { path, bytes: found.size, read: async () => createReadStream(full) };
  if (found.isFile()) return { ...base, kind: 'file' };
  if (found.isDirectory()) return { ...base, kind: 'directory' };
  if (!found.isSymbolicLink()) return { ...base, kind: 'other' };
  // a link to a file of the bag is as good as the file; anything else would read what is not in the bag
  const target = await realpath(full).catch(() => undefined);
  if (target === undefined) return { ...base, kind: 'link', problem: 'is a link to nothing' };
  if (!target.startsWith(top + sep)) return { ...base, kind: 'link', problem: 'is a link that leaves the bag' };
  const behind = await stat(full);
  if (!behind.isFile()) return { ...base, kind: 'link', problem: 'is a link to a directory' };
  return { ...base, kind: 'file', bytes: behind.size };
}
