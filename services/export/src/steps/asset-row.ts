import { ALGORITHMS, type Algorithm, type Hashes, hexDigits } from '@holdfast/bagit';
import { AppError } from '@holdfast/http-kit';
import type { JsonRow } from '@holdfast/tabular';

/** What a row says about a file (spec/export.md 5.5, 5.6). */
export interface AssetRow {
  /** Null: the row is passed over. */
  readonly url: string | null;
  /** Bytes. */
  readonly length: number | null;
  /** Lower-case hex. */
  readonly hashes: Hashes;
  readonly filename: string | null;
  readonly contentType: string | null;
}

/**
 * Reads the columns of a row. Empty texts count as missing.
 * @throws {AppError} `bad_hash`, `bad_value`
 */
export function readAssetRow(row: JsonRow): AssetRow {
  const text = (name: string): string | null => {
    const value = row[name];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  return {
    url: text('url'),
    length: lengthOf(row.length),
    hashes: hashesOf(text),
    filename: text('filename'),
    contentType: text('content_type'),
  };
}

function hashesOf(text: (name: string) => string | null): Hashes {
  const hashes: { [name in Algorithm]?: string } = {};
  for (const algorithm of ALGORITHMS) {
    const value = text(algorithm);
    if (value !== null) hashes[algorithm] = hexHash(algorithm, value);
  }
  return hashes;
}

/** Base name of a URL: its last segment, without version, decoded. */
export function nameInUrl(url: string): string | null {
  const path = /^(?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*)?([^?#]*)/i.exec(url)?.[1] ?? '';
  const segment = (path.split('/').at(-1) ?? '').replace(/:[^:]*$/, '');
  try {
    return segment === '' ? null : decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function lengthOf(value: unknown): number | null {
  if (value === null || value === undefined || value === '') return null;
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number;
  throw new AppError('bad_value', `The column length holds ${JSON.stringify(value)}, which is no number of bytes.`);
}

/** Hex or base64, as catalogs hold both. */
function hexHash(algorithm: Algorithm, value: string): string {
  const digits = hexDigits(algorithm) ?? 0;
  if (/^[0-9a-f]+$/i.test(value) && value.length === digits) return value.toLowerCase();
  const decoded = Buffer.from(value, 'base64');
  if (decoded.byteLength * 2 === digits && decoded.toString('base64') === value) return decoded.toString('hex');
  throw new AppError('bad_hash', `The column ${algorithm} holds ${JSON.stringify(value)}, which is no ${algorithm}.`);
}
