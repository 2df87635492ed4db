import { grants, isAnonymous, type Roles } from '../roles.js';
import { type AclName, NAMES_GRANTING } from './acl-names.js';
import { activeBindings, bindable, effectiveColumnBindings, inScope } from './bindings.js';
import type {
  AclElement,
  CatalogElement,
  ColumnElement,
  ForeignKeyElement,
  KeyElement,
  TableElement,
} from './elements.js';

/**
 * The answer to "may the client do this here". `row`: for some rows perhaps, which the bindings decide.
 * Deliberately no boolean: whoever asks must say what it does with `row` (spec/catalog-access.md 2.7, L1).
 */
export type Right = 'true' | 'false' | 'row';

export interface RightsEvaluator {
  readonly roles: Roles;
  /** `right(E, a)` of spec/catalog-access.md 2.4. */
  right(element: AclElement, access: AclName): Right;
  /** Right without regard to rows. The only question to ask before anything is done to the model. */
  always(element: AclElement, access: AclName): boolean;
  /** Right to all rows or to some; the rows are then to be filtered or checked. */
  somehow(element: AclElement, access: AclName): boolean;
}

/**
 * The decision function for one client. It remembers each answer by element object, so keep it for as long as the
 * model objects are the same; the memory goes with the objects.
 */
export function rightsEvaluator(roles: Roles): RightsEvaluator {
  const memory = new WeakMap<AclElement, Map<AclName, Right>>();

  function right(element: AclElement, access: AclName): Right {
    let known = memory.get(element);
    if (known === undefined) {
      known = new Map();
      memory.set(element, known);
    }
    const before = known.get(access);
    if (before !== undefined) return before;
    const decision = decide({ roles, anonymous: isAnonymous(roles), right }, element, access);
    known.set(access, decision);
    return decision;
  }

  return {
    roles,
    right,
    always: (element, access) => right(element, access) === 'true',
    somehow: (element, access) => right(element, access) !== 'false',
  };
}

interface Question {
  readonly roles: Roles;
  readonly anonymous: boolean;
  readonly right: (element: AclElement, access: AclName) => Right;
}

function decide(q: Question, element: AclElement, access: AclName): Right {
  switch (element.kind) {
    case 'catalog':
    case 'schema':
      return byLists(q, element, access);
    case 'table':
      return tableVetoed(q, element, access) ? 'false' : byLists(q, element, access);
    case 'column':
      return columnRight(q, element, access);
    case 'foreign_key':
      return foreignKeyRight(q, element, access);
    case 'key':
      return keyRight(q, element, access);
    default:
      return unknownElement(element);
  }
}

/** Steps 2 to 7 of spec/catalog-access.md 2.4, which are the same for every kind. */
function byLists(q: Question, element: Exclude<AclElement, KeyElement>, access: AclName): Right {
  const reading = access === 'enumerate' || access === 'select';
  if (q.anonymous && !reading && element.kind !== 'foreign_key') return 'false';

  for (const name of NAMES_GRANTING[access]) {
    const list = element.acls[name];
    if (list !== undefined && grants(list, q.roles)) return 'true';
  }
  if (element.kind !== 'catalog') {
    if (q.right(element.parent, 'owner') === 'true') return 'true';
    if (element.acls[access] === undefined && q.right(element.parent, access) === 'true') return 'true';
  }
  return rowDependent(q, element, access) ? 'row' : 'false';
}

/** Step 6: a binding in scope gives the access to rows. Anonymous clients get rows to read only (8.4, point 12). */
function rowDependent(q: Question, element: Exclude<AclElement, KeyElement>, access: AclName): boolean {
  if (element.kind === 'catalog' || element.kind === 'schema' || !bindable(element.kind, access)) return false;
  if (q.anonymous && access !== 'select') return false;
  const { kind } = element;
  // 8.4, point 10: bindings of the referencing table say nothing about its foreign keys
  const bindings =
    kind === 'column'
      ? effectiveColumnBindings(element.parent.bindings, element.bindings)
      : activeBindings(element.bindings);
  for (const binding of bindings.values()) if (inScope(kind, binding, access, q.roles)) return true;
  return false;
}

