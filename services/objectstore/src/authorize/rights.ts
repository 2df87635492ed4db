import {
  type FirewallList,
  type FirewallLists,
  grants,
  type ListsByHolder,
  type ObjectStoreOperation,
  objectStoreGrants,
  type Roles,
} from '@holdfast/acl';
import { type AppError, denied } from '@holdfast/http-kit';

/** Who asks: what the identity layer says, and nothing else, decides about rights. */
export interface Caller {
  /** Null when anonymous. */
  readonly id: string | null;
  readonly roles: Roles;
}

/**
 * Asks the service-wide list in front of a kind of change (spec/objectstore.md 4.5).
 * @throws {AppError} `auth_required` or `forbidden`
 */
export function passFirewall(list: FirewallList, lists: FirewallLists, caller: Caller): void {
  if (!grants(lists[list], caller.roles))
    throw denied(caller.id === null, `This service does not let you do that (list "${list}" of its configuration).`);
}

/**
 * Asks the lists of a resource and of what is above it (spec/objectstore.md 4.3).
 * @throws {AppError} `auth_required` or `forbidden`
 */
export function authorize(operation: ObjectStoreOperation, lists: ListsByHolder, caller: Caller): void {
  if (!objectStoreGrants(operation, lists, caller.roles)) throw refused(caller);
}

/** The refusal for want of a right: 401 when anonymous, 403 otherwise. */
export function refused(caller: Caller): AppError {
  return denied(
    caller.id === null,
    'No access list of this resource or of a namespace above it gives you this right; ask one of its owners.',
  );
}
