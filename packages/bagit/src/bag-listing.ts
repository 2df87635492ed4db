import type { BagSource, SourceEntry } from './bag-source.js';
import { parseManifestName } from './manifest.js';
import type { Findings } from './report.js';

/** What a bag contains, and the tag files that say what it should. Paths are from the top of the bag. */
export interface BagListing {
  /** all files with their octets */
  readonly files: ReadonlyMap<string, number>;
  readonly hasData: boolean;
  /** bagit.txt, bag-info.txt, fetch.txt and all manifests */
  readonly structure: ReadonlyMap<string, Uint8Array>;
}

/** An archive is read only when all its entries are in one top directory: this is its name. */
export class TopDirectory {
  readonly #archive: boolean;
  #name: string | undefined;

  constructor(source: BagSource) {
    this.#archive = source.kind === 'archive';
  }

  /** The path within the bag, '' for the top itself; undefined for what lies beside it. */
  within(entry: Pick<SourceEntry, 'path' | 'kind'>): string | undefined {
    if (!this.#archive) return entry.path;
    const slash = entry.path.indexOf('/');
    const first = slash === -1 ? entry.path : entry.path.slice(0, slash);
    // an archive that starts with a file at its root has no top directory
    this.#name ??= slash === -1 && entry.kind === 'file' ? '' : first;
    if (this.#name === '') return entry.path;
    if (first !== this.#name) return undefined;
    return slash === -1 ? '' : entry.path.slice(slash + 1);
  }

  get missing(): boolean {
    return this.#archive && this.#name === '';
  }
}

/** Larger tag files are refused: they would have to be text in memory, and V8 ends a string at 512 MiB. */
const MAX_TAG_FILE = 400 * 2 ** 20;

/** Goes through the bag once. Payload is not read. */
export async function listBag(source: BagSource, findings: Findings): Promise<BagListing> {
  const files = new Map<string, number>();
  const structure = new Map<string, Uint8Array>();
  const byLowerCase = new Map<string, string>();
  const top = new TopDirectory(source);
  let hasData = false;
  for await (const entry of source.entries()) {
    const refusal = unsafeReason(entry.path);
    if (refusal !== undefined) {
      findings.error('unsafe_path', `is refused: ${refusal}`, { path: entry.path });
      continue;
    }
    const path = top.within(entry);
    if (path === undefined) {
      findings.error('stray_entry', 'is outside of the one top directory of the archive', { path: entry.path });
      continue;
    }
    if (path === 'data' ? entry.kind === 'directory' : path.startsWith('data/')) hasData = true;
    if (entry.kind === 'directory' || path === '') continue;
    if (entry.kind !== 'file') {
      findings.error('link', entry.kind === 'link' ? (entry.problem ?? 'is a link') : 'is not a file', { path });
      continue;
    }
    if (files.has(path)) {
      findings.error('duplicate', 'is in the archive twice', { path });
      continue;
    }
    files.set(path, entry.bytes);
    const folded = path.toLowerCase();
    const twin = byLowerCase.get(folded);
    if (twin === undefined) byLowerCase.set(folded, path);
    else findings.warn('case_only', `differs from ${JSON.stringify(twin)} only in case`, { path });
    if (isStructure(path)) {
      if (entry.bytes > MAX_TAG_FILE) findings.error('bad_tag_file', 'is too large to be read', { file: path });
      else structure.set(path, await collect(await entry.read()));
    }
  }
  if (top.missing) findings.error('stray_entry', 'the archive has no top directory: its files are at its root');
  return { files, hasData, structure };
}

/** Why a path of an archive or a manifest is not followed: it could name a file outside of the bag. */
export function unsafeReason(path: string): string | undefined {
  if (path.startsWith('/')) return 'it is absolute';
  if (/^[a-z]:[/\\]/i.test(path)) return 'it is absolute on Windows';
  if (path.split('/').includes('..') || path.split('\\').includes('..')) return "it has a segment '..'";
  if (/^~[^/]*(?:\/|$)/.test(path) && (path.includes('/') || path === '~')) return "it starts with '~'";
  if (path.includes('\0')) return 'it has a NUL character';
  return undefined;
}

function isStructure(path: string): boolean {
  return (
    /^(?:bagit|bag-info|package-info|fetch)\.txt$/.test(path) ||
    (!path.includes('/') && parseManifestName(path) !== undefined)
  );
}

async function collect(content: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of content) parts.push(chunk);
  return Buffer.concat(parts);
}
