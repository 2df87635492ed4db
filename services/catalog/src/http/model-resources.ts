import { aclBindingMethods, aclBindingsMethods } from './acl-binding-resources.js';
import { aclMethods, aclsMethods } from './acl-resources.js';
import { annotationMethods, annotationsMethods } from './annotation-resources.js';
import type { CatalogHandler } from './catalog-request.js';
import { columnMethods, columnsMethods } from './column-resources.js';
import { commentMethods } from './comment-resource.js';
import { foreignKeyMethods, foreignKeysMethods } from './foreign-key-resources.js';
import { keyMethods, keysMethods } from './key-resources.js';
import type { Methods } from './methods.js';
import type { ModelTarget } from './model-target.js';
import { schemaMethods, schemasMethods } from './schema-resources.js';
import { tableMethods, tablesMethods } from './table-resources.js';

/** What a model resource does for each method (spec/catalog-model.md 1.3). */
export function modelResource(target: ModelTarget): Methods<CatalogHandler> {
  switch (target.kind) {
    case 'schemas':
      return schemasMethods;
    case 'schema':
      return schemaMethods(target);
    case 'tables':
      return tablesMethods(target);
    case 'table':
      return tableMethods(target);
    case 'columns':
      return columnsMethods(target);
    case 'column':
      return columnMethods(target);
    case 'keys':
      return keysMethods(target);
    case 'key':
      return keyMethods(target);
    case 'foreign_keys':
      return foreignKeysMethods(target);
    case 'foreign_key':
      return foreignKeyMethods(target);
    case 'comment':
      return commentMethods(target);
    case 'annotations':
      return annotationsMethods(target);
    case 'annotation':
      return annotationMethods(target);
    case 'acls':
      return aclsMethods(target);
    case 'acl':
      return aclMethods(target);
    case 'acl_bindings':
      return aclBindingsMethods(target);
    case 'acl_binding':
      return aclBindingMethods(target);
    default:
      return target satisfies never;
  }
}
