import { type Algorithm, Digester, type Hashes } from './algorithms.js';
import { type BagInfoEntry, humanSize, infoValues, printBagInfo, printOxum } from './bag-info.js';
import { printDeclaration } from './bagit-txt.js';
import type { EntrySpool, PayloadEntry } from './entry-spool.js';
import { BagWriteError } from './errors.js';
import { printFetchLine } from './fetch-txt.js';
import { printManifestLine } from './manifest.js';
import { checkOutputPath } from './output-path.js';
import { comparePaths } from './path-encoding.js';
import { distinctEntries, type PayloadTotals, scanPayload, selectAlgorithms } from './payload-scan.js';
import type { BagFinish, BagReference, BagSummary, BagWriterOptions } from './writer-options.js';

type WriteEntry = (
  path: string,
  content: AsyncIterable<Uint8Array>,
  bytes: number | undefined,
  algorithms: readonly Algorithm[],
) => Promise<{ readonly bytes: number; readonly hashes: Hashes }>;

export interface TagFileInput {
  readonly options: BagWriterOptions;
  readonly last: BagFinish;
  readonly spool: EntrySpool;
  readonly newSpool: () => EntrySpool;
  /** what the writer counted while it wrote; references before equal ones became one */
  readonly counted: { readonly files: number; readonly bytes: number; readonly references: number };
  readonly started: Date;
  readonly warnings: readonly string[];
  readonly write: WriteEntry;
}

/** Names that the writer gives itself. */
const RESERVED = /^(?:bagit\.txt|bag-info\.txt|fetch\.txt|(?:tag)?manifest-[^/]*\.txt|data(?:\/.*)?)$/i;

/**
 * Writes everything after the payload: bag-info.txt, fetch.txt, other tag files, manifests, tag manifests (spec/export.md
 * 8.4), and compares it with what was counted on the way (8.5).
 *
 * @throws BagWriteError
 */
export async function writeTagFiles(input: TagFileInput): Promise<BagSummary> {
  const { options, last, write } = input;
  const version = options.version ?? '1.0';
  const { spool, totals, algorithms } = await chooseAlgorithms(input);
  verifyPayload(input, totals);
  const warnings = [...input.warnings];
  if (!algorithms.some((algorithm) => options.algorithms.includes(algorithm))) {
    warnings.push(`the references have none of the requested checksums; the manifests use ${algorithms.join(', ')}`);
  } else if (!options.algorithms.every((algorithm) => algorithms.includes(algorithm))) {
    warnings.push(`not all references have the requested checksums; the manifests use ${algorithms.join(', ')}`);
  }

  const declaration = declarationHashes(version, algorithms);
  const written = new Map<string, Hashes>([['bagit.txt', declaration]]);
  const put = async (path: string, content: AsyncIterable<Uint8Array>, bytes: number | undefined) => {
    if (written.has(path)) throw new BagWriteError('path_collision', `two tag files ${JSON.stringify(path)}`, { path });
    const result = await write(path, content, bytes, algorithms);
    written.set(path, result.hashes);
  };

  const info = Buffer.from(printBagInfo(infoEntries(input, totals)));
  await put('bag-info.txt', chunks([info]), info.byteLength);
  if (totals.references > 0) {
    await put('fetch.txt', counted(fetchLines(spool, version), totals.references, 'fetch.txt'), totals.fetchBytes);
  }
  for (const file of last.tagFiles ?? []) {
    const path = checkOutputPath(file.path);
    if (RESERVED.test(path))
      throw new BagWriteError('usage', `the tag file ${JSON.stringify(path)} is written by the writer`, { path });
    await put(path, file.content, undefined);
  }
  for (const algorithm of algorithms) {
    const name = `manifest-${algorithm}.txt`;
    const lines = manifestLines(spool, algorithm, version);
    await put(name, counted(lines, totals.hashed.get(algorithm) ?? 0, name), totals.manifestBytes.get(algorithm) ?? 0);
  }
  const tagFiles = [...written].sort(([a], [b]) => comparePaths(a, b));
  for (const algorithm of algorithms) {
    const text = Buffer.from(
      tagFiles.map(([path, hashes]) => printManifestLine(need(hashes, algorithm, path), path, version)).join(''),
    );
    await write(`tagmanifest-${algorithm}.txt`, chunks([text]), text.byteLength, []);
  }
  return { bytes: totals.bytes, files: totals.files, references: totals.references, algorithms, warnings };
}

interface Chosen {
  readonly spool: EntrySpool;
  readonly totals: PayloadTotals;
  readonly algorithms: readonly Algorithm[];
}

