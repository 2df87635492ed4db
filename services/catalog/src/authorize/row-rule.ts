import { activeBindings, type BoundKind, effectiveColumnBindings, inScope, type RightsEvaluator } from '@holdfast/acl';
import type { Column, ElementBinding, Table } from '../model/model.js';

/** Which rows of a table an access is for. */
export type RowRule =
  | { readonly kind: 'all' }
  /** Rows in which at least one of the tests holds; none: no row at all. */
  | { readonly kind: 'some'; readonly tests: readonly RowTest[] };

/** Whether a value of the row lets the client in (spec/catalog-access.md 8.2). */
export interface RowTest {
  readonly column: Column;
  readonly test: 'holds-role' | 'not-null';
}

/** What a client sees of a table (8.4): only these rows, and in them these columns only where their own rule holds, else NULL. */
export interface ReadRule {
  readonly rows: RowRule;
  readonly masks: readonly ColumnMask[];
}

export interface ColumnMask {
  readonly column: Column;
  readonly rule: RowRule;
}

/** Accesses that can be a matter of rows. */
export type RowAccess = 'select' | 'update' | 'delete';

/** The rule for reading a table to whose rows the client has at least some right. */
export function readRule(table: Table, rights: RightsEvaluator): ReadRule {
  const masked = table.columns.filter((column) => hasOwnRule(column, 'select', rights));
  return {
    rows: tableRule(table, 'select', rights),
    masks: masked.map((column) => ({ column, rule: columnRule(column, 'select', rights) })),
  };
}

/** The rows of a table to which the client has an access. */
export function tableRule(table: Table, access: RowAccess, rights: RightsEvaluator): RowRule {
  if (rights.right(table, access) === 'true') return { kind: 'all' };
  return ruleOf('table', activeBindings(table.bindings), access, rights);
}

/**
 * Whether the rule of a column is another one than that of its table: it restricts what the table allows for all rows, or has bindings
 * of its own (8.4, points 1 and 2).
 */
export function hasOwnRule(column: Column, access: RowAccess, rights: RightsEvaluator): boolean {
  if (rights.right(column, access) !== 'row') return false;
  return rights.right(column.parent, access) === 'true' || Object.keys(column.bindings).length > 0;
}

/** The rows in which the client has an access to the column. */
export function columnRule(column: Column, access: RowAccess, rights: RightsEvaluator): RowRule {
  if (rights.right(column, access) === 'true') return { kind: 'all' };
  return ruleOf('column', effectiveColumnBindings(column.parent.bindings, column.bindings), access, rights);
}

function ruleOf(
  kind: BoundKind,
  bindings: ReadonlyMap<string, ElementBinding>,
  access: RowAccess,
  { roles }: RightsEvaluator,
): RowRule {
  const counting = [...bindings.values()].filter((binding) => inScope(kind, binding, access, roles));
  return { kind: 'some', tests: counting.flatMap(rowTest) };
}

/** A binding that cannot be evaluated matches nothing (8.5); one that travels to other rows is not evaluated yet. */
function rowTest({ projection, projectionType }: ElementBinding): readonly RowTest[] {
  if (projection === null || projection.steps.length > 0) return [];
  return [{ column: projection.value.column, test: projectionType === 'acl' ? 'holds-role' : 'not-null' }];
}
