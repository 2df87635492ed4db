import { hexDigits, normalizeAlgorithm } from './algorithms.js';
import { type BagInfoEntry, infoValues, type PayloadOxum, parseBagInfo, parseOxum } from './bag-info.js';
import { type BagListing, unsafeReason } from './bag-listing.js';
import { type BagDeclaration, parseDeclaration } from './bagit-txt.js';
import { type FetchEntry, parseFetch } from './fetch-txt.js';
import { type ManifestEntry, parseManifest, parseManifestName } from './manifest.js';
import type { Findings } from './report.js';
import { decodeTagFile, type Parsed } from './tag-text.js';
import { rulesOf } from './version.js';

export interface Manifest {
  readonly file: string;
  readonly kind: 'payload' | 'tag';
  /** normalised */
  readonly algorithm: string;
  /** by the path of the file it is about, as found in the bag where it is there */
  readonly entries: ReadonlyMap<string, ManifestEntry>;
}

/** All that the tag files say, read by the rules of the version. */
export interface BagTags {
  readonly declaration: BagDeclaration;
  readonly manifests: readonly Manifest[];
  readonly info: readonly BagInfoEntry[];
  readonly oxum: PayloadOxum | undefined;
  readonly fetch: ReadonlyMap<string, FetchEntry>;
}

/** Reads the tag files of a listed bag; undefined when bagit.txt leaves open how. */
export function readTags(listing: BagListing, findings: Findings): BagTags | undefined {
  const declaration = readDeclaration(listing, findings);
  if (declaration === undefined) return undefined;
  const names = new NameFinder(listing.files.keys());
  const manifests = readManifests(listing, declaration, names, findings);
  const fetch = readFetch(listing, declaration, names, findings);
  const { infoFile } = rulesOf(declaration.version);
  const info =
    readText(listing, infoFile, declaration, findings, (text) => parseBagInfo(text, declaration.version)) ?? [];
  return { declaration, manifests, info, oxum: readOxum(info, infoFile, findings), fetch };
}

function readDeclaration(listing: BagListing, findings: Findings): BagDeclaration | undefined {
  const file = 'bagit.txt';
  const bytes = listing.structure.get(file);
  if (bytes === undefined) {
    findings.error('bad_declaration', 'is missing: this is not a bag', { file });
    return undefined;
  }
  const decoded = decodeTagFile(bytes, 'UTF-8');
  if (!decoded.ok) {
    findings.error('bad_declaration', decoded.message, { file });
    return undefined;
  }
  const { value, problems } = parseDeclaration(decoded.text);
  for (const { line, message } of problems) findings.error('bad_declaration', message, { file, line });
  return value;
}

function readManifests(
  listing: BagListing,
  declaration: BagDeclaration,
  names: NameFinder,
  findings: Findings,
): Manifest[] {
  const manifests: Manifest[] = [];
  for (const file of [...listing.structure.keys()].sort()) {
    const name = parseManifestName(file);
    if (name === undefined) continue;
    const algorithm = normalizeAlgorithm(name.algorithm);
    if (manifests.some((other) => other.kind === name.kind && other.algorithm === algorithm)) {
      findings.error('bad_tag_file', `is a second manifest for ${algorithm}`, { file });
      continue;
    }
    const parsed = readText(listing, file, declaration, findings, (text) =>
      parseManifest(text, algorithm, declaration.version),
    );
    if (parsed === undefined) continue;
    const entries = indexEntries(parsed, file, name.kind, declaration, names, findings);
    manifests.push({ file, kind: name.kind, algorithm, entries });
  }
  const payload = manifests.filter((manifest) => manifest.kind === 'payload');
  if (payload.length === 0) findings.error('no_manifest', 'there is no payload manifest');
  judgeAlgorithms(manifests, findings);
  return manifests;
}

/** Entries by path; refuses what a manifest must not name. */
function indexEntries(
  parsed: readonly ManifestEntry[],
  file: string,
  kind: 'payload' | 'tag',
  { version }: BagDeclaration,
  names: NameFinder,
  findings: Findings,
): Map<string, ManifestEntry> {
  const entries = new Map<string, ManifestEntry>();
  for (const entry of parsed) {
    const { line } = entry;
    const refusal = unsafeReason(entry.path);
    if (refusal !== undefined) {
      findings.error('unsafe_path', `is refused: ${refusal}`, { file, line, path: entry.path });
      continue;
    }
    const isPayload = entry.path.startsWith('data/');
    if (isPayload !== (kind === 'payload')) {
      const message = isPayload ? 'is payload and does not belong into a tag manifest' : 'is not below data/';
      findings.error('bad_tag_file', message, { file, line, path: entry.path });
      continue;
    }
    if (kind === 'tag' && parseManifestName(entry.path)?.kind === 'tag') {
      findings.error('bad_tag_file', 'is a tag manifest, which no tag manifest may name', {
        file,
        line,
        path: entry.path,
      });
      continue;
    }
    const path = names.find(entry, file, findings);
    const earlier = entries.get(path);
    if (earlier !== undefined) {
      // 1.0 forbids the second line, before it only mattered whether it says something else
      const harmless = !rulesOf(version).strictLines && earlier.checksum === entry.checksum;
      const message = `is named in line ${earlier.line} already`;
      if (harmless) findings.warn('duplicate', message, { file, line, path });
      else findings.error('duplicate', message, { file, line, path });
      continue;
    }
    entries.set(path, entry);
  }
  return entries;
}

