import { createHash } from 'node:crypto';

const MOST_BYTES = 63;

/**
 * Name for a constraint whose document gives none (spec/catalog-model.md 18): `table_column_column_key`, with a number behind it
 * when that is taken.
 * @param taken names in use in the schema
 */
export function constraintName(
  taken: ReadonlySet<string>,
  tableName: string,
  columnNames: readonly string[],
  suffix: 'key' | 'fkey',
): string {
  for (let count = 0; ; count += 1) {
    const name = fit([tableName, ...columnNames], count === 0 ? suffix : `${suffix}${count}`);
    if (!taken.has(name)) return name;
  }
}

/** A name that is too long keeps a start of every part and gets a mark made of the whole. */
function fit(parts: readonly string[], suffix: string): string {
  const whole = [...parts, suffix].join('_');
  if (Buffer.byteLength(whole) <= MOST_BYTES) return whole;
  const mark = createHash('sha256').update(whole).digest('hex').slice(0, 5);
  const tail = `_${suffix}_${mark}`;
  for (let most = 24; most > 0; most -= 1) {
    const short = parts.map((part) => shorten(part, most)).join('_');
    if (Buffer.byteLength(short) + Buffer.byteLength(tail) <= MOST_BYTES) return `${short}${tail}`;
  }
  return `${shorten(parts[0] ?? '', 24)}${tail}`;
}

/** At most so many bytes, whole characters, `..` in place of what was cut. */
function shorten(part: string, mostBytes: number): string {
  if (Buffer.byteLength(part) <= mostBytes) return part;
  let kept = '';
  for (const character of part) {
    if (Buffer.byteLength(kept) + Buffer.byteLength(character) > mostBytes - 2) break;
    kept += character;
  }
  return `${kept}..`;
}
