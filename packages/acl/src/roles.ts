import { AclError } from './errors.js';

declare const rolesBrand: unique symbol;

/** Everything a client answers to, `*` included. Made only by {@link rolesOf}; never changed afterwards. */
export type Roles = ReadonlySet<string> & { readonly [rolesBrand]: true };

/** What of a client counts for its rights: ids, never display names or addresses (spec/identity.md 2). */
export interface RoleBearer {
  readonly id: string;
  readonly identities?: readonly string[] | undefined;
}

/** A group or other identity of a client. */
export interface RoleAttribute {
  readonly id: string;
}

export const WILDCARD = '*';

/** Longest role name in bytes of UTF-8 (spec/identity.md 2). */
export const MAX_ROLE_BYTES = 1024;

/** The roles of a client without credentials: `*` alone. */
export const ANONYMOUS_ROLES: Roles = brand(new Set([WILDCARD]));

/**
 * The role set of a client: `*`, its id, its other identities, the ids of its attributes (spec/identity.md 2).
 * The own id is a member even if the identity layer did not list it. Names that no list can hold are left out: they could
 * never match, and one odd group of a provider must not lock its users out.
 *
 * @param client `null` for the anonymous client, whose attributes do not count
 * @throws AclError `bad_role` when the client's own id is unusable: a client called `*` would share all that it owns
 */
export function rolesOf(client: RoleBearer | null, attributes: readonly RoleAttribute[] = []): Roles {
  if (client === null) return ANONYMOUS_ROLES;
  if (!isRoleId(client.id)) throw new AclError('bad_role', '', 'the id of the client cannot be used as a role');
  const others = [...(client.identities ?? []), ...attributes.map((attribute) => attribute.id)];
  return brand(new Set([WILDCARD, client.id, ...others.filter(isRoleId)]));
}

/** Whether these are the roles of nobody in particular. Every known client has at least its id beside `*`. */
export function isAnonymous(roles: Roles): boolean {
  return roles.size === 1;
}

/** Whether a list lets a client in: they share a member. Exact, case-sensitive (spec/identity.md 2). */
export function grants(list: readonly string[], roles: Roles): boolean {
  return list.some((member) => roles.has(member));
}

/**
 * Whether an owner list of a registry entry (catalog or alias) lets a client in. There `*` is no legal member and
 * must not help if it got in (spec/catalog-model.md 3.1).
 */
export function ownerListGrants(list: readonly string[], roles: Roles): boolean {
  return list.some((member) => member !== WILDCARD && roles.has(member));
}

/** Whether a name can be the id of a client or group: what a list may hold, but not `*` (spec/identity.md 2). */
export function isRoleId(name: string): boolean {
  return name !== WILDCARD && roleFault(name) === null;
}

/** Why a list cannot hold this name, as the end of a sentence that starts with the name; null if it can. */
export function roleFault(name: string): string | null {
  if (name === '') return 'is empty';
  // a lone surrogate has no UTF-8 form: it can neither be stored nor sent
  if (/\p{Surrogate}/u.test(name)) return 'is not well-formed Unicode';
  if (/\p{Cc}/u.test(name)) return 'holds a control character';
  if (Buffer.byteLength(name) > MAX_ROLE_BYTES) return `is longer than ${MAX_ROLE_BYTES} bytes`;
  return null;
}

function brand(names: ReadonlySet<string>): Roles {
  return names as Roles;
}
