import { grants, type Roles } from '../roles.js';
import type { ObjectStoreOperation } from './grant-table.js';

/** Service-wide lists, asked before the lists of any resource and in addition to them (spec/objectstore.md 4.5). */
export type FirewallList = 'create' | 'delete' | 'manage_acls' | 'manage_metadata';

export type FirewallLists = Readonly<Record<FirewallList, readonly string[]>>;

const GUARDED: Readonly<Partial<Record<ObjectStoreOperation, FirewallList>>> = {
  'create-child': 'create',
  'add-version': 'create',
  'rename-from': 'create',
  'rename-onto': 'create',
  'create-job': 'create',
  'finalize-job': 'create',
  'delete-namespace': 'delete',
  'delete-root': 'delete',
  'delete-object': 'delete',
  'delete-version': 'delete',
  'change-namespace-acl': 'manage_acls',
  'change-object-acl': 'manage_acls',
  'change-version-acl': 'manage_acls',
  'change-metadata': 'manage_metadata',
};

/** The firewall list in front of an operation; null for reading, sending chunks and cancelling jobs. */
export function firewallOf(operation: ObjectStoreOperation): FirewallList | null {
  return GUARDED[operation] ?? null;
}

/** Whether the firewall lets the client through to the lists of the resource. */
export function firewallGrants(operation: ObjectStoreOperation, lists: FirewallLists, roles: Roles): boolean {
  const list = firewallOf(operation);
  return list === null || grants(lists[list], roles);
}
