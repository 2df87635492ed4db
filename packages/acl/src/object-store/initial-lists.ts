import { type AccessList, dedupe, parseAccessList } from '../access-list.js';
import { AclError, pointerStep } from '../errors.js';
import { type Mode, type ModeLists, type ResourceKind, supportsMode } from './modes.js';

/**
 * Reads the lists that a request gives for a new namespace or object (header `X-Initial-Acls`, field `acls` of a job).
 * @throws AclError `bad_set`, `unsupported_name`, `bad_list`, `would_orphan`: all of them 400 here
 */
export function parseInitialLists(kind: ResourceKind, json: unknown): ModeLists {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new AclError('bad_set', '', 'initial ACLs are an object of access lists');
  }
  const lists: Partial<Record<Mode, AccessList>> = {};
  for (const [mode, value] of Object.entries(json)) {
    const pointer = pointerStep(mode);
    if (!supportsMode(kind, mode))
      throw new AclError('unsupported_name', pointer, `there is no ACL "${mode}" of the kind of resource: ${kind}`);
    lists[mode] = dedupe(parseAccessList(value, { pointer }));
  }
  if (lists.owner?.length === 0) throw new AclError('would_orphan', '/owner', 'a resource needs an owner');
  return Object.freeze(lists);
}

/** How a resource comes into being (spec/objectstore.md 4.4). */
export type Creation =
  | { readonly kind: 'namespace' | 'object'; readonly parent: ModeLists; readonly given?: ModeLists | undefined }
  | { readonly kind: 'first-version'; readonly object: ModeLists }
  | { readonly kind: 'later-version'; readonly object: ModeLists }
  | { readonly kind: 'job' };

/**
 * The lists of a new resource. What an anonymous client makes belongs to the owners of its parent, so that nothing is
 * without an owner.
 *
 * @param clientId `null` when anonymous
 * @throws AclError `no_owner_known` for an anonymous upload job, which nobody could go on with
 */
export function initialLists(creation: Creation, clientId: string | null): ModeLists {
  switch (creation.kind) {
    case 'namespace':
    case 'object':
      return Object.freeze({ owner: ownerBelow(creation.parent, clientId), ...creation.given });
    case 'first-version':
      return Object.freeze({ owner: creation.object.owner ?? [], read: creation.object.read ?? [] });
    case 'later-version':
      return Object.freeze({ owner: ownerBelow(creation.object, clientId), read: [] });
    case 'job':
      if (clientId === null) throw new AclError('no_owner_known', '', 'an upload job needs a known client');
      return Object.freeze({ owner: [clientId] });
    default:
      return unknownCreation(creation);
  }
}

function ownerBelow(parent: ModeLists, clientId: string | null): AccessList {
  return clientId === null ? (parent.owner ?? []) : [clientId];
}

function unknownCreation(creation: never): never {
  throw new TypeError(`unknown creation ${JSON.stringify(creation)}`);
}
