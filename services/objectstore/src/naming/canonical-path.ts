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
export const NAME_LIMITS = { segmentBytes: 255, pathBytes: 2048, depth: 64 } as const;

/**
 * The canonical path of decoded segments.
 * @throws {AppError} `bad_name` for a segment no name may have, or beyond a limit
 */
export function canonicalPath(segments: readonly string[]): CanonicalPath {
  if (segments.length > NAME_LIMITS.depth)
    throw new AppError('bad_name', `A name may have ${NAME_LIMITS.depth} levels at most.`);
  const path = segments.map((segment) => `/${encodeSegment(checkedSegment(segment))}`).join('');
  if (path.length > NAME_LIMITS.pathBytes)
    throw new AppError('bad_name', `A path may have ${NAME_LIMITS.pathBytes} bytes at most.`);
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

function checkedSegment(segment: string): string {
  if (segment === '.' || segment === '..') throw new AppError('bad_name', 'A name may not be "." or "..".');
  if (/\p{Cc}/u.test(segment)) throw new AppError('bad_name', 'A name may not contain control characters.');
  if (Buffer.byteLength(segment) > NAME_LIMITS.segmentBytes)
    throw new AppError('bad_name', `One level of a name may have ${NAME_LIMITS.segmentBytes} bytes at most.`);
  return segment;
}

function brand(text: string): CanonicalPath {
  return text as CanonicalPath;
}
