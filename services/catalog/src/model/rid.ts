import { decodeId, encodeId } from './id-codec.js';

/**
 * The spelling of a RID that the service itself would give it (spec/catalog-data.md 6.2).
 * @returns null for a text that is no RID
 */
export function canonicalRid(text: string): string | null {
  const number = decodeId(text);
  return number === null ? null : encodeId(number);
}
