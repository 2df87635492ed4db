import { AppError } from '@holdfast/http-kit';

/** Bytes of each hash. */
const HASH_BYTES = { md5: 16, sha256: 32 } as const;

export type HashKind = keyof typeof HASH_BYTES;

/**
 * Reads a hash given as padded base64 or as hexadecimal of any case (spec/objectstore.md 6.2).
 * @throws {AppError} `bad_hash` for anything else
 */
export function parseHash(kind: HashKind, text: string): Buffer {
  const bytes = HASH_BYTES[kind];
  if (text.length === bytes * 2 && /^[0-9a-f]+$/i.test(text)) return Buffer.from(text, 'hex');
  const decoded = Buffer.from(text, 'base64');
  // Node reads many spellings; only the one it writes itself is right
  if (decoded.byteLength === bytes && decoded.toString('base64') === text) return decoded;
  throw new AppError(
    'bad_hash',
    `The ${kind === 'md5' ? 'MD5' : 'SHA-256'} must be ${bytes} bytes, as base64 with padding or as ${bytes * 2} hexadecimal digits.`,
  );
}
