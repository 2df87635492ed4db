import { Digester, hexDigits } from './algorithms.js';
import { type BagListing, listBag, TopDirectory } from './bag-listing.js';
import type { BagSource } from './bag-source.js';
import type { FetchEntry } from './fetch-txt.js';
import { openBagSource } from './open-bag-source.js';
import { type BagTags, type Manifest, readTags } from './read-tags.js';
import { type BagReport, Findings } from './report.js';
import { rulesOf } from './version.js';

/** Gets the content of a URL of fetch.txt; throws with a message for people when it cannot. */
export type FetchContent = (url: string) => Promise<AsyncIterable<Uint8Array>>;

export interface ValidateOptions {
  /** With it, files that fetch.txt promises and that are not there are fetched and checked, and not stored. */
  readonly fetch?: FetchContent;
  /** Default false: a bag that still has files to fetch is incomplete, and so not valid. True: only a warning. */
  readonly allowMissingFetch?: boolean;
  /** fetches at the same time; default 4 */
  readonly parallel?: number;
}

/**
 * Validates a bag, a directory or an archive, and changes nothing. Whatever is wrong with the bag is in the report.
 * Memory: the manifests; never payload.
 *
 * @throws BagOpenError when there is nothing at the path that could hold a bag
 */
export async function validateBag(path: string, options: ValidateOptions = {}): Promise<BagReport> {
  const source = await openBagSource(path);
  const findings = new Findings();
  try {
    const listing = await listBag(source, findings);
    const tags = readTags(listing, findings);
    if (tags === undefined) return report(findings, undefined, { bytes: 0, files: 0 }, 0, 0);
    checkCompleteness(listing, tags, findings);
    const sizes = await checkContent(source, tags, findings);
    const missing = [...tags.fetch].filter(([name]) => !listing.files.has(name));
    const fetched = await checkMissing(missing, tags, options, sizes, findings);
    const payload = checkOxum(tags, listing, missing, sizes, findings);
    return report(findings, tags, payload, missing.length, fetched);
  } catch (error) {
    // the archive ends too early, a file may not be read: the bag is not in order, and that is the answer
    findings.error(
      'unreadable',
      `cannot be read to its end: ${error instanceof Error ? error.message : String(error)}`,
    );
    return report(findings, undefined, { bytes: 0, files: 0 }, 0, 0);
  }
}

/** Both ways: all that is promised is there, all that is there is promised (RFC 8493 3). */
function checkCompleteness(listing: BagListing, tags: BagTags, findings: Findings): void {
  const { everyManifest } = rulesOf(tags.declaration.version);
  const payload = tags.manifests.filter((manifest) => manifest.kind === 'payload');
  const tag = tags.manifests.filter((manifest) => manifest.kind === 'tag');
  if (!listing.hasData) findings.error('no_data_directory', 'the payload directory data/ is missing');
  for (const { file, entries } of tags.manifests) {
    for (const [path, { line }] of entries) {
      if (!listing.files.has(path) && !tags.fetch.has(path))
        findings.error('missing_file', 'is not in the bag', { file, line, path });
    }
  }
  const unlisted = (path: string, where: { readonly file?: string; readonly line?: number }) => {
    const lacking = payload.filter((manifest) => !manifest.entries.has(path));
    if (everyManifest)
      for (const { file } of lacking) findings.error('unlisted_file', `is not in ${file}`, { ...where, path });
    else if (lacking.length === payload.length)
      findings.error('unlisted_file', 'is in no payload manifest', { ...where, path });
  };
  for (const path of listing.files.keys()) {
    if (path.startsWith('data/')) unlisted(path, {});
    else if (!/^tagmanifest-[^/]*\.txt$/i.test(path)) {
      for (const { file, entries } of tag) {
        if (!entries.has(path))
          findings.warn('unlisted_file', `is not in ${file}, so nothing shows whether it was changed`, { path });
      }
    }
  }
  for (const [path, { line }] of tags.fetch) if (!listing.files.has(path)) unlisted(path, { file: 'fetch.txt', line });
}

