const quote = 0x22;
const lineFeed = 0x0a;

/**
 * Reads CSV to its end and counts the records, the header not included. Line feeds inside quotes are data.
 * @returns records and bytes
 */
export async function countRecords(
  csv: AsyncIterable<Uint8Array>,
): Promise<{ readonly records: number; readonly bytes: number }> {
  let lines = 0;
  let bytes = 0;
  let quoted = false;
  let last = lineFeed;
  for await (const chunk of csv) {
    for (const byte of chunk) {
      if (byte === quote) quoted = !quoted;
      else if (byte === lineFeed && !quoted) lines += 1;
      last = byte;
    }
    bytes += chunk.byteLength;
  }
  // the last line end may be missing
  const whole = last === lineFeed ? lines : lines + 1;
  return { records: Math.max(0, whole - 1), bytes };
}
