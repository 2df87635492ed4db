import { type BagVersion, rulesOf } from './version.js';

/** A path as it stands in manifests and fetch.txt. Nothing but line ends and (1.0) `%` is encoded: RFC 8493 2.1.3. */
export function encodePath(path: string, version: BagVersion): string {
  switch (rulesOf(version).encoded) {
    case 'nothing':
      return path;
    case 'line-ends':
      return path.replace(/[\r\n]/g, percent);
    case 'line-ends-and-percent':
      return path.replace(/[%\r\n]/g, percent);
  }
}

/** The inverse of {@link encodePath}; any other `%XX` is text of the name. */
export function decodePath(text: string, version: BagVersion): string {
  switch (rulesOf(version).encoded) {
    case 'nothing':
      return text;
    case 'line-ends':
      return text.replace(/%0[AD]/gi, unpercent);
    case 'line-ends-and-percent':
      return text.replace(/%(?:0[AD]|25)/gi, unpercent);
  }
}

/**
 * Orders paths by their UTF-8 bytes without encoding them. UTF-16 order differs only where a surrogate meets a
 * character of U+E000..U+FFFF: the surrogate stands for a larger code point.
 */
export function comparePaths(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return byteRank(left) - byteRank(right);
  }
  return a.length - b.length;
}

function byteRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

function unpercent(escaped: string): string {
  return String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
}