/** Hashes every file that a manifest names, each once. The answer has the octets read, by path. */
async function checkContent(source: BagSource, tags: BagTags, findings: Findings): Promise<Map<string, number>> {
  const top = new TopDirectory(source);
  const sizes = new Map<string, number>();
  for await (const entry of source.entries()) {
    const path = top.within(entry);
    if (path === undefined || entry.kind !== 'file' || sizes.has(path)) continue;
    const manifests = manifestsOf(path, tags);
    if (manifests.length === 0) continue;
    try {
      const bytes = await checkFile(path, await entry.read(), manifests, findings);
      if (path.startsWith('data/')) sizes.set(path, bytes);
    } catch (error) {
      // a tar cannot be read on after an error, a zip or a directory can: then the next entry tells
      findings.error('unreadable', `cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
        path,
      });
    }
  }
  return sizes;
}

async function checkFile(
  path: string,
  content: AsyncIterable<Uint8Array>,
  manifests: readonly Manifest[],
  findings: Findings,
): Promise<number> {
  const digester = new Digester(manifests.map((manifest) => manifest.algorithm));
  for await (const chunk of content) digester.update(chunk);
  const digests = digester.digest();
  for (const { file, algorithm, entries } of manifests) {
    const entry = entries.get(path);
    const found = digests.get(algorithm);
    if (entry === undefined || found === entry.checksum) continue;
    findings.error('checksum_mismatch', `has the ${algorithm} ${found}, but ${entry.checksum} is recorded`, {
      file,
      line: entry.line,
      path,
    });
  }
  return digester.bytes;
}

/** Files that are only promised by fetch.txt: fetched and checked, or counted as missing. Gives the number fetched. */
async function checkMissing(
  missing: ReadonlyArray<readonly [string, FetchEntry]>,
  tags: BagTags,
  options: ValidateOptions,
  sizes: Map<string, number>,
  findings: Findings,
): Promise<number> {
  const { fetch } = options;
  if (fetch === undefined) {
    for (const [path, { line }] of missing) {
      const where = { file: 'fetch.txt', line, path };
      if (options.allowMissingFetch === true) findings.warn('incomplete', 'is still to be fetched', where);
      else findings.error('incomplete', 'is still to be fetched: the bag is not complete', where);
    }
    return 0;
  }
  let next = 0;
  let fetched = 0;
  const work = async () => {
    for (let item = missing[next++]; item !== undefined; item = missing[next++]) {
      const [path, { url, line }] = item;
      try {
        sizes.set(path, await checkFile(path, await fetch(url), manifestsOf(path, tags), findings));
        fetched += 1;
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        findings.error('fetch_failed', `cannot be fetched from ${url}: ${why}`, { file: 'fetch.txt', line, path });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, options.parallel ?? 4) }, work));
  return fetched;
}

/** Lengths in fetch.txt and Payload-Oxum against what is there. */
function checkOxum(
  tags: BagTags,
  listing: BagListing,
  missing: ReadonlyArray<readonly [string, FetchEntry]>,
  sizes: ReadonlyMap<string, number>,
  findings: Findings,
): { readonly bytes: number; readonly files: number } {
  for (const [path, { length, line }] of tags.fetch) {
    const found = sizes.get(path);
    if (length === null || found === undefined || found === length) continue;
    findings.error('length_mismatch', `has ${found} bytes, but ${length} are recorded`, {
      file: 'fetch.txt',
      line,
      path,
    });
  }
  let bytes = 0;
  let files = 0;
  for (const [path, recorded] of listing.files) {
    if (!path.startsWith('data/')) continue;
    bytes += sizes.get(path) ?? recorded;
    files += 1;
  }
  const present = { bytes, files };
  let complete = true;
  for (const [path, { length }] of missing) {
    const size = sizes.get(path) ?? length;
    if (size === null) complete = false;
    bytes += size ?? 0;
    files += 1;
  }
  const { oxum } = tags;
  // a bag that was completed, or one whose writer counted only what is inside
  const matches = (count: { readonly bytes: number; readonly files: number }) =>
    oxum !== undefined && oxum.files === count.files && (oxum.bytes === count.bytes || !complete);
  if (oxum !== undefined && !matches({ bytes, files })) {
    const text = `Payload-Oxum is ${oxum.bytes}.${oxum.files}, but the payload has ${bytes}.${files}`;
    const { infoFile } = rulesOf(tags.declaration.version);
    if (missing.length > 0 && matches(present))
      findings.warn('oxum_mismatch', `${text} when files to fetch are counted`, { file: infoFile });
    else findings.error('oxum_mismatch', text, { file: infoFile });
  }
  return { bytes, files };
}

function manifestsOf(path: string, tags: BagTags): Manifest[] {
  return tags.manifests.filter(({ algorithm, entries }) => entries.has(path) && hexDigits(algorithm) !== undefined);
}

function report(
  findings: Findings,
  tags: BagTags | undefined,
  payload: { readonly bytes: number; readonly files: number },
  missing: number,
  fetched: number,
): BagReport {
  const { errors, warnings, errorCount, warningCount } = findings;
  const algorithms = (tags?.manifests ?? []).filter(({ kind }) => kind === 'payload').map(({ algorithm }) => algorithm);
  return {
    valid: errorCount === 0,
    errors,
    warnings,
    errorCount,
    warningCount,
    version: tags?.declaration.version,
    info: tags?.info ?? [],
    algorithms,
    payload,
    fetch: { entries: tags?.fetch.size ?? 0, missing, fetched },
  };
}
