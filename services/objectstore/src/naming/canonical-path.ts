import { AppError } from '@holdfast/http-kit';

declare const pathBrand: unique symbol;

/**
 * A name below the service's prefix in its one spelling: `/a/x%2Fy`, the empty text for the root. It is the key in the database and
 * what every answer shows (spec/objectstore.md 2.2).
 */
export type CanonicalPath = string & { readonly [pathBrand]: true };

/** The root namespace. */
export const ROOT: CanonicalPath = brand('');

/** Bounds of names (spec/objectstore.md 1, `url.*`), judged after decoding (segment) and in canonical form (path). */
export interface NameLimits {
  readonly segmentBytes: number;
  readonly pathBytes: number;
  readonly depth: number;
}

export const NAME_LIMITS: NameLimits = { segmentBytes: 255, pathBytes: 2048, depth: 64 };

/**
 * The canonical path of decoded segments.
 * @throws {AppError} `bad_name` for a segment no name may have, or beyond a limit
 */
export function canonicalPath(segments: readonly string[], limits: NameLimits = NAME_LIMITS): CanonicalPath {
  if (segments.length > limits.depth) throw new AppError('bad_name', `A name may have ${limits.depth} levels at most.`);
  const path = segments.map((segment) => `/${encodeSegment(checkedSegment(segment, limits))}`).join('');
  if (path.length > limits.pathBytes)
    throw new AppError('bad_name', `A path may have ${limits.pathBytes} bytes at most.`);
  return brand(path);
}

/** A path that comes back from the database, where only canonical ones are written. */
export function storedPath(text: string): CanonicalPath {
  return brand(text);
}

/** Text with every byte that is not unreserved as `%XX` in upper case. */
export function encodeSegment(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** All namespaces above a path, the root first; nothing for the root itself. */
export function pathsAbove(path: CanonicalPath): readonly CanonicalPath[] {
  const segments = path.split('/').slice(1);
  return segments.map((_, index) =>
    brand(
      segments
        .slice(0, index)
        .map((segment) => `/${segment}`)
        .join(''),
    ),
  );
}

/** The last segment, in canonical encoding; empty for the root. */
export function lastSegment(path: CanonicalPath): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The path as clients see it: with the prefix they used. */
export function shownPath(prefix: string, path: CanonicalPath): string {
  return `${prefix}${path}` || '/';
}

/** The path of one version as clients see it. */
export function shownVersion(prefix: string, path: CanonicalPath, version: string): string {
  return `${prefix}${path}:${encodeSegment(version)}`;
}

function checkedSegment(segment: string, limits: NameLimits): string {
  if (segment === '.' || segment === '..') throw new AppError('bad_name', 'A name may not be "." or "..".');
  if (Buffer.byteLength(segment) > limits.segmentBytes)
    throw new AppError('bad_name', `One level of a name may have ${limits.segmentBytes} bytes at most.`);
  return segment;
}

function brand(text: string): CanonicalPath {
  return text as CanonicalPath;
}
