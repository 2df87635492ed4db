import type { AccessList } from '../access-list.js';

/** What has lists of its own in the object store. An upload job has one list, `owner`, which is not shown as an ACL. */
export type ResourceKind = 'namespace' | 'object' | 'version';

export type Mode =
  | 'owner'
  | 'create'
  | 'read'
  | 'update'
  | 'subtree-owner'
  | 'subtree-create'
  | 'subtree-update'
  | 'subtree-read';

/** The lists of each kind of resource, in the order in which they are shown (spec/objectstore.md 4.2). */
export const MODES_OF_KIND: Readonly<Record<ResourceKind, readonly Mode[]>> = {
  namespace: ['owner', 'create', 'read', 'subtree-owner', 'subtree-create', 'subtree-update', 'subtree-read'],
  object: ['owner', 'update', 'read', 'subtree-owner', 'subtree-read'],
  version: ['owner', 'read'],
};

/** Lists by mode; a missing one is the same as an empty one. */
export type ModeLists = Readonly<Partial<Record<Mode, AccessList>>>;

/** Whether a resource of this kind has a list of this mode. */
export function supportsMode(kind: ResourceKind, mode: string): mode is Mode {
  return MODES_OF_KIND[kind].some((known) => known === mode);
}

/** Every mode of the kind, empty ones as `[]`: the body of `GET ;acl` (spec/objectstore.md 8.1). */
export function completeLists(kind: ResourceKind, lists: ModeLists): Readonly<Record<string, AccessList>> {
  return Object.freeze(Object.fromEntries(MODES_OF_KIND[kind].map((mode) => [mode, lists[mode] ?? []])));
}
