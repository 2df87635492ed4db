import { type FormatProblem, isKnownEncoding, type Parsed, splitLines } from './tag-text.js';
import { type BagVersion, isBagVersion, type WritableVersion } from './version.js';

export interface BagDeclaration {
  readonly version: BagVersion;
  /** of all other tag files; this one is always UTF-8 */
  readonly encoding: string;
}

/** The two lines of bagit.txt (RFC 8493 2.1.1). */
export function printDeclaration(version: WritableVersion): string {
  return `BagIt-Version: ${version}\nTag-File-Character-Encoding: UTF-8\n`;
}

/** Reads bagit.txt. No value when the version or the encoding cannot be known: nothing else of the bag can be read then. */
export function parseDeclaration(text: string): Parsed<BagDeclaration | undefined> {
  const lines = splitLines(text);
  const problems: FormatProblem[] = [];
  const version = read(lines[0], 1, 'BagIt-Version', problems);
  const encoding = read(lines[1], 2, 'Tag-File-Character-Encoding', problems);
  if (lines.length > 2) problems.push({ severity: 'error', line: 3, message: 'has more than its two lines' });
  if (version !== undefined && !isBagVersion(version)) {
    problems.push({ severity: 'error', line: 1, message: `names the version ${version}, which is not known` });
  }
  if (encoding !== undefined && !isKnownEncoding(encoding)) {
    problems.push({ severity: 'error', line: 2, message: `names the encoding ${encoding}, which is not known` });
  }
  const usable = version !== undefined && isBagVersion(version) && encoding !== undefined && isKnownEncoding(encoding);
  if (usable && version === '1.0') {
    // 1.0 fixes the form; older bags are read with whatever white space they have
    for (const [index, line] of lines.slice(0, 2).entries()) {
      if (!/^[\w-]+: \S+$/.test(line)) {
        problems.push({
          severity: 'error',
          line: index + 1,
          message: 'must be a label, a colon, one space and the value',
        });
      }
    }
  }
  return { value: usable ? { version, encoding } : undefined, problems };
}

function read(line: string | undefined, number: number, label: string, problems: FormatProblem[]): string | undefined {
  const match = /^\s*([\w-]+)\s*:\s*(\S+)\s*$/.exec(line ?? '');
  if (match?.[1]?.toLowerCase() === label.toLowerCase()) return match[2];
  problems.push({ severity: 'error', line: number, message: `must be '${label}: <value>'` });
  return undefined;
}
