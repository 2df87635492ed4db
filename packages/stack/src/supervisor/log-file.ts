import { closeSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A larger file is put aside at the next start, in place of the one put aside before. */
const maxBytes = 10 * 1024 * 1024;
const tailBytes = 8 * 1024;

export type LogFile = { readonly path: string; readonly startsAt: number };

/** The log of one process: `<directory>/<name>.log`, appended to; a large one becomes `<name>.log.1` first. */
export function openLogFile(directory: string, name: string): LogFile {
  const path = join(directory, `${name}.log`);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= maxBytes) return { path, startsAt: size };
  renameSync(path, `${path}.1`);
  return { path, startsAt: 0 };
}

/** The last lines that were written since the log was opened, none of them wider than a screen or two. */
export function lastLines(log: LogFile, count = 12): string {
  let file: number;
  try {
    file = openSync(log.path, 'r');
  } catch {
    return '';
  }
  try {
    const size = statSync(log.path).size;
    const start = Math.max(log.startsAt, size - tailBytes);
    const buffer = Buffer.alloc(Math.max(0, size - start));
    const length = readSync(file, buffer, 0, buffer.length, start);
    const text = buffer.toString('utf8', 0, length).trimEnd();
    if (text === '') return '';
    const lines = text.split('\n').slice(-count);
    return lines.map((line) => `  ${line.length > 300 ? `${line.slice(0, 300)} …` : line}`).join('\n');
  } finally {
    closeSync(file);
  }
}
