import type { Path } from '@holdfast/path-grammar';
import { PathScope } from './path-scope.js';
import { resolveCondition } from './resolve-condition.js';
import { resolveLink } from './resolve-link.js';
import type { Join, ResolvedCondition, ResolvedPath } from './resolved.js';
import type { VisibleModel } from './visible-model.js';

/** Walks a path from left to right: each element sees what the ones before it bound (spec/catalog-data.md 2). */
export function resolvePath(
  path: Path,
  visible: VisibleModel,
): { readonly path: ResolvedPath; readonly scope: PathScope } {
  const scope = new PathScope(visible, visible.table(path.root.name), path.root.alias?.text ?? null);
  const root = scope.context;
  const joins: Join[] = [];
  const conditions: ResolvedCondition[] = [];
  for (const element of path.elements) {
    switch (element.kind) {
      case 'reset':
        scope.reset(element.alias.text);
        break;
      case 'filter':
        conditions.push(resolveCondition(element.condition, scope));
        break;
      case 'table-link':
      case 'endpoint-link':
      case 'mapping-link':
        joins.push(resolveLink(element, scope));
        break;
      default:
        element satisfies never;
    }
  }
  return { path: { root, joins, conditions, context: scope.context }, scope };
}
