import { type AccessList, type ListOptions, parseAccessList } from '../access-list.js';
import { AclError, pointerStep } from '../errors.js';
import { WILDCARD } from '../roles.js';
import { type AclName, type ElementKind, NAMES_OF_KIND, supportsAcl, wildcardAllowed } from './acl-names.js';

/** The lists configured on one element. A missing name is unset and inherits; `[]` grants to nobody and does not. */
export type AclSet = Readonly<Partial<Record<AclName, AccessList>>>;

export const NO_ACLS: AclSet = Object.freeze({});

/**
 * Reads the list that is to stand under a name. `null` unsets; on a catalog, where nothing can be unset, it becomes `[]`
 * (spec/catalog-access.md 2.2).
 *
 * @returns `undefined` for unset
 * @throws AclError `unsupported_name`, `bad_list`, `wildcard_not_allowed`
 */
export function parseAcl(
  kind: ElementKind,
  name: string,
  json: unknown,
  options: ListOptions = {},
): AccessList | undefined {
  const pointer = options.pointer ?? '';
  if (!supportsAcl(kind, name)) {
    throw new AclError('unsupported_name', pointer, `a ${kind.replace('_', ' ')} has no ACL named "${name}"`);
  }
  if (json === null) return kind === 'catalog' ? [] : undefined;
  const list = parseAccessList(json, { ...options, pointer });
  const wildcard = list.indexOf(WILDCARD);
  if (wildcard >= 0 && !wildcardAllowed(kind, name)) {
    throw new AclError('wildcard_not_allowed', pointer + pointerStep(wildcard), `the ACL "${name}" may not hold "*"`);
  }
  return list;
}

/**
 * Reads a whole set of lists out of parsed JSON. On a catalog every name is set afterwards, with `[]` where the
 * document has nothing.
 *
 * @throws AclError `bad_set`, `unsupported_name`, `bad_list`, `wildcard_not_allowed`, with a pointer to the culprit
 */
export function parseAclSet(kind: ElementKind, json: unknown, options: ListOptions = {}): AclSet {
  const pointer = options.pointer ?? '';
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new AclError('bad_set', pointer, 'ACLs are an object of access lists');
  }
  const set: Partial<Record<AclName, AccessList>> = kind === 'catalog' ? emptyCatalogAcls() : {};
  for (const [name, value] of Object.entries(json)) {
    const list = parseAcl(kind, name, value, { ...options, pointer: pointer + pointerStep(name) });
    if (list !== undefined && supportsAcl(kind, name)) set[name] = list;
  }
  return Object.freeze(set);
}

/** The set with one list replaced, or taken away (`undefined`); a catalog keeps an empty list in its place. */
export function withAcl(kind: ElementKind, set: AclSet, name: AclName, list: AccessList | undefined): AclSet {
  const next: Partial<Record<AclName, AccessList>> = { ...set };
  delete next[name];
  if (list !== undefined) next[name] = list;
  else if (kind === 'catalog') next[name] = [];
  return Object.freeze(next);
}

export interface CreationContext {
  /** Id of the client that creates the element; anonymous clients create nothing in a catalog. */
  readonly clientId: string;
  /** Whether the client owns the new element already by inheritance. */
  readonly ownsParent: boolean;
  /** The `acls` of the request, as {@link parseAclSet} read them. For a catalog: `{owner}` or nothing. */
  readonly input?: AclSet | undefined;
}

/**
 * The lists of a new element (spec/catalog-access.md 2.6). The caller still has to refuse lists that leave the creator without
 * ownership (2.7, `keepsOwnership`).
 */
export function initialAcls(kind: ElementKind, context: CreationContext): AclSet {
  const input = context.input ?? NO_ACLS;
  switch (kind) {
    case 'catalog':
      return Object.freeze({ ...emptyCatalogAcls(), owner: input.owner ?? [context.clientId] });
    case 'schema':
    case 'table':
      return Object.freeze(context.ownsParent ? { ...input } : { owner: [context.clientId], ...input });
    case 'column':
      return input;
    case 'foreign_key':
      return Object.freeze({ insert: [WILDCARD], update: [WILDCARD], ...input });
    case 'key':
      return NO_ACLS;
    default:
      return unknownKind(kind);
  }
}

function emptyCatalogAcls(): Partial<Record<AclName, AccessList>> {
  return Object.fromEntries(NAMES_OF_KIND.catalog.map((name) => [name, []]));
}

function unknownKind(kind: never): never {
  throw new TypeError(`unknown element kind ${String(kind)}`);
}
