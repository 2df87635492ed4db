import { AppError } from '@holdfast/http-kit';
import { authorizeRowChange } from '../authorize/authorize-change.js';
import { tableRule } from '../authorize/row-rule.js';
import { viewpointOf } from '../authorize/viewpoint.js';
import { LIVE } from '../history/moment.js';
import type { Column, Table } from '../model/model.js';
import { authorizeInsert, metakeyOf } from './insert-plan.js';
import type { StoredRows, WriteFormats, WritePlan, Writer } from './write-plan.js';

/** An update of the rows whose keys are stored, and insertion of the others (spec/catalog-data.md 7.4). */
export interface UpsertPlan extends WritePlan {
  readonly answered: readonly Column[];
  readonly metakey: readonly Column[];
  /** Columns that are set in rows that are stored already. */
  readonly updated: readonly Column[];
  readonly stored: StoredRows;
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
  const metakey = metakeyOf(table).filter((column) => column.system === null);
  if (metakey.length === 0) {
    throw new AppError(
      'conflict',
      `Table ${JSON.stringify(table.name)} has no key but the RID; use POST to create rows, or attributegroup to change them by RID.`,
    );
  }
  const hidden = metakey.find((column) => !fromInput.includes(column));
  if (hidden !== undefined)
    throw new AppError('conflict', 'Not all key columns of the table are accessible, so rows cannot be told apart.');
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
    stored: { visible: tableRule(table, 'select', rights), checks, viewpoint: viewpointOf(rights, LIVE) },
    authorizeNewRows,
    formats,
  };
}
