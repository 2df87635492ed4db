import { hexDigits } from './algorithms.js';
import { decodePath, encodePath } from './path-encoding.js';
import { type FormatProblem, type Parsed, splitLines } from './tag-text.js';
import type { BagVersion } from './version.js';

/** One line of a payload or tag manifest. */
export interface ManifestEntry {
  /** from the top of the bag, decoded */
  readonly path: string;
  /** lower-case hex */
  readonly checksum: string;
  readonly line: number;
  /** as it stands in the file, where decoding changed it: some writers do not encode */
  readonly literalPath?: string;
}

/** `<checksum>  <path>` and its LF: two spaces, as checksum programs write and read it (spec/export.md 8.3). */
export function printManifestLine(checksum: string, path: string, version: BagVersion): string {
  return `${checksum}  ${encodePath(path, version)}\n`;
}

/** Reads a manifest of a (normalised) algorithm; a checksum of an algorithm that we do not know is only checked to be hex. */
export function parseManifest(text: string, algorithm: string, version: BagVersion): Parsed<readonly ManifestEntry[]> {
  const entries: ManifestEntry[] = [];
  const problems: FormatProblem[] = [];
  const digits = hexDigits(algorithm);
  for (const [index, content] of splitLines(text).entries()) {
    const line = index + 1;
    const match = /^(\S+)[ \t]+(\*?)([^\n]+)$/.exec(content);
    if (match === null) {
      problems.push({ severity: 'error', line, message: 'must be a checksum, white space and a path' });
      continue;
    }
    const [, checksum = '', star, literal = ''] = match;
    if (!/^[0-9a-f]+$/i.test(checksum) || (digits !== undefined && checksum.length !== digits)) {
      problems.push({
        severity: 'error',
        line,
        message: `does not start with ${digits ?? 'any'} hexadecimal digits of ${algorithm}`,
      });
      continue;
    }
    if (star === '*') {
      problems.push({ severity: 'warning', line, message: "has the '*' of checksum programs before its path" });
    }
    // tools for Windows and the shell (`find .`) leave this prefix
    const path = decodePath(literal.startsWith('./') ? literal.slice(2) : literal, version);
    if (literal.startsWith('./'))
      problems.push({ severity: 'warning', line, message: "has a path that starts with './'" });
    entries.push({
      path,
      checksum: checksum.toLowerCase(),
      line,
      ...(path === literal ? {} : { literalPath: literal }),
    });
  }
  return { value: entries, problems };
}

/** Splits `manifest-sha256.txt` and `tagmanifest-sha256.txt`; undefined for any other name. */
export function parseManifestName(
  name: string,
): { readonly kind: 'payload' | 'tag'; readonly algorithm: string } | undefined {
  const match = /^(tag)?manifest-([^/]+)\.txt$/i.exec(name);
  if (match?.[2] === undefined) return undefined;
  return { kind: match[1] === undefined ? 'payload' : 'tag', algorithm: match[2] };
}