function judgeAlgorithms(manifests: readonly Manifest[], findings: Findings): void {
  for (const kind of ['payload', 'tag'] as const) {
    const group = manifests.filter((manifest) => manifest.kind === kind);
    const checkable = group.filter((manifest) => hexDigits(manifest.algorithm) !== undefined);
    for (const { file, algorithm } of group.filter((manifest) => !checkable.includes(manifest))) {
      const message = `uses ${algorithm}, which cannot be checked here`;
      if (checkable.length === 0) findings.error('unknown_algorithm', message, { file });
      else findings.warn('unknown_algorithm', message, { file });
    }
    if (
      kind === 'payload' &&
      group.length > 0 &&
      group.every(({ algorithm }) => algorithm === 'md5' || algorithm === 'sha1')
    ) {
      findings.warn('weak_algorithm', 'the payload has only md5 or sha1 checksums: they show accidents, not forgery');
    }
  }
}

function readFetch(
  listing: BagListing,
  declaration: BagDeclaration,
  names: NameFinder,
  findings: Findings,
): Map<string, FetchEntry> {
  const file = 'fetch.txt';
  const entries = new Map<string, FetchEntry>();
  for (const entry of readText(listing, file, declaration, findings, (text) => parseFetch(text, declaration.version)) ??
    []) {
    const { line } = entry;
    const refusal = unsafeReason(entry.path);
    if (refusal !== undefined)
      findings.error('unsafe_path', `is refused: ${refusal}`, { file, line, path: entry.path });
    else if (!entry.path.startsWith('data/'))
      findings.error('bad_tag_file', 'is not below data/', { file, line, path: entry.path });
    else {
      const path = names.find(entry, file, findings);
      if (entries.has(path)) findings.error('duplicate', 'is named twice', { file, line, path });
      else entries.set(path, entry);
    }
  }
  return entries;
}

function readOxum(info: readonly BagInfoEntry[], file: string, findings: Findings): PayloadOxum | undefined {
  const values = infoValues(info, 'Payload-Oxum');
  const [value] = values;
  if (value === undefined) return undefined;
  if (values.length > 1) findings.error('bad_tag_file', 'has more than one Payload-Oxum', { file });
  const oxum = parseOxum(value);
  if (oxum === undefined)
    findings.error('bad_tag_file', `has a Payload-Oxum that is no <bytes>.<files>: ${JSON.stringify(value)}`, { file });
  return oxum;
}

function readText<T>(
  listing: BagListing,
  file: string,
  { encoding }: BagDeclaration,
  findings: Findings,
  parse: (text: string) => Parsed<T>,
): T | undefined {
  const bytes = listing.structure.get(file);
  if (bytes === undefined) return undefined;
  const decoded = decodeTagFile(bytes, encoding);
  if (!decoded.ok) {
    findings.error('bad_tag_file', decoded.message, { file });
    return undefined;
  }
  const { value, problems } = parse(decoded.text);
  for (const { severity, line, message } of problems) {
    if (severity === 'error') findings.error('bad_tag_file', message, { file, line });
    else findings.warn('bad_tag_file', message, { file, line });
  }
  return value;
}

/**
 * Finds the file that a line means when it is not there under the exact name: writers that do not percent-encode, and file
 * systems that store names in another Unicode normal form. RFC 8493 5.2 warns of both.
 */
class NameFinder {
  readonly #files: Set<string>;
  #normal: Map<string, string> | undefined;

  constructor(files: Iterable<string>) {
    this.#files = new Set(files);
  }

  find(
    entry: { readonly path: string; readonly literalPath?: string; readonly line: number },
    file: string,
    findings: Findings,
  ): string {
    const { path, literalPath, line } = entry;
    if (this.#files.has(path)) return path;
    const other = literalPath !== undefined && this.#files.has(literalPath) ? literalPath : this.#normalTwin(path);
    if (other === undefined) return path;
    findings.warn('inexact_name', `is there as ${JSON.stringify(other)}`, { file, line, path });
    return other;
  }

  #normalTwin(path: string): string | undefined {
    this.#normal ??= new Map([...this.#files].map((name) => [name.normalize('NFC'), name]));
    return this.#normal.get(path.normalize('NFC'));
  }
}
