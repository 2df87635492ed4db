import type { CanonicalPath } from './canonical-path.js';

/** What a URL can name (spec/objectstore.md 2.3). A null version means the object or namespace itself. */
export type Resource =
  | { readonly kind: 'name'; readonly path: CanonicalPath }
  | { readonly kind: 'version'; readonly path: CanonicalPath; readonly version: string }
  | { readonly kind: 'versions'; readonly path: CanonicalPath }
  | { readonly kind: 'bulk'; readonly path: CanonicalPath; readonly of: 'names' | 'versions' }
  | { readonly kind: 'metadata'; readonly path: CanonicalPath; readonly version: string | null }
  | {
      readonly kind: 'metadata-field';
      readonly path: CanonicalPath;
      readonly version: string | null;
      readonly field: string;
    }
  | { readonly kind: 'acl'; readonly path: CanonicalPath; readonly version: string | null }
  | { readonly kind: 'acl-mode'; readonly path: CanonicalPath; readonly version: string | null; readonly mode: string }
  | {
      readonly kind: 'acl-entry';
      readonly path: CanonicalPath;
      readonly version: string | null;
      readonly mode: string;
      readonly entry: string;
    }
  | { readonly kind: 'upload'; readonly path: CanonicalPath }
  | { readonly kind: 'upload-job'; readonly path: CanonicalPath; readonly job: string }
  | { readonly kind: 'upload-chunk'; readonly path: CanonicalPath; readonly job: string; readonly number: string };

export type Method = 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';

/** The methods of each form, in the order in which `Allow` lists them. */
export const METHODS: Readonly<Record<Resource['kind'], readonly Method[]>> = {
  name: ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'],
  version: ['GET', 'HEAD', 'DELETE'],
  versions: ['GET', 'HEAD'],
  bulk: ['GET', 'HEAD'],
  metadata: ['GET', 'HEAD'],
  'metadata-field': ['GET', 'HEAD', 'PUT', 'DELETE'],
  acl: ['GET', 'HEAD'],
  'acl-mode': ['GET', 'HEAD', 'PUT', 'DELETE'],
  'acl-entry': ['GET', 'HEAD', 'PUT', 'DELETE'],
  upload: ['GET', 'HEAD', 'POST'],
  'upload-job': ['GET', 'HEAD', 'POST', 'DELETE'],
  'upload-chunk': ['PUT'],
};
