import { grants, type Roles } from '../roles.js';
import type { AclName } from './acl-names.js';

/** What a dynamic binding can give (spec/catalog-access.md 7.1). */
export type BindingType = 'owner' | 'select' | 'insert' | 'update' | 'delete';

/** The part of a binding that decides whether it is looked at. Its projection is the catalog's business. */
export interface Binding {
  readonly types: readonly BindingType[];
  readonly scopeAcl: readonly string[];
}

/** The bindings configured on one element, by name; `false` suppresses an inherited one of the same name. */
export type BindingSet<B extends Binding = Binding> = Readonly<Record<string, B | false>>;

export type BoundKind = 'table' | 'column' | 'foreign_key';

/** The types that a binding on each kind of element may name (spec/catalog-access.md 7.1). */
export const BINDING_TYPES_OF_KIND: Readonly<Record<BoundKind, readonly BindingType[]>> = {
  table: ['owner', 'select', 'update', 'delete'],
  column: ['owner', 'select', 'update', 'delete'],
  foreign_key: ['owner', 'insert', 'update'],
};

/**
 * Whether a binding on this kind of element can give this access to some rows. Model ownership, seeing an element, creating
 * and inserting rows are never a matter of rows (spec/catalog-access.md 3.2, 6, L1 in 2.7).
 */
export function bindable(kind: BoundKind, access: AclName): access is Exclude<BindingType, 'owner'> {
  switch (kind) {
    case 'table':
    case 'column':
      return access === 'select' || access === 'update' || access === 'delete';
    case 'foreign_key':
      return access === 'insert' || access === 'update';
    default:
      return unknownKind(kind);
  }
}

/** Whether a binding of these types gives this access: by name, by `owner`, or, to read, by `update` or `delete`. */
export function typesGrant(kind: BoundKind, types: readonly BindingType[], access: AclName): boolean {
  if (!bindable(kind, access)) return false;
  return types.some((type) => {
    if (type === 'owner' || type === access) return true;
    return access === 'select' && (type === 'update' || type === 'delete');
  });
}

/**
 * Whether a binding exists for a client and an access (spec/catalog-access.md 8.1). One out of scope must be treated as
 * if it were not configured.
 */
export function inScope(kind: BoundKind, binding: Binding, access: AclName, roles: Roles): boolean {
  return typesGrant(kind, binding.types, access) && grants(binding.scopeAcl, roles);
}

/**
 * The bindings that count for a column: the table's, replaced by name by the column's, without those switched off
 * (spec/catalog-access.md 8.3).
 */
export function effectiveColumnBindings<B extends Binding>(
  table: BindingSet<B>,
  column: BindingSet<B>,
): ReadonlyMap<string, B> {
  return activeBindings({ ...table, ...column });
}

/** The bindings of one element that are not switched off, by name. */
export function activeBindings<B extends Binding>(own: BindingSet<B>): ReadonlyMap<string, B> {
  const active = new Map<string, B>();
  for (const [name, binding] of Object.entries(own)) if (binding !== false) active.set(name, binding);
  return active;
}

function unknownKind(kind: never): never {
  throw new TypeError(`unknown element kind ${String(kind)}`);
}
