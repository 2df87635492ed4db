/**
 * An instant as `2024-01-02 03:04:05.678901+00:00`, for documents and for constants in statements.
 * @param micros since 1970, not before
 */
export function instantText(micros: bigint): string {
  const seconds = new Date(Number(micros / 1_000_000n) * 1000).toISOString().slice(0, 19).replace('T', ' ');
  return `${seconds}.${String(micros % 1_000_000n).padStart(6, '0')}+00:00`;
}