/** spec/export.md 8.3, with the second try that asks for missing checksums. */
async function chooseAlgorithms(input: TagFileInput): Promise<Chosen> {
  const { options, last, spool } = input;
  const version = options.version ?? '1.0';
  const totals = await scanPayload(spool, options.algorithms, version);
  const algorithms = selectAlgorithms(options.algorithms, totals, version);
  if (algorithms.length > 0) return { spool, totals, algorithms };
  if (last.resolveHashes !== undefined) {
    const completed = await completeHashes(
      spool,
      input.newSpool(),
      last.resolveHashes,
      options.onProgress ?? (() => {}),
    );
    const again = await scanPayload(completed, options.algorithms, version);
    const better = selectAlgorithms(options.algorithms, again, version);
    if (better.length > 0) return { spool: completed, totals: again, algorithms: better };
  }
  throw new BagWriteError('no_common_hash', 'there is no checksum algorithm that all references have');
}

async function completeHashes(
  from: EntrySpool,
  to: EntrySpool,
  resolve: (reference: BagReference) => Promise<Hashes>,
  onProgress: () => void,
): Promise<EntrySpool> {
  const complete = async (entry: PayloadEntry): Promise<PayloadEntry> => {
    if (entry.url === undefined) return entry;
    const path = entry.path.slice('data/'.length);
    const found = await resolve({ path, url: entry.url, length: entry.bytes, hashes: entry.hashes });
    onProgress();
    return { ...entry, hashes: { ...found, ...entry.hashes } };
  };
  let batch: PayloadEntry[] = [];
  const flush = async () => {
    await to.addAll(await Promise.all(batch.map(complete)));
    batch = [];
  };
  for await (const entries of distinctEntries(from)) {
    for (const entry of entries) {
      batch.push(entry);
      if (batch.length === 8) await flush();
    }
  }
  await flush();
  return to;
}

/** The metadata as given, then our lines where the metadata has none of that label (spec/export.md 8.2). */
function infoEntries({ options, last, started }: TagFileInput, totals: PayloadTotals): BagInfoEntry[] {
  const given = (options.metadata ?? []).filter((entry) => entry.label.toLowerCase() !== 'payload-oxum');
  const ours: BagInfoEntry[] = [];
  if (options.idempotent !== true) ours.push({ label: 'Bagging-Date', value: started.toISOString().slice(0, 10) });
  if (options.softwareAgent !== undefined) ours.push({ label: 'Bag-Software-Agent', value: options.softwareAgent });
  ours.push({ label: 'Bag-Size', value: humanSize(totals.bytes) }, ...(last.info ?? []));
  return [
    ...given,
    ...ours.filter(({ label }) => infoValues(given, label).length === 0 && label.toLowerCase() !== 'payload-oxum'),
    { label: 'Payload-Oxum', value: printOxum(totals) },
  ];
}

/** spec/export.md 8.5: what the manifests will say against what went into the archive. */
function verifyPayload({ counted: seen }: TagFileInput, totals: PayloadTotals): void {
  const files = totals.files - totals.references;
  const bytes = totals.bytes - totals.referencedBytes;
  if (files !== seen.files || bytes !== seen.bytes || totals.references > seen.references) {
    throw new BagWriteError(
      'invalid_bag',
      `${seen.files} files of ${seen.bytes} bytes were written, but ${files} of ${bytes} are recorded`,
    );
  }
}

/** Passes lines on in chunks and compares their number with what the scan promised. */
async function* counted(
  lines: AsyncIterable<readonly string[]>,
  expected: number,
  file: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  let count = 0;
  for await (const some of lines) {
    count += some.length;
    if (some.length > 0) yield Buffer.from(some.join(''));
  }
  if (count !== expected) throw new BagWriteError('invalid_bag', `${file} got ${count} lines instead of ${expected}`);
}

async function* fetchLines(spool: EntrySpool, version: '0.97' | '1.0'): AsyncGenerator<readonly string[]> {
  for await (const entries of distinctEntries(spool)) {
    yield entries.flatMap(({ url, bytes, path }) =>
      url === undefined ? [] : [printFetchLine({ url, length: bytes, path }, version)],
    );
  }
}

async function* manifestLines(
  spool: EntrySpool,
  algorithm: Algorithm,
  version: '0.97' | '1.0',
): AsyncGenerator<readonly string[]> {
  for await (const entries of distinctEntries(spool)) {
    yield entries.flatMap(({ path, hashes }) => {
      const checksum = hashes[algorithm];
      if (checksum !== undefined) return [printManifestLine(checksum, path, version)];
      if (version === '1.0') throw new BagWriteError('invalid_bag', `${path} has no ${algorithm}`, { path });
      return [];
    });
  }
}

/** bagit.txt is the first entry, written before the algorithms were known; it is always the same text. */
function declarationHashes(version: '0.97' | '1.0', algorithms: readonly Algorithm[]): Hashes {
  const digester = new Digester(algorithms);
  digester.update(Buffer.from(printDeclaration(version)));
  return Object.fromEntries(digester.digest());
}

function need(hashes: Hashes, algorithm: Algorithm, path: string): string {
  const value = hashes[algorithm];
  if (value === undefined) throw new BagWriteError('invalid_bag', `${path} has no ${algorithm}`, { path });
  return value;
}

async function* chunks(parts: Iterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  yield* parts;
}