function tableVetoed(q: Question, table: TableElement, access: AclName): boolean {
  if (table.vetoes === 'everything' || table.vetoes?.includes(access)) return true;
  return q.right(table.parent, 'enumerate') === 'false';
}

/** A column can restrict what its table allows, never widen it. */
function columnRight(q: Question, column: ColumnElement, access: AclName): Right {
  const ofTable = q.right(column.parent, access);
  if (ofTable === 'false') return 'false';
  const reading = access === 'enumerate' || access === 'select';
  const changing = access === 'update' || access === 'write';
  switch (column.system) {
    case 'RID':
      if (reading) return ofTable;
      // inserting one is for holders of a lease: see systemColumnInsert
      return changing ? 'false' : byLists(q, column, access);
    case 'RCT':
      if (reading) return ofTable;
      if (changing || (access === 'insert' && !ownsCatalog(q, column))) return 'false';
      return byLists(q, column, access);
    case 'RCB':
      if (changing || (access === 'insert' && !ownsCatalog(q, column))) return 'false';
      return byLists(q, column, access);
    case 'RMT':
      if (reading) return ofTable;
      return changing || access === 'insert' ? 'false' : byLists(q, column, access);
    case 'RMB':
      return changing || access === 'insert' ? 'false' : byLists(q, column, access);
    case null:
    case undefined:
      return byLists(q, column, access);
    default:
      return unknownElement(column.system);
  }
}

/** Open where nothing is configured; visible only with both of its ends. */
function foreignKeyRight(q: Question, foreignKey: ForeignKeyElement, access: AclName): Right {
  if ((access === 'insert' || access === 'update') && foreignKey.acls[access] === undefined) return 'true';
  if (access === 'enumerate') {
    const endsVisible =
      q.right(foreignKey.references, 'enumerate') === 'true' && foreignKey.columns.every((c) => usable(q, c));
    if (!endsVisible) return 'false';
  }
  return byLists(q, foreignKey, access);
}

/** A key has no lists: it is seen with its columns and belongs to the owner of its table. */
function keyRight(q: Question, key: KeyElement, access: AclName): Right {
  if (access === 'owner') return q.right(key.parent, 'owner');
  if (access !== 'enumerate') return 'false';
  return key.columns.every((column) => usable(q, column)) ? 'true' : 'false';
}

function usable(q: Question, column: ColumnElement): boolean {
  return q.right(column, 'enumerate') === 'true' && q.right(column, 'select') !== 'false';
}

function ownsCatalog(q: Question, column: ColumnElement): boolean {
  const catalog: CatalogElement = column.parent.parent.parent;
  return q.right(catalog, 'owner') === 'true';
}

/**
 * How a client may supply a system column when it inserts rows: freely (catalog owners), for rows whose RID it has
 * leased, or not at all (spec/catalog-access.md 2.4, spec/catalog-data.md 6.1). The right to insert into the table
 * and the column comes on top.
 */
export function systemColumnInsert(evaluator: RightsEvaluator, column: ColumnElement): 'free' | 'leased' | 'never' {
  const owner = evaluator.always(column.parent.parent.parent, 'owner');
  switch (column.system) {
    case 'RID':
      return owner ? 'free' : 'leased';
    case 'RCT':
    case 'RCB':
      return owner ? 'free' : 'never';
    case 'RMT':
    case 'RMB':
      return 'never';
    case null:
    case undefined:
      return 'free';
    default:
      return unknownElement(column.system);
  }
}

/**
 * Whether the client would still own an element after a change: ask with the element as it would be
 * (`{...element, acls: next}`). A change that answers false is refused (spec/catalog-access.md 2.7).
 */
export function keepsOwnership(evaluator: RightsEvaluator, changed: AclElement): boolean {
  return evaluator.always(changed, 'owner');
}

function unknownElement(element: never): never {
  throw new TypeError(`unknown element ${JSON.stringify(element)}`);
}
