/** The kinds of catalog element that the rights speak of. */
export type ElementKind = 'catalog' | 'schema' | 'table' | 'column' | 'foreign_key' | 'key';

/** Name of a static ACL and, at the same time, of the access that it grants (spec/catalog-access.md 2.1). */
export type AclName = 'owner' | 'create' | 'enumerate' | 'select' | 'insert' | 'update' | 'delete' | 'write';

export const ACL_NAMES: readonly AclName[] = [
  'owner',
  'create',
  'enumerate',
  'select',
  'insert',
  'update',
  'delete',
  'write',
];

/** The lists that each kind of element can have (spec/catalog-access.md 2.1). */
export const NAMES_OF_KIND: Readonly<Record<ElementKind, readonly AclName[]>> = {
  catalog: ACL_NAMES,
  schema: ACL_NAMES,
  table: ACL_NAMES.filter((name) => name !== 'create'),
  column: ['enumerate', 'select', 'insert', 'update', 'write'],
  foreign_key: ['enumerate', 'insert', 'update', 'write'],
  key: [],
};

/** What a list grants on its own element beyond its name (spec/catalog-access.md 2.3). */
export const IMPLIED_BY_NAME: Readonly<Record<AclName, readonly AclName[]>> = {
  owner: ['create', 'write', 'insert', 'update', 'delete', 'select', 'enumerate'],
  write: ['insert', 'update', 'delete', 'select', 'enumerate'],
  update: ['select', 'enumerate'],
  delete: ['select', 'enumerate'],
  insert: ['enumerate'],
  select: ['enumerate'],
  create: ['enumerate'],
  enumerate: [],
};

/** The same table read the other way: the lists under which a client must stand to have an access. */
export const NAMES_GRANTING: Readonly<Record<AclName, readonly AclName[]>> = {
  owner: namesGranting('owner'),
  create: namesGranting('create'),
  enumerate: namesGranting('enumerate'),
  select: namesGranting('select'),
  insert: namesGranting('insert'),
  update: namesGranting('update'),
  delete: namesGranting('delete'),
  write: namesGranting('write'),
};

export function isAclName(name: string): name is AclName {
  return ACL_NAMES.some((known) => known === name);
}

/** Whether an element of this kind can have a list of this name. */
export function supportsAcl(kind: ElementKind, name: string): name is AclName {
  return NAMES_OF_KIND[kind].some((known) => known === name);
}

/**
 * Whether a list may hold `*`: only those that let one see or read, but any on a foreign key, because a list there
 * restricts what the rights on the table already allow (spec/catalog-access.md 2.5).
 */
export function wildcardAllowed(kind: ElementKind, name: AclName): boolean {
  return kind === 'foreign_key' || name === 'enumerate' || name === 'select';
}

function namesGranting(access: AclName): readonly AclName[] {
  return ACL_NAMES.filter((name) => name === access || IMPLIED_BY_NAME[name].includes(access));
}
