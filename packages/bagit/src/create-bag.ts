import { createReadStream, createWriteStream } from 'node:fs';
import { lstat, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Algorithm } from './algorithms.js';
import type { BagInfoEntry } from './bag-info.js';
import { createBagWriter } from './bag-writer.js';
import { BagWriteError } from './errors.js';
import { comparePaths } from './path-encoding.js';
import type { WritableVersion } from './version.js';
import type { Archiver, BagSummary, BagTarget } from './writer-options.js';

export interface CreateOptions {
  readonly algorithms?: readonly Algorithm[];
  readonly version?: WritableVersion;
  readonly metadata?: readonly BagInfoEntry[];
  readonly idempotent?: boolean;
  readonly softwareAgent?: string;
  readonly now?: () => Date;
}

/**
 * Makes a bag, as the new directory `target`, of the files below `source`, which are copied and keep their names.
 *
 * @throws BagWriteError `usage` for links and other things that are no files; UnsafePathError; file system errors, such as
 * EEXIST for a target that is there
 */
export async function writeBagDirectory(
  source: string,
  target: string,
  options: CreateOptions = {},
): Promise<BagSummary> {
  const full = resolve(target);
  return fill(source, basename(full), { kind: 'directory', parent: dirname(full) }, dirname(full), options);
}

/**
 * Makes a bag of the files below `source` as an archive, of the kind that the name of `target` says: .zip, .tgz, .tar.gz,
 * .bz2, .tar.bz2, .tar. The file appears when it is whole.
 *
 * @throws as {@link writeBagDirectory}
 */
export async function writeBagArchive(
  source: string,
  target: string,
  options: CreateOptions = {},
): Promise<BagSummary> {
  const full = resolve(target);
  const kind = archiverOf(full);
  if (kind === undefined)
    throw new BagWriteError('usage', `${target} does not end in .zip, .tgz, .tar.gz, .bz2, .tar.bz2 or .tar`);
  if (await exists(full)) throw new BagWriteError('usage', `${target} is there already`);
  const partial = `${full}.partial-${process.pid}`;
  try {
    const destination = createWriteStream(partial, { flags: 'wx' });
    const summary = await fill(
      source,
      kind.name,
      { kind: 'archive', archiver: kind.archiver, destination },
      dirname(full),
      options,
    );
    await rename(partial, full);
    return summary;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function fill(
  source: string,
  name: string,
  target: BagTarget,
  scratchDir: string,
  options: CreateOptions,
): Promise<BagSummary> {
  if (!(await stat(source)).isDirectory()) throw new BagWriteError('usage', `${source} is not a directory`);
  const bag = createBagWriter({
    algorithms: ['sha256', 'sha512'],
    ...options,
    name,
    target,
    scratchDir,
    paths: 'verbatim',
    strict: false,
  });
  try {
    for await (const path of filesBelow(source)) {
      const full = join(source, path);
      await bag.addFile(path, createReadStream(full), { bytes: (await stat(full)).size });
    }
    return await bag.finish();
  } catch (error) {
    await bag.abort();
    throw error;
  }
}

/** Files in path order, so that the same directory gives the same archive. */
async function* filesBelow(root: string, below = ''): AsyncGenerator<string, void, undefined> {
  for (const name of (await readdir(join(root, below))).sort(comparePaths)) {
    const path = below === '' ? name : `${below}/${name}`;
    const found = await lstat(join(root, path));
    if (found.isDirectory()) yield* filesBelow(root, path);
    else if (found.isFile()) yield path;
    else
      throw new BagWriteError('usage', `${JSON.stringify(path)} is a link or another thing that is no file`, { path });
  }
}

function archiverOf(path: string): { readonly name: string; readonly archiver: Archiver } | undefined {
  const match = /^(.+?)\.(zip|tgz|tar\.gz|tar\.bz2|bz2|tar)$/i.exec(basename(path));
  const [, name, extension] = match ?? [];
  if (name === undefined) return undefined;
  switch (extension?.toLowerCase()) {
    case 'zip':
      return { name, archiver: 'zip' };
    case 'tgz':
    case 'tar.gz':
      return { name, archiver: 'tgz' };
    case 'bz2':
    case 'tar.bz2':
      return { name, archiver: 'bz2' };
    default:
      return { name, archiver: 'tar' };
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
