/** A fault found while reading a tag file; `line` counts from 1. */
export interface FormatProblem {
  readonly severity: 'error' | 'warning';
  readonly line: number;
  readonly message: string;
}

/** What a parser gives: everything that could be read, and everything that was wrong. Parsers never throw. */
export interface Parsed<T> {
  readonly value: T;
  readonly problems: readonly FormatProblem[];
}

/** Lines end with LF, CR LF or CR (RFC 8493 2.1.1 ff.); the last one may lack its end. */
export function splitLines(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

export type Decoded = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string };

/** Decodes a tag file by the encoding of bagit.txt. A byte order mark is refused in UTF-8 and belongs to UTF-16. */
export function decodeTagFile(bytes: Uint8Array, encoding: string): Decoded {
  try {
    const text = new TextDecoder(encoding, { fatal: true, ignoreBOM: isUtf8(encoding) }).decode(bytes);
    if (isUtf8(encoding) && text.startsWith('\ufeff')) return { ok: false, message: 'starts with a byte order mark' };
    return { ok: true, text };
  } catch (error) {
    if (error instanceof RangeError) return { ok: false, message: `has an encoding that is not known: ${encoding}` };
    return { ok: false, message: `is not valid ${encoding}` };
  }
}

/** Whether we can read tag files of that encoding (`Tag-File-Character-Encoding`). */
export function isKnownEncoding(encoding: string): boolean {
  try {
    new TextDecoder(encoding);
    return true;
  } catch {
    return false;
  }
}

function isUtf8(encoding: string): boolean {
  return /^utf-?8$/i.test(encoding);
}
