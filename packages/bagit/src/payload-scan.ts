import { ALGORITHMS, type Algorithm } from './algorithms.js';
import type { EntryBatch, EntrySpool, PayloadEntry } from './entry-spool.js';
import { BagWriteError } from './errors.js';
import { printFetchLine } from './fetch-txt.js';
import { printManifestLine } from './manifest.js';
import { comparePaths } from './path-encoding.js';
import type { WritableVersion } from './version.js';

/** What one pass over the sorted payload finds out, before any tag file is written. */
export interface PayloadTotals {
  readonly bytes: number;
  readonly files: number;
  readonly references: number;
  readonly referencedBytes: number;
  /** entries that have a checksum by the algorithm */
  readonly hashed: ReadonlyMap<Algorithm, number>;
  /** octets of the manifest of the algorithm, known before it is written: a tar header asks for them */
  readonly manifestBytes: ReadonlyMap<Algorithm, number>;
  readonly fetchBytes: number;
  /** algorithms of the entries that have none of the requested ones */
  readonly otherAlgorithms: ReadonlySet<Algorithm>;
}

/**
 * Entries in path order, each path once: references of one path that agree are one entry (spec/export.md 6.2).
 *
 * @throws BagWriteError `path_collision`
 */
export async function* distinctEntries(spool: EntrySpool): AsyncGenerator<EntryBatch, void, undefined> {
  // files whose path the current path starts with: the only ones that can be its directory
  const prefixes: string[] = [];
  let held: PayloadEntry | undefined;
  for await (const batch of spool.sorted()) {
    const distinct: PayloadEntry[] = [];
    for (const entry of batch) {
      if (held !== undefined && held.path === entry.path) {
        held = sameReference(held, entry);
        continue;
      }
      if (held !== undefined) distinct.push(held);
      let top = prefixes.at(-1);
      while (top !== undefined && !entry.path.startsWith(top)) {
        prefixes.pop();
        top = prefixes.at(-1);
      }
      const file = prefixes.find((prefix) => entry.path.charAt(prefix.length) === '/');
      if (file !== undefined)
        throw collision(entry.path, `${JSON.stringify(file)} is a file, so nothing can be below it`);
      prefixes.push(entry.path);
      held = entry;
    }
    yield distinct;
  }
  if (held !== undefined) yield [held];
}

/** @throws BagWriteError `path_collision`, `invalid_bag` */
export async function scanPayload(
  spool: EntrySpool,
  requested: readonly Algorithm[],
  version: WritableVersion,
): Promise<PayloadTotals> {
  const sums = new PayloadSums(requested, version);
  for await (const batch of distinctEntries(spool)) for (const entry of batch) sums.add(entry);
  return sums;
}

class PayloadSums implements PayloadTotals {
  bytes = 0;
  files = 0;
  references = 0;
  referencedBytes = 0;
  fetchBytes = 0;
  readonly hashed = new Map<Algorithm, number>(ALGORITHMS.map((algorithm) => [algorithm, 0]));
  readonly manifestBytes = new Map<Algorithm, number>(this.hashed);
  readonly otherAlgorithms = new Set<Algorithm>();
  readonly #requested: readonly Algorithm[];
  readonly #version: WritableVersion;
  #last = '';

  constructor(requested: readonly Algorithm[], version: WritableVersion) {
    this.#requested = requested;
    this.#version = version;
  }

  add(entry: PayloadEntry): void {
    if (comparePaths(this.#last, entry.path) >= 0)
      throw new BagWriteError('invalid_bag', `entries are out of order at ${entry.path}`);
    this.#last = entry.path;
    this.bytes += entry.bytes;
    this.files += 1;
    if (entry.url !== undefined) {
      this.references += 1;
      this.referencedBytes += entry.bytes;
      const { url, bytes: length, path } = entry;
      this.fetchBytes += Buffer.byteLength(printFetchLine({ url, length, path }, this.#version));
    }
    // the same for all algorithms but for the checksum, which is hexadecimal
    const around = Buffer.byteLength(printManifestLine('', entry.path, this.#version));
    let isRequested = false;
    for (const algorithm of ALGORITHMS) {
      const checksum = entry.hashes[algorithm];
      if (checksum === undefined) continue;
      isRequested ||= this.#requested.includes(algorithm);
      this.hashed.set(algorithm, (this.hashed.get(algorithm) ?? 0) + 1);
      this.manifestBytes.set(algorithm, (this.manifestBytes.get(algorithm) ?? 0) + around + checksum.length);
    }
    if (isRequested) return;
    for (const algorithm of ALGORITHMS) if (entry.hashes[algorithm] !== undefined) this.otherAlgorithms.add(algorithm);
  }
}

/**
 * The algorithms of the manifests (spec/export.md 8.3). 1.0: the requested ones that every file has, else all that every
 * file has, else none. 0.97: the requested ones, and those without which a file would be in no manifest.
 */
export function selectAlgorithms(
  requested: readonly Algorithm[],
  totals: PayloadTotals,
  version: WritableVersion,
): readonly Algorithm[] {
  const wanted = ALGORITHMS.filter((algorithm) => requested.includes(algorithm));
  if (totals.files === 0) return wanted;
  const count = (algorithm: Algorithm) => totals.hashed.get(algorithm) ?? 0;
  if (version === '0.97') {
    return ALGORITHMS.filter(
      (algorithm) => count(algorithm) > 0 && (wanted.includes(algorithm) || totals.otherAlgorithms.has(algorithm)),
    );
  }
  const common = ALGORITHMS.filter((algorithm) => count(algorithm) === totals.files);
  const both = common.filter((algorithm) => wanted.includes(algorithm));
  return both.length > 0 ? both : common;
}

function sameReference(a: PayloadEntry, b: PayloadEntry): PayloadEntry {
  if (a.url === undefined || b.url === undefined) throw collision(a.path, 'a file and a reference have this path');
  const differs = ALGORITHMS.some((algorithm) => {
    const [left, right] = [a.hashes[algorithm], b.hashes[algorithm]];
    return left !== undefined && right !== undefined && left !== right;
  });
  if (a.url !== b.url || a.bytes !== b.bytes || differs)
    throw collision(a.path, 'two different references have this path');
  return { ...a, hashes: { ...a.hashes, ...b.hashes } };
}

function collision(path: string, why: string): BagWriteError {
  return new BagWriteError('path_collision', `cannot write ${JSON.stringify(path)}: ${why}`, { path });
}
