import { grants, type Roles } from '../roles.js';
import type { Mode, ModeLists } from './modes.js';

/**
 * Whose list it is. `ancestors` is the union over all namespaces strictly above the addressed resource, the root
 * included; for an object or version these are the namespaces above the object.
 */
export type ListHolder = 'namespace' | 'object' | 'version' | 'job' | 'ancestors';

export interface Grant {
  readonly on: ListHolder;
  readonly mode: Mode;
}

/**
 * One row of spec/objectstore.md 4.3 each; any of the lists lets the client in. What a row asks for beyond lists:
 *
 * - `create-child`: `namespace` is the parent P, `ancestors` are those of P. Also for a rename to a name not yet defined
 *   and for an upload job on one.
 * - `delete-object`: `delete-version` is needed for every defined version too, see `mayDeleteObject`.
 * - `finalize-job`: `add-version` (or `create-child`) must still hold as well.
 * - `list-own-jobs`: the client gets the jobs that it owns, see `visibleJobs`.
 * - `delete-root`: nobody.
 */
const TABLE = {
  'list-namespace': rows('namespace.owner', 'namespace.read', 'ancestors.subtree-owner', 'ancestors.subtree-read'),
  'create-child': rows(
    'namespace.owner',
    'namespace.create',
    'namespace.subtree-create',
    'ancestors.subtree-owner',
    'ancestors.subtree-create',
  ),
  'delete-namespace': rows('namespace.owner', 'ancestors.subtree-owner'),
  'delete-root': rows(),
  'read-namespace-acl': rows('namespace.owner', 'ancestors.subtree-owner'),
  'change-namespace-acl': rows('namespace.owner', 'ancestors.subtree-owner'),
  'add-version': rows('object.owner', 'object.update', 'ancestors.subtree-owner', 'ancestors.subtree-update'),
  'create-job': rows('object.owner', 'object.update', 'ancestors.subtree-owner', 'ancestors.subtree-update'),
  'list-versions': rows('object.owner', 'object.read', 'ancestors.subtree-owner', 'ancestors.subtree-read'),
  'read-version': rows(
    'version.owner',
    'version.read',
    'object.subtree-owner',
    'object.subtree-read',
    'ancestors.subtree-owner',
    'ancestors.subtree-read',
  ),
  'change-metadata': rows('version.owner', 'object.subtree-owner', 'ancestors.subtree-owner'),
  'delete-version': rows('version.owner', 'object.subtree-owner', 'ancestors.subtree-owner'),
  'read-version-acl': rows('version.owner', 'object.subtree-owner', 'ancestors.subtree-owner'),
  'change-version-acl': rows('version.owner', 'object.subtree-owner', 'ancestors.subtree-owner'),
  'read-object-acl': rows('object.owner', 'ancestors.subtree-owner'),
  'change-object-acl': rows('object.owner', 'ancestors.subtree-owner'),
  'delete-object': rows('object.owner', 'ancestors.subtree-owner'),
  'rename-from': rows('object.owner', 'ancestors.subtree-owner'),
  'rename-onto': rows('object.owner', 'ancestors.subtree-owner'),
  'list-all-jobs': rows('object.owner', 'ancestors.subtree-owner'),
  'list-own-jobs': rows('object.update', 'ancestors.subtree-update'),
  'read-job': rows('job.owner', 'object.owner', 'ancestors.subtree-owner'),
  'send-chunk': rows('job.owner'),
  'finalize-job': rows('job.owner'),
  'cancel-job': rows('job.owner', 'object.owner', 'ancestors.subtree-owner'),
} as const satisfies Readonly<Record<string, readonly Grant[]>>;

export type ObjectStoreOperation = keyof typeof TABLE;

export const OBJECT_STORE_GRANTS: Readonly<Record<ObjectStoreOperation, readonly Grant[]>> = TABLE;

/** The lists of what an operation addresses; what the operation does not look at may be left out. */
export type ListsByHolder = Readonly<Partial<Record<ListHolder, ModeLists>>>;

/**
 * Whether the client's roles allow an operation.
 * @param lists own lists of the resources and, as `ancestors`, the union of the subtree lists above them
 */
export function objectStoreGrants(operation: ObjectStoreOperation, lists: ListsByHolder, roles: Roles): boolean {
  return OBJECT_STORE_GRANTS[operation].some(({ on, mode }) => grants(lists[on]?.[mode] ?? [], roles));
}

/**
 * Whether an object may be deleted: the object itself and each version that is still there.
 * @param versions the lists of every defined version
 */
export function mayDeleteObject(lists: ListsByHolder, versions: readonly ModeLists[], roles: Roles): boolean {
  if (!objectStoreGrants('delete-object', lists, roles)) return false;
  return versions.every((version) => objectStoreGrants('delete-version', { ...lists, version }, roles));
}

/** Which upload jobs of an object the client is shown: all, those that it owns, or none (then it is refused). */
export function visibleJobs(lists: ListsByHolder, roles: Roles): 'all' | 'own' | 'none' {
  if (objectStoreGrants('list-all-jobs', lists, roles)) return 'all';
  return objectStoreGrants('list-own-jobs', lists, roles) ? 'own' : 'none';
}

/** The union of the lists of several namespaces, mode by mode: what `ancestors` wants, nearest or root first alike. */
export function uniteLists(sets: readonly ModeLists[]): ModeLists {
  const union: Partial<Record<Mode, string[]>> = {};
  for (const set of sets) {
    for (const grant of SUBTREE_MODES) {
      const list = set[grant];
      if (list !== undefined && list.length > 0) union[grant] = [...new Set([...(union[grant] ?? []), ...list])];
    }
  }
  return Object.freeze(union);
}

/** Only these reach below the namespace that has them. */
const SUBTREE_MODES: readonly Mode[] = ['subtree-owner', 'subtree-create', 'subtree-update', 'subtree-read'];

type GrantText = `${ListHolder}.${Mode}`;

function rows(...texts: readonly GrantText[]): readonly Grant[] {
  return Object.freeze(texts.map(parseGrant));
}

function parseGrant(text: GrantText): Grant {
  const dot = text.indexOf('.');
  // the template type has checked both halves
  return Object.freeze({ on: text.slice(0, dot) as ListHolder, mode: text.slice(dot + 1) as Mode });
}
