import { AppError } from '@holdfast/http-kit';
import type { AttributeItem, AttributeResource } from '@holdfast/path-grammar';
import type { Column } from '../model/model.js';
import type { PathScope } from './path-scope.js';
import { noColumn, refs } from './path-scope.js';
import { resolvePath } from './resolve-path.js';
import { refuseUnwritable } from './resolve-target.js';
import type { ResolvedRead } from './resolved.js';
import { quoteName, type VisibleModel } from './visible-model.js';

/** Columns to be set to their defaults, of the entities a path denotes (spec/catalog-data.md 7.7). */
export interface ResolvedClearing {
  /** The entities, as a read of them: the client must be able to do it. */
  readonly entities: ResolvedRead;
  /** Without repetition. */
  readonly targets: readonly Column[];
}

/** Resolves a DELETE of attributes. System columns are refused before key columns are. */
export function resolveClearing(resource: AttributeResource, visible: VisibleModel): ResolvedClearing {
  const { path, scope } = resolvePath(resource.path, visible);
  refuseUnwritable(path.context.table);
  const targets = [...new Set(resource.projection.flatMap((item) => resolveTargets(item, scope)))];
  const ofSystem = targets.find((column) => column.system !== null);
  if (ofSystem !== undefined)
    throw new AppError('forbidden', `Column ${ofSystem.name} is kept by the service and cannot be cleared.`);
  const seen = visible.columns(path.context.table);
  // a key with a column that the client does not see is not there for it
  const keys = path.context.table.keys.filter((key) => key.columns.every((column) => seen.includes(column)));
  const keyed = targets.find((column) => keys.some((key) => key.columns.includes(column)));
  if (keyed !== undefined)
    throw new AppError('conflict', `Column ${quoteName([keyed.name])} belongs to a key and cannot be cleared.`);
  const columns = refs(path.context, visible.columns(path.context.table));
  const outputs = columns.map((ref) => ({ name: ref.column.name, expression: ref }));
  return { entities: { kind: 'entity', path, keys: [], outputs, sort: null }, targets };
}

function resolveTargets(item: AttributeItem, scope: PathScope): readonly Column[] {
  if (item.kind !== 'column')
    throw new AppError(
      'bad_syntax',
      `Only columns can be cleared, not ${item.kind === 'bin' ? 'bin' : item.function}.`,
    );
  const { parts } = item.column;
  const [first = '', second] = parts;
  const { table } = scope.context;
  if (second !== undefined) {
    if (parts.length > 2 || scope.aliased(first) === null)
      throw new AppError(
        'bad_syntax',
        `${quoteName(parts)} is not a column of the right-most table; name it without an alias.`,
      );
    throw new AppError(
      'conflict',
      `Columns are cleared in the right-most table only; write ${quoteName([second])} without an alias.`,
    );
  }
  const column = scope.visible.column(table, first);
  if (column !== null) return [column];
  if (first === '*') return scope.visible.columns(table);
  throw noColumn(table, first);
}
