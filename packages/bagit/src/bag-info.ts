import { BagWriteError } from './errors.js';
import { type FormatProblem, type Parsed, splitLines } from './tag-text.js';
import type { BagVersion } from './version.js';

/** One `Label: value`. Order counts and labels may repeat (RFC 8493 2.2.2). */
export interface BagInfoEntry {
  readonly label: string;
  readonly value: string;
}

/**
 * Prints bag-info.txt. Lines are never folded and line ends in a value become a space (spec/export.md 8.2, 2.4).
 *
 * @throws BagWriteError `bad_metadata` for a label that could not be read back
 */
export function printBagInfo(entries: readonly BagInfoEntry[]): string {
  return entries.map(({ label, value }) => `${checkLabel(label)}: ${oneLine(value)}\n`).join('');
}

/** Reads bag-info.txt (or package-info.txt of old versions): folded lines are joined by one space. */
export function parseBagInfo(text: string, version: BagVersion): Parsed<readonly BagInfoEntry[]> {
  const entries: { label: string; value: string }[] = [];
  const problems: FormatProblem[] = [];
  for (const [index, line] of splitLines(text).entries()) {
    const number = index + 1;
    const last = entries.at(-1);
    if (/^[ \t]/.test(line)) {
      if (last === undefined) problems.push(error(number, 'continues a line, but there is none before it'));
      else last.value = `${last.value} ${line.trim()}`.trim();
      continue;
    }
    if (line === '') {
      problems.push({ severity: 'warning', line: number, message: 'is empty' });
      continue;
    }
    const match = /^([^:]*?)([ \t]*):([ \t]*)(.*)$/.exec(line);
    if (match?.[1] === undefined || match[1] === '') {
      problems.push(error(number, "must be 'Label: value'"));
      continue;
    }
    if (version === '1.0' && (match[2] !== '' || match[3] === '')) {
      problems.push({
        severity: 'warning',
        line: number,
        message: 'must have a colon directly after the label and white space after the colon',
      });
    }
    entries.push({ label: match[1], value: (match[4] ?? '').trimEnd() });
  }
  return { value: entries, problems };
}

/** All values of a label, compared without case. */
export function infoValues(entries: readonly BagInfoEntry[], label: string): string[] {
  const wanted = label.toLowerCase();
  return entries.filter((entry) => entry.label.toLowerCase() === wanted).map((entry) => entry.value);
}

export interface PayloadOxum {
  readonly bytes: number;
  readonly files: number;
}

export function printOxum(oxum: PayloadOxum): string {
  return `${oxum.bytes}.${oxum.files}`;
}

/** `<bytes>.<files>`; undefined if it is anything else. */
export function parseOxum(text: string): PayloadOxum | undefined {
  const match = /^(\d{1,16})\.(\d{1,16})$/.exec(text.trim());
  return match === null ? undefined : { bytes: Number(match[1]), files: Number(match[2]) };
}

/** A size for people, in decimal units as storage is sold: `1.5 MB`. */
export function humanSize(bytes: number): string {
  const units = ['KB', 'MB', 'GB', 'TB', 'PB'];
  if (bytes < 1000) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), units.length);
  return `${(bytes / 1000 ** power).toFixed(1)} ${units[power - 1]}`;
}

/** spec/export.md 2.4: 1 to 100 characters, no colon, no line end, no space at its ends. */
function checkLabel(label: string): string {
  const length = [...label].length;
  if (length < 1 || length > 100 || /[:\r\n]/.test(label) || label.trim() !== label) {
    throw new BagWriteError('bad_metadata', `${JSON.stringify(label)} cannot be a label of bag-info.txt`);
  }
  return label;
}

function oneLine(value: string): string {
  return value.replace(/\r\n|\r|\n/g, ' ').trim();
}

function error(line: number, message: string): FormatProblem {
  return { severity: 'error', line, message };
}
