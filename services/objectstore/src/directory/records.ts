import type { ModeLists } from '@holdfast/acl';
import type { BlobKey } from '../naming/blob-key.js';
import type { CanonicalPath } from '../naming/canonical-path.js';

/** A row id; PostgreSQL's bigint as text. */
export type RowId<Table extends string> = string & { readonly table: Table };

/** A namespace or object, defined or deleted. */
export interface NameRecord {
  readonly id: RowId<'name'>;
  readonly ancestors: readonly RowId<'name'>[];
  readonly path: CanonicalPath;
  readonly kind: 'namespace' | 'object';
  readonly deleted: boolean;
  readonly lists: ModeLists;
}

/** A hash the service knows, and whether the client said it too. */
export interface KnownHash {
  readonly value: Buffer;
  readonly declared: boolean;
}

/** Who has the bytes of a version: the version itself, or the one it was renamed to (spec/objectstore.md 9). */
export type ContentPlace =
  | { readonly kind: 'here'; readonly key: BlobKey }
  | { readonly kind: 'forwarded'; readonly to: RowId<'version'> };

/** A defined version of an object. */
export interface VersionRecord {
  readonly id: RowId<'version'>;
  readonly nameId: RowId<'name'>;
  readonly version: string;
  readonly bytes: number;
  readonly contentType: string | null;
  readonly disposition: string | null;
  readonly md5: KnownHash | null;
  readonly sha256: KnownHash | null;
  readonly content: ContentPlace;
  /** Whether it came here by a rename. */
  readonly renamed: boolean;
  readonly lists: ModeLists;
}

/** What stands at a path and above it. */
export interface Place {
  readonly path: CanonicalPath;
  /** Null when the path was never used. A deleted name is here too. */
  readonly target: NameRecord | null;
  /** The names above that exist or existed, the root first. */
  readonly above: readonly NameRecord[];
}
