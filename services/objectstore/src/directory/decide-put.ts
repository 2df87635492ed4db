import { objectStoreGrants } from '@holdfast/acl';
import { AppError } from '@holdfast/http-kit';
import { authorize, type Caller, refused } from '../authorize/rights.js';
import { type CanonicalPath, pathsAbove, ROOT } from '../naming/canonical-path.js';
import { noSuchName } from './find-place.js';
import { listsAt, listsToCreateIn } from './lists-at.js';
import type { NameRecord, Place } from './records.js';

/** What a PUT of a name asks for. */
export interface PutIntent {
  /** What it makes when the path is undefined (seed, rule 3 of PUT). */
  readonly kind: 'namespace' | 'object';
  readonly parents: boolean;
  /** The right that an existing object asks for: a rename needs more than an update (spec/objectstore.md 4.3). */
  readonly onObject: 'add-version' | 'create-job' | 'rename-onto';
  /** Whether a deleted name may be revived (12.4). */
  readonly revive: boolean;
}

/**
 * What a PUT means in the present state. `taken`: allowed so far, but a namespace or a deleted name is in the way; preconditions
 * are answered before that conflict (spec/objectstore.md 3.1).
 */
export type PutDecision =
  | {
      readonly kind: 'create';
      readonly make: 'namespace' | 'object';
      /** The nearest namespace that exists. */
      readonly parent: NameRecord;
      /** Namespaces to make on the way, from the top. */
      readonly missing: readonly CanonicalPath[];
    }
  | { readonly kind: 'update'; readonly object: NameRecord }
  /** The deleted name comes back with its lists. */
  | { readonly kind: 'revive'; readonly deleted: NameRecord }
  | { readonly kind: 'taken'; readonly by: NameRecord; readonly conflict: AppError };

/**
 * The decision table of spec/objectstore.md 5.2, from the top; resolving and rights, before any precondition.
 * @throws {AppError} `parent_not_namespace`, `name_deleted`, `not_found`, `auth_required`, `forbidden`
 */
export function decidePut(place: Place, intent: PutIntent, caller: Caller): PutDecision {
  const { target, path } = place;
  if (target !== null && path === ROOT) {
    // the lists of the root are all there is: this asks its owner list
    authorize('change-namespace-acl', listsAt(place), caller);
    return { kind: 'taken', by: target, conflict: nameInUse() };
  }
  const parent = nearestParent(place);
  if (target !== null && !target.deleted) return decideOnDefined(place, target, parent, intent, caller);
  const defined = new Set<string>(place.above.filter((name) => !name.deleted).map((name) => name.path));
  const missing = pathsAbove(path).filter((above) => !defined.has(above));
  if (missing.length > 0) {
    if (!intent.parents)
      throw new AppError('not_found', 'The parent namespace does not exist; ask for parents=true to make it.');
    if (place.above.some((name) => name.deleted)) throw nameDeleted();
  }
  authorize('create-child', listsToCreateIn(parent, place), caller);
  if (target !== null && mayRevive(place, target, intent, caller)) return { kind: 'revive', deleted: target };
  if (target !== null) return { kind: 'taken', by: target, conflict: nameDeleted() };
  return { kind: 'create', make: intent.kind, parent, missing };
}

/** Only as what it was, and only for who owned it or a tree it is in (12.4). */
function mayRevive(place: Place, deleted: NameRecord, intent: PutIntent, caller: Caller): boolean {
  return (
    intent.revive &&
    intent.kind === deleted.kind &&
    objectStoreGrants(`delete-${deleted.kind}`, listsAt(place), caller.roles)
  );
}

function decideOnDefined(
  place: Place,
  target: NameRecord,
  parent: NameRecord,
  intent: PutIntent,
  caller: Caller,
): PutDecision {
  if (target.kind === 'object') {
    authorize(intent.onObject, listsAt(place), caller);
    return { kind: 'update', object: target };
  }
  const mayKnow =
    objectStoreGrants('change-namespace-acl', listsAt(place), caller.roles) ||
    objectStoreGrants('create-child', listsToCreateIn(parent, place), caller.roles);
  if (!mayKnow) throw refused(caller);
  return { kind: 'taken', by: target, conflict: nameInUse() };
}

function nearestParent(place: Place): NameRecord {
  const nearest = place.above.filter((name) => !name.deleted).at(-1);
  if (nearest === undefined) throw noSuchName();
  if (nearest.kind === 'object')
    throw new AppError('parent_not_namespace', 'A name above this one is an object; only namespaces have children.');
  return nearest;
}

function nameInUse(): AppError {
  return new AppError('name_in_use', 'The name is a namespace already.');
}

function nameDeleted(): AppError {
  return new AppError('name_deleted', 'The name was deleted and cannot be used again; choose another.');
}
