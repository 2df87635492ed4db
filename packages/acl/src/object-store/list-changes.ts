import { type AccessList, dedupe, MAX_LIST_MEMBERS, parseMember } from '../access-list.js';
import { AclError } from '../errors.js';
import type { Mode } from './modes.js';

/** A change of one list (spec/objectstore.md 8.2). */
export type ListChange =
  | { readonly kind: 'replace'; readonly list: AccessList }
  | { readonly kind: 'clear' }
  | { readonly kind: 'add'; readonly entry: string }
  | { readonly kind: 'remove'; readonly entry: string };

export interface ListChangeOptions {
  /** Compatibility switch `allowOrphan`: an `owner` list may become empty. */
  readonly allowOrphan?: boolean;
}

/**
 * The list after a change; each member once, the first occurrence kept. Adding what is there changes nothing.
 * @throws AclError `bad_list` (unusable or one too many), `not_in_list`, `would_orphan` (an empty `owner` list)
 */
export function changeList(
  mode: Mode,
  before: AccessList,
  change: ListChange,
  options: ListChangeOptions = {},
): AccessList {
  const after = apply(before, change);
  if (mode === 'owner' && after.length === 0 && !options.allowOrphan) {
    throw new AclError('would_orphan', '', 'the owner list may not become empty: name another owner first');
  }
  return after;
}

function apply(before: AccessList, change: ListChange): AccessList {
  switch (change.kind) {
    case 'replace':
      return dedupe(change.list);
    case 'clear':
      return [];
    case 'add': {
      const after = dedupe([...before, parseMember(change.entry)]);
      if (after.length > MAX_LIST_MEMBERS && after.length > before.length) {
        throw new AclError('bad_list', '', `an access list has at most ${MAX_LIST_MEMBERS} members`);
      }
      return after;
    }
    case 'remove':
      if (!before.includes(change.entry)) throw new AclError('not_in_list', '', 'the entry is not in the list');
      return Object.freeze(before.filter((member) => member !== change.entry));
    default:
      return unknownChange(change);
  }
}

function unknownChange(change: never): never {
  throw new TypeError(`unknown change ${JSON.stringify(change)}`);
}
