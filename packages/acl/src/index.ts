export {
  type AccessList,
  dedupe,
  type ListOptions,
  MAX_LIST_MEMBERS,
  parseAccessList,
  parseMember,
} from './access-list.js';
export {
  ACL_NAMES,
  type AclName,
  type ElementKind,
  IMPLIED_BY_NAME,
  isAclName,
  NAMES_GRANTING,
  NAMES_OF_KIND,
  supportsAcl,
  wildcardAllowed,
} from './catalog/acl-names.js';
export {
  type AclSet,
  type CreationContext,
  initialAcls,
  NO_ACLS,
  parseAcl,
  parseAclSet,
  withAcl,
} from './catalog/acl-set.js';
export {
  activeBindings,
  BINDING_TYPES_OF_KIND,
  type Binding,
  type BindingSet,
  type BindingType,
  type BoundKind,
  bindable,
  effectiveColumnBindings,
  inScope,
  typesGrant,
} from './catalog/bindings.js';
export {
  type AclElement,
  type CatalogElement,
  type ColumnElement,
  type ForeignKeyElement,
  type KeyElement,
  REGISTRY_TABLE_VETOES,
  type SchemaElement,
  type SystemColumn,
  type TableElement,
  type TableVetoes,
} from './catalog/elements.js';
export {
  keepsOwnership,
  type Right,
  type RightsEvaluator,
  rightsEvaluator,
  systemColumnInsert,
} from './catalog/rights.js';
export {
  type ColumnRights,
  type ContainerRights,
  columnRights,
  containerRights,
  type ForeignKeyRights,
  foreignKeyRights,
  type RightsOptions,
  type RowBoolean,
  type TableRights,
  tableRights,
} from './catalog/rights-documents.js';
export { DENIAL_STATUS, type Denial, deny } from './denial.js';
export { AclError, type AclErrorCode } from './errors.js';
export { type FirewallList, type FirewallLists, firewallGrants, firewallOf } from './object-store/firewall.js';
export {
  type Grant,
  type ListHolder,
  type ListsByHolder,
  mayDeleteObject,
  OBJECT_STORE_GRANTS,
  type ObjectStoreOperation,
  objectStoreGrants,
  uniteLists,
  visibleJobs,
} from './object-store/grant-table.js';
export { type Creation, initialLists, parseInitialLists } from './object-store/initial-lists.js';
export { changeList, type ListChange, type ListChangeOptions } from './object-store/list-changes.js';
export {
  completeLists,
  MODES_OF_KIND,
  type Mode,
  type ModeLists,
  type ResourceKind,
  supportsMode,
} from './object-store/modes.js';
export {
  ANONYMOUS_ROLES,
  grants,
  isAnonymous,
  isRoleId,
  MAX_ROLE_BYTES,
  ownerListGrants,
  type RoleAttribute,
  type RoleBearer,
  type Roles,
  rolesOf,
  WILDCARD,
} from './roles.js';
