import type { ExportKind } from '../request/export-request.js';

/** What a path below the prefix stands for (spec/export.md 2.1). */
export type ExportPath =
  | { readonly kind: 'exports'; readonly endpoint: ExportKind }
  /** `path` null: the only result. */
  | { readonly kind: 'result'; readonly id: string; readonly path: string | null }
  | { readonly kind: 'log'; readonly id: string }
  | { readonly kind: 'job'; readonly id: string }
  | { readonly kind: 'jobs' }
  | { readonly kind: 'unknown' };

const UNKNOWN: ExportPath = { kind: 'unknown' };

/**
 * Reads the path of a request. A slash at the end changes nothing; names are compared decoded and whole.
 * @param path raw, below the prefix, without query
 */
export function parseExportPath(path: string, bagSegments: readonly string[]): ExportPath {
  const [first, ...rest] = path.replace(/^\//, '').replace(/\/$/, '').split('/');
  if (first === 'job') return parseJobPath(rest);
  const isBag = first !== undefined && bagSegments.includes(first);
  if (first !== 'file' && !isBag) return UNKNOWN;
  const [id, ...names] = rest;
  if (id === undefined) return { kind: 'exports', endpoint: isBag ? 'bag' : 'file' };
  if (names.length === 0) return withId(id, (known) => ({ kind: 'result', id: known, path: null }));
  const decoded = decodePath(names);
  if (decoded === null) return UNKNOWN;
  return withId(id, (known) =>
    decoded === 'log' ? { kind: 'log', id: known } : { kind: 'result', id: known, path: decoded },
  );
}

function parseJobPath(rest: readonly string[]): ExportPath {
  const [id, ...more] = rest;
  if (id === undefined) return { kind: 'jobs' };
  return more.length === 0 ? withId(id, (known) => ({ kind: 'job', id: known })) : UNKNOWN;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** A malformed id is an unknown one. */
function withId(id: string | undefined, found: (id: string) => ExportPath): ExportPath {
  return id !== undefined && UUID.test(id) ? found(id.toLowerCase()) : UNKNOWN;
}

function decodePath(segments: readonly string[]): string | null {
  try {
    return segments.map(decodeURIComponent).join('/');
  } catch {
    return null;
  }
}
