import { decodePath, encodePath } from './path-encoding.js';
import { type FormatProblem, type Parsed, splitLines } from './tag-text.js';
import type { BagVersion } from './version.js';

/** One line of fetch.txt: where the content of a payload file is. */
export interface FetchEntry {
  readonly url: string;
  /** octets; null where the line has `-` */
  readonly length: number | null;
  /** from the top of the bag, decoded */
  readonly path: string;
  readonly line: number;
  readonly literalPath?: string;
}

/** URL, TAB, length, TAB, path, LF (spec/export.md 8.3). White space in the URL is percent-encoded. */
export function printFetchLine(entry: Pick<FetchEntry, 'url' | 'length' | 'path'>, version: BagVersion): string {
  return `${encodeWhiteSpace(entry.url)}\t${entry.length ?? '-'}\t${encodePath(entry.path, version)}\n`;
}

/** Reads fetch.txt (RFC 8493 2.2.3): three fields with white space between them; the last may contain some. */
export function parseFetch(text: string, version: BagVersion): Parsed<readonly FetchEntry[]> {
  const entries: FetchEntry[] = [];
  const problems: FormatProblem[] = [];
  for (const [index, content] of splitLines(text).entries()) {
    const line = index + 1;
    const match = /^(\S+)[ \t]+(\S+)[ \t]+([^\n]+)$/.exec(content);
    if (match === null) {
      problems.push({ severity: 'error', line, message: 'must be a URL, a length and a path' });
      continue;
    }
    const [, url = '', length = '', literal = ''] = match;
    if (!/^[a-z][a-z0-9+.-]*:/i.test(url)) {
      problems.push({ severity: 'error', line, message: `has no absolute URL but ${JSON.stringify(url)}` });
      continue;
    }
    if (!/^(?:-|\d{1,16})$/.test(length)) {
      problems.push({
        severity: 'error',
        line,
        message: `has neither a number nor '-' as its length but ${JSON.stringify(length)}`,
      });
      continue;
    }
    const path = decodePath(literal, version);
    const base = { url, length: length === '-' ? null : Number(length), path, line };
    entries.push(path === literal ? base : { ...base, literalPath: literal });
  }
  return { value: entries, problems };
}

function encodeWhiteSpace(url: string): string {
  return url.replace(/\s/gu, (character) => encodeURIComponent(character));
}
