/**
 * Percent-encodes a schema, table, column, alias or output name for use in a URL.
 * Throws RangeError for texts that no URL can carry as a name: empty, with a NUL or with half a surrogate pair.
 */
export function encodeName(text: string): string {
  if (text === '') throw new RangeError('a name in a URL has at least one character');
  return encodeValue(text);
}

/** As `encodeName`, for literals, which may be empty. */
export function encodeValue(text: string): string {
  if (/^[A-Za-z0-9\-._~*]*$/.test(text)) return text;
  if (text.includes('\0')) throw new RangeError('a URL cannot carry the NUL character');
  try {
    return encodeURIComponent(text).replace(/[!'()]/g, (character) => RAW_ESCAPES[character] ?? character);
  } catch {
    throw new RangeError('a URL cannot carry half a surrogate pair');
  }
}

/** What encodeURIComponent leaves raw although the grammar of data URLs does not. */
const RAW_ESCAPES: Readonly<Record<string, string>> = { '!': '%21', "'": '%27', '(': '%28', ')': '%29' };
