import { activeBindings, type BoundKind, effectiveColumnBindings, inScope, type RightsEvaluator } from '@holdfast/acl';
import type { Column, ElementBinding, ForeignKey, Table } from '../model/model.js';
import { isLocal, isTrivial, type RowTest, rowTestOf } from './row-test.js';

/** Which rows of a table an access is for. */
export type RowRule = { readonly kind: 'all' } | SomeRows;

/** Rows in which at least one of the tests holds, the cheap ones first; no test: no row at all. */
export interface SomeRows {
  readonly kind: 'some';
  readonly tests: readonly RowTest[];
}

/** What a client sees of a table (8.4): only these rows, and in them some columns only where their own rule holds, else NULL. */
export interface ReadRule {
  readonly rows: RowRule;
  readonly masks: readonly ColumnMask[];
}

/** Columns that show their values in the same rows. */
export interface ColumnMask {
  readonly columns: readonly Column[];
  readonly rule: SomeRows;
}

/** Accesses that can be a matter of rows. */
export type RowAccess = 'select' | 'update' | 'delete';

/** The rule for reading a table to whose rows the client has at least some right. */
export function readRule(table: Table, rights: RightsEvaluator): ReadRule {
  const rows = tableRule(table, 'select', rights);
  const masks: ColumnMask[] = [];
  for (const column of table.columns) {
    const [rule] = rulesBeyond(rows, [ownColumnRule(column, 'select', rights)]);
    if (rule === undefined) continue;
    const shared = masks.findIndex((mask) => sameRule(mask.rule, rule));
    const mask = masks[shared];
    if (mask === undefined) masks.push({ columns: [column], rule });
    else masks[shared] = { ...mask, columns: [...mask.columns, column] };
  }
  return { rows, masks };
}

/** The rows of a table to which the client has an access. */
export function tableRule(table: Table, access: RowAccess, rights: RightsEvaluator): RowRule {
  if (rights.right(table, access) === 'true') return ALL_ROWS;
  return simplified(ruleOf('table', activeBindings(table.bindings), access, rights));
}

/**
 * The rows that a write may find by their keys: those the client sees. A client that may change all rows and read none finds them all
 * (3.2 asks no right to read of PUT).
 */
export function findableRows(table: Table, rights: RightsEvaluator): RowRule {
  return rights.somehow(table, 'select') ? tableRule(table, 'select', rights) : ALL_ROWS;
}

/**
 * The rows in which the client has an access to a column, among those to which it has the access anyway: all of them, unless the column
 * restricts what its table allows for all rows, or has bindings of its own (8.4, points 1 and 2).
 */
export function ownColumnRule(column: Column, access: RowAccess, rights: RightsEvaluator): RowRule {
  if (rights.right(column, access) !== 'row') return ALL_ROWS;
  // RID, RCT and RMT can be read wherever their row can (2.4)
  const ofRow = column.system === 'RID' || column.system === 'RCT' || column.system === 'RMT';
  if (ofRow && access === 'select') return ALL_ROWS;
  const restricts = rights.right(column.parent, access) === 'true' || Object.keys(column.bindings).length > 0;
  if (!restricts) return ALL_ROWS;
  return simplified(ruleOf('column', effectiveColumnBindings(column.parent.bindings, column.bindings), access, rights));
}

/** The rows that a foreign key may be made to refer to. A rule that lets in every row still asks that there is one. */
export function referenceRule(foreignKey: ForeignKey, access: 'insert' | 'update', rights: RightsEvaluator): RowRule {
  const right = rights.right(foreignKey, access);
  if (right === 'true') return ALL_ROWS;
  if (right === 'false') return NO_ROWS;
  return ruleOf('foreign_key', activeBindings(foreignKey.bindings), access, rights);
}

export const ALL_ROWS: RowRule = { kind: 'all' };

export const NO_ROWS: SomeRows = { kind: 'some', tests: [] };

/** Whether two rules hold in the same rows, because they come from the same bindings. */
export function sameRule(one: SomeRows, other: SomeRows): boolean {
  return (
    one.tests.length === other.tests.length &&
    one.tests.every(({ binding }, index) => other.tests[index]?.binding === binding)
  );
}

/** Rules to be fulfilled together by rows that are known to fulfil one already: each once, and only what they ask beyond that. */
export function rulesBeyond(known: RowRule, rules: readonly RowRule[]): readonly SomeRows[] {
  const more = rules.filter((rule) => rule.kind === 'some').filter((rule) => !follows(rule, known));
  return more.filter((rule, index) => more.findIndex((other) => sameRule(rule, other)) === index);
}

/** Whether a rule holds wherever another does, because it has all of its tests. */
function follows(rule: SomeRows, from: RowRule): boolean {
  if (from.kind === 'all' || from.tests.length === 0) return false;
  return from.tests.every((test) => rule.tests.some(({ binding }) => binding === test.binding));
}

function ruleOf(
  kind: BoundKind,
  bindings: ReadonlyMap<string, ElementBinding>,
  access: RowAccess | 'insert',
  { roles }: RightsEvaluator,
): SomeRows {
  const counting = [...bindings.values()].filter((binding) => inScope(kind, binding, access, roles));
  const tests = counting.flatMap((binding) => rowTestOf(binding) ?? []);
  return { kind: 'some', tests: [...tests.filter(isLocal), ...tests.filter((test) => !isLocal(test))] };
}

/** Nobody pays for a rule that lets in every row. */
function simplified(rule: SomeRows): RowRule {
  return rule.tests.some(isTrivial) ? ALL_ROWS : rule;
}
