import { AppError } from '@holdfast/http-kit';
import type { AttributeGroupResource, GroupItem, KeyItem } from '@holdfast/path-grammar';
import type { Column, Table } from '../model/model.js';
import { noColumn } from './path-scope.js';
import { resolveTarget } from './resolve-target.js';
import { quoteName, type VisibleModel } from './visible-model.js';

/** A column of an update by key under the name its input has. */
export interface NamedColumn {
  readonly column: Column;
  readonly output: string;
}

/** Which rows an update touches, and what it sets (spec/catalog-data.md 7.5). */
export interface ResolvedUpdate {
  readonly table: Table;
  readonly keys: readonly NamedColumn[];
  readonly targets: readonly NamedColumn[];
}

/** Resolves a PUT of an attributegroup. A system column among the targets is refused before anything else of the lists. */
export function resolveUpdate(resource: AttributeGroupResource, visible: VisibleModel): ResolvedUpdate {
  const table = resolveTarget(resource.path, visible);
  const alias = resource.path.root.alias?.text ?? null;
  refuseSystemTargets(resource.projection, table);
  if (resource.projection.length === 0) throw new AppError('bad_syntax', 'An update needs target columns after ";".');
  const keys = resource.keys.map((item) =>
    resolveItem(item, table, visible, (qualifier) => {
      if (qualifier !== alias) throw unboundAlias(qualifier);
    }),
  );
  const targets = resource.projection.map((item) =>
    resolveItem(item, table, visible, (qualifier) => {
      if (qualifier !== alias) throw unboundAlias(qualifier);
      throw new AppError('conflict', 'Target columns are named without an alias.');
    }),
  );
  refuseTwice(
    keys.map(({ column }) => column.name),
    'key column',
  );
  refuseTwice(
    targets.map(({ column }) => column.name),
    'target column',
  );
  refuseTwice(
    [...keys, ...targets].map(({ output }) => output),
    'column name of the input',
  );
  return { table, keys, targets };
}

function refuseSystemTargets(items: readonly GroupItem[], table: Table): void {
  const names = items.map((item) => item.column.parts.at(-1) ?? '');
  const system = names.find((name) => (table.columnsByName.get(name)?.system ?? null) !== null);
  if (system !== undefined)
    throw new AppError('forbidden', `Column ${system} is kept by the service and cannot be changed.`);
}

function resolveItem(
  item: KeyItem | GroupItem,
  table: Table,
  visible: VisibleModel,
  checkQualifier: (qualifier: string) => void,
): NamedColumn {
  if (item.kind !== 'column')
    throw new AppError('bad_syntax', 'The columns of an update are plain columns, without functions.');
  const { parts } = item.column;
  const name = parts.at(-1) ?? '';
  const [qualifier, ...more] = parts.slice(0, -1);
  if (more.length > 0) throw new AppError('bad_syntax', `${quoteName(parts)} has too many parts for a column.`);
  if (qualifier !== undefined) checkQualifier(qualifier);
  const column = visible.column(table, name);
  if (column === null) {
    if (name === '*') throw new AppError('bad_syntax', 'The columns of an update are named one by one, without "*".');
    throw noColumn(table, name);
  }
  return { column, output: item.output?.text ?? column.name };
}

function unboundAlias(alias: string): AppError {
  return new AppError('bad_syntax', `There is no alias ${quoteName([alias])} in the path.`);
}

function refuseTwice(names: readonly string[], what: string): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new AppError('bad_syntax', `The ${what} ${quoteName([twice])} stands there twice.`);
}
