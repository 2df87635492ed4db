import { activeBindings, inScope, type RightsEvaluator } from '@holdfast/acl';
import type { Column, ElementBinding, Json, Table } from '../model/model.js';

/** Which rows of a table a client may see. */
export type RowRule =
  | { readonly kind: 'all' }
  /** Rows in which at least one of the tests holds; none: no row at all. */
  | { readonly kind: 'some'; readonly tests: readonly RowTest[] };

/** Whether a value of the row lets the client in (spec/catalog-access.md 8.2). */
export interface RowTest {
  readonly column: Column;
  readonly test: 'holds-role' | 'not-null';
}

/** The rule for reading a table to whose rows the client has at least some right. */
export function selectRule(table: Table, rights: RightsEvaluator): RowRule {
  if (rights.right(table, 'select') === 'true') return { kind: 'all' };
  const bindings = [...activeBindings(table.bindings).values()].filter((binding) =>
    inScope('table', binding, 'select', rights.roles),
  );
  return { kind: 'some', tests: bindings.flatMap((binding) => rowTest(binding, table)) };
}

/** A binding that cannot be evaluated matches nothing (8.5). */
function rowTest(binding: ElementBinding, table: Table): readonly RowTest[] {
  const [only, ...more] = Array.isArray(binding.projection)
    ? (binding.projection as readonly Json[])
    : [binding.projection];
  const column = typeof only === 'string' && more.length === 0 ? table.columnsByName.get(only) : undefined;
  if (column === undefined) return [];
  return [{ column, test: binding.projectionType === 'acl' ? 'holds-role' : 'not-null' }];
}
