import { activeBindings, inScope, type RightsEvaluator } from '@holdfast/acl';
import type { Column, ElementBinding, Table } from '../model/model.js';

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
  return { kind: 'some', tests: bindings.flatMap((binding) => rowTest(binding)) };
}

/** A binding that cannot be evaluated matches nothing (8.5); one that travels to other rows is not evaluated yet. */
function rowTest({ projection, projectionType }: ElementBinding): readonly RowTest[] {
  if (projection === null || projection.steps.length > 0) return [];
  return [{ column: projection.value.column, test: projectionType === 'acl' ? 'holds-role' : 'not-null' }];
}
