import { AclError, pointerStep } from './errors.js';
import { roleFault } from './roles.js';

/** Role names in the order in which they were given. */
export type AccessList = readonly string[];

export const MAX_LIST_MEMBERS = 1000;

export interface ListOptions {
  /** Where in its document the list stands, for the error: a JSON pointer. */
  readonly pointer?: string;
  readonly maxMembers?: number;
}

/**
 * Reads an access list out of parsed JSON: an array of at most 1000 non-empty strings of at most 1024 bytes without
 * control characters (spec/objectstore.md 8.2, spec/identity.md 2). Order and duplicates stay; see {@link dedupe}.
 *
 * @throws AclError `bad_list` with a pointer to the member
 */
export function parseAccessList(json: unknown, options: ListOptions = {}): AccessList {
  const { pointer = '', maxMembers = MAX_LIST_MEMBERS } = options;
  if (!Array.isArray(json)) throw new AclError('bad_list', pointer, 'an access list is an array of strings');
  if (json.length > maxMembers) {
    throw new AclError('bad_list', pointer, `an access list has at most ${maxMembers} members, not ${json.length}`);
  }
  return Object.freeze(json.map((member: unknown, index) => parseMember(member, pointer + pointerStep(index))));
}

/**
 * Reads one member of an access list, as it comes in a body or in a URL.
 * @throws AclError `bad_list`
 */
export function parseMember(member: unknown, pointer = ''): string {
  if (typeof member !== 'string') throw new AclError('bad_list', pointer, 'a member of an access list is a string');
  const fault = roleFault(member);
  if (fault !== null) throw new AclError('bad_list', pointer, `a member of the access list ${fault}`);
  return member;
}

/** The same list with each member once, where it stood first. */
export function dedupe(list: AccessList): AccessList {
  return Object.freeze([...new Set(list)]);
}
