import type { RightsEvaluator } from '@holdfast/acl';
import { AppError } from '@holdfast/http-kit';
import { authorizeRowChange } from '../authorize/authorize-change.js';
import { type ReferenceCheck, referenceChecks } from '../authorize/authorize-references.js';
import { type ColumnMask, NO_ROWS, ownColumnRule } from '../authorize/row-rule.js';
import type { Column, Table } from '../model/model.js';
import { authorizeInsert, metakeyOf } from './insert-plan.js';
import { type StoredRows, storedRows, type WriteFormats, type WritePlan, type Writer } from './write-plan.js';

/** An update of the rows whose keys are stored, and insertion of the others (spec/catalog-data.md 7.4). */
export interface UpsertPlan extends WritePlan {
  readonly answered: readonly Column[];
  readonly metakey: readonly Column[];
  /** Columns that are set in rows that are stored already. */
  readonly updated: readonly Column[];
  readonly stored: StoredRows;
  /** References that changed rows may place, and new ones. */
  readonly references: Readonly<Record<'update' | 'insert', readonly ReferenceCheck[]>>;
  /** What the client sees, of rows that were stored, of the columns that the request does not set. */
  readonly shownUnset: readonly ColumnMask[];
  /** To be asked as soon as one row turns out to be new. */
  readonly authorizeNewRows: () => void;
}

/**
 * @throws {AppError} `conflict` for a table whose only key is the RID, `forbidden`, `auth_required`
 */
export function planUpsert(table: Table, formats: WriteFormats, writer: Writer): UpsertPlan {
  const { rights, visible, anonymous } = writer;
  const columns = visible.columns(table);
  const fromInput = columns.filter((column) => column.system === null);
  // whoever reads the table must not guess what it may not read of it; whoever reads nothing finds rows all the same
  const readable = rights.somehow(table, 'select');
  const metakey = metakeyOf(table, visible, (column) => !readable || rights.somehow(column, 'select')).filter(
    (column) => column.system === null,
  );
  if (metakey.length === 0) {
    throw new AppError(
      'conflict',
      `Table ${JSON.stringify(table.name)} has no key that you may use but the RID; use POST to create rows, or attributegroup to change them by RID.`,
    );
  }
  const updated = fromInput.filter((column) => !metakey.includes(column));
  const authorizeNewRows = (): void => authorizeInsert(table, fromInput, writer);
  if (updated.length === 0) authorizeNewRows();
  const checks = updated.length === 0 ? [] : authorizeRowChange(table, 'update', updated, rights, anonymous);
  return {
    table,
    accepted: fromInput,
    fromInput,
    ignored: table.columns.filter((column) => column.system !== null),
    answered: columns,
    answeredNames: columns.map(({ name }) => name),
    metakey,
    updated,
    stored: storedRows(table, metakey, checks, rights),
    references: {
      update: referenceChecks(table, updated, 'update', rights),
      insert: referenceChecks(table, fromInput, 'insert', rights),
    },
    shownUnset: shownUnset(columns, metakey, rights),
    authorizeNewRows,
    formats,
  };
}

/**
 * The answer shows what was written also to those who may not read (spec/catalog-access.md 3.2). When and by whom a stored row was made is
 * not written: it is for readers. Nor is the key by which the row was found: where it is masked, the input has found a NULL.
 */
function shownUnset(
  columns: readonly Column[],
  metakey: readonly Column[],
  rights: RightsEvaluator,
): readonly ColumnMask[] {
  const unset = columns.filter(({ system }) => system === 'RCT' || system === 'RCB');
  const rules = [
    ...unset.map((column) => ({
      column,
      rule: rights.somehow(column, 'select') ? ownColumnRule(column, 'select', rights) : NO_ROWS,
    })),
    ...metakey.map((column) => ({ column, rule: ownColumnRule(column, 'select', rights) })),
  ];
  return rules.flatMap(({ column, rule }) => (rule.kind === 'all' ? [] : [{ columns: [column], rule }]));
}
