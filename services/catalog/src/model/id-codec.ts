const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const SYMBOLS = 13;

/**
 * Text form of a number: a RID of a sequence number, a snapshot id of microseconds since 1970 (spec/catalog-access.md 9.2).
 * @param value a signed 64-bit number
 * @returns symbols of 5 bits in groups of four; the last symbol has an even value
 */
export function encodeId(value: bigint): string {
  let bits = BigInt.asUintN(64, value) << 1n;
  const symbols: string[] = [];
  for (let count = 0; count < SYMBOLS; count += 1) {
    if (count > 0 && count % 4 === 0) symbols.push('-');
    symbols.push(alphabet.charAt(Number(bits & 31n)));
    bits >>= 5n;
  }
  const text = symbols
    .reverse()
    .join('')
    .replace(/^[0-]+/, '');
  return text === '' ? '0' : text;
}

/**
 * The number behind an id. Lower case and the look-alikes `O`, `I`, `L` are accepted, hyphens ignored.
 * @returns null for more than 13 symbols or a symbol outside the alphabet
 */
export function decodeId(text: string): bigint | null {
  const symbols = text
    .replaceAll('-', '')
    .replace(/[a-z]/g, (letter) => letter.toUpperCase())
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1');
  if (symbols.length > SYMBOLS) return null;
  let bits = 0n;
  for (const symbol of symbols) {
    const value = alphabet.indexOf(symbol);
    if (value < 0) return null;
    bits = (bits << 5n) | BigInt(value);
  }
  return BigInt.asIntN(64, bits >> 1n);
}
