import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Digester, hexDigits } from './algorithms.js';
import { listBag, TopDirectory } from './bag-listing.js';
import { BagWriteError } from './errors.js';
import type { FetchEntry } from './fetch-txt.js';
import { openBagSource } from './open-bag-source.js';
import { type BagTags, readTags } from './read-tags.js';
import { type BagReport, describeFinding, Findings } from './report.js';
import { type FetchContent, validateBag } from './validate-bag.js';

export interface CompleteOptions {
  readonly fetch: FetchContent;
  /** Where an archive is unpacked: the parent of the new bag directory. Default: the directory of the archive. */
  readonly into?: string;
  /** fetches at the same time; default 4 */
  readonly parallel?: number;
}

/** What completing a bag has done. */
export interface CompletedBag {
  /** the bag: the directory itself, or the one the archive was unpacked to */
  readonly directory: string;
  readonly fetched: number;
  /** octets */
  readonly bytes: number;
  /** files that could not be fetched, with the reason; none of them is in the bag */
  readonly failures: ReadonlyArray<{ readonly path: string; readonly reason: string }>;
}

/**
 * Fetches what fetch.txt promises into the bag (RFC 8493 2.2.3). Each file is checked against length and manifests before it gets its
 * name, so it can be called again after failures and goes on where it was. An archive is unpacked first. `fetch.txt` stays: the tag
 * manifests cover it.
 *
 * @throws BagOpenError; BagWriteError `invalid_bag` for a bag that is not in order as far as it is there, `usage` when the directory to
 * unpack to is taken
 */
export async function completeBag(path: string, options: CompleteOptions): Promise<CompletedBag> {
  refuseInvalid(await validateBag(path, { allowMissingFetch: true }));
  const directory = (await stat(path)).isDirectory() ? resolve(path) : await unpack(path, options.into);
  const findings = new Findings();
  const listing = await listBag(await openBagSource(directory), findings);
  const tags = readTags(listing, findings);
  if (tags === undefined) throw new BagWriteError('invalid_bag', 'the bag has no declaration any more');
  const missing = [...tags.fetch].filter(([name]) => !listing.files.has(name));
  let next = 0;
  let fetched = 0;
  let bytes = 0;
  const failures: Array<{ readonly path: string; readonly reason: string }> = [];
  const work = async () => {
    for (let item = missing[next++]; item !== undefined; item = missing[next++]) {
      const [name, entry] = item;
      try {
        const size = await fetchFile(join(directory, name), name, entry, tags, options.fetch);
        bytes += size;
        fetched += 1;
      } catch (error) {
        failures.push({ path: name, reason: error instanceof Error ? error.message : String(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, options.parallel ?? 4) }, work));
  return { directory, fetched, bytes, failures };
}

/** Only what was found safe is written to: a path that leaves the bag, or a link on the way, is an error of the report. */
function refuseInvalid(report: BagReport): void {
  const [first] = report.errors;
  if (first === undefined) return;
  throw new BagWriteError('invalid_bag', `the bag is not in order: ${describeFinding(first)}`);
}

async function unpack(archive: string, into = dirname(resolve(archive))): Promise<string> {
  const source = await openBagSource(archive);
  const top = new TopDirectory(source);
  let root: string | undefined;
  try {
    for await (const entry of source.entries()) {
      const path = top.within(entry);
      if (path === undefined) continue;
      root ??= await newDirectory(into, entry.path.split('/')[0] ?? '');
      const target = join(root, path);
      if (entry.kind === 'directory') await mkdir(target, { recursive: true });
      else if (entry.kind === 'file') {
        await mkdir(dirname(target), { recursive: true });
        await pipeline(await entry.read(), createWriteStream(target, { flags: 'wx' }));
      }
    }
  } catch (error) {
    if (root !== undefined) await rm(root, { recursive: true, force: true });
    throw error;
  }
  if (root === undefined) throw new BagWriteError('invalid_bag', 'the archive is empty');
  return root;
}

async function newDirectory(parent: string, name: string): Promise<string> {
  const path = join(parent, name);
  await mkdir(parent, { recursive: true });
  try {
    await mkdir(path);
  } catch (cause) {
    throw new BagWriteError('usage', `${path} cannot be made; is there something already?`, { cause });
  }
  return path;
}

/** @returns octets */
async function fetchFile(
  target: string,
  name: string,
  { url, length }: FetchEntry,
  tags: BagTags,
  fetch: FetchContent,
): Promise<number> {
  const manifests = tags.manifests.filter(
    ({ algorithm, entries }) => entries.has(name) && hexDigits(algorithm) !== undefined,
  );
  const digester = new Digester(manifests.map(({ algorithm }) => algorithm));
  const part = `${target}.part`;
  await mkdir(dirname(target), { recursive: true });
  try {
    await pipeline(
      await fetch(url),
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          digester.update(chunk);
          if (length !== null && digester.bytes > length) throw new Error(`it has more than ${length} bytes`);
          yield chunk;
        }
      },
      createWriteStream(part),
    );
    if (length !== null && digester.bytes !== length) {
      throw new Error(`it has ${digester.bytes} bytes instead of ${length}`);
    }
    const digests = digester.digest();
    for (const { file, algorithm, entries } of manifests) {
      if (digests.get(algorithm) !== entries.get(name)?.checksum) throw new Error(`it is not what ${file} says`);
    }
    await rename(part, target);
    return digester.bytes;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
