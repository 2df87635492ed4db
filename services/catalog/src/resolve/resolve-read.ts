import type {
  AggregateResource,
  AttributeGroupResource,
  AttributeResource,
  EntityResource,
} from '@holdfast/path-grammar';
import { refs } from './path-scope.js';
import { resolvePath } from './resolve-path.js';
import { refuseDuplicates, resolveAttributes, resolveGroupOutputs, resolveKeys } from './resolve-projection.js';
import { resolveSort } from './resolve-sort.js';
import type { Output, ResolvedRead } from './resolved.js';
import type { VisibleModel } from './visible-model.js';

/** The four kinds of resource that answer rows. */
export type ReadResource = EntityResource | AttributeResource | AttributeGroupResource | AggregateResource;

/** Looks up every name of a read in the model as the client sees it. Refusals: spec/catalog-data.md 2. */
export function resolveRead(resource: ReadResource, visible: VisibleModel): ResolvedRead {
  const { path, scope } = resolvePath(resource.path, visible);
  const finish = (keys: readonly Output[], outputs: readonly Output[]): ResolvedRead => {
    const all = [...keys, ...outputs];
    refuseDuplicates(all);
    const sort = resource.kind === 'aggregate' ? null : resource.sort;
    const unknownKey = resource.kind === 'entity' ? 'unknown_element' : 'bad_syntax';
    return {
      kind: resource.kind,
      path,
      keys,
      outputs,
      sort: sort === null ? null : resolveSort(sort, all, unknownKey),
    };
  };
  switch (resource.kind) {
    case 'entity': {
      const columns = refs(path.context, visible.columns(path.context.table));
      return finish(
        [],
        columns.map((ref) => ({ name: ref.column.name, expression: ref })),
      );
    }
    case 'attribute':
      return finish([], resolveAttributes(resource.projection, scope));
    case 'attributegroup':
      return finish(resolveKeys(resource.keys, scope), resolveGroupOutputs(resource.projection, scope));
    case 'aggregate':
      return finish([], resolveGroupOutputs(resource.projection, scope));
    default:
      return resource satisfies never;
  }
}
