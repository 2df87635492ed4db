import type { RightsEvaluator } from '@holdfast/acl';
import type { TabularFormat } from '@holdfast/tabular';
import type { RowChecks } from '../authorize/authorize-change.js';
import { type ColumnMask, findableRows, type RowRule, readRule } from '../authorize/row-rule.js';
import { type Viewpoint, viewpointOf } from '../authorize/viewpoint.js';
import { LIVE } from '../history/moment.js';
import type { Column, Table } from '../model/model.js';
import type { VisibleModel } from '../resolve/visible-model.js';

/** What every write of rows has: where to, from what input, with what answer. */
export interface WritePlan {
  readonly table: Table;
  /** Columns the input may have. Of an update by key, they carry the names of its outputs. */
  readonly accepted: readonly Column[];
  /** Those whose values are used; a CSV header must have them all. */
  readonly fromInput: readonly Column[];
  /** Columns a CSV header may have besides, to be ignored. */
  readonly ignored: readonly Column[];
  /** Names of the columns of the answer. */
  readonly answeredNames: readonly string[];
  readonly formats: WriteFormats;
}

/** Which stored rows a write finds, and which of them it may change (spec/catalog-access.md 8.4). */
export interface StoredRows {
  /** Other rows are not there for the client. */
  readonly visible: RowRule;
  /** Key columns that show their values only where a rule holds: elsewhere they are NULL for the client, here too. */
  readonly maskedKeys: readonly ColumnMask[];
  /** What all rows that are changed must fulfil. */
  readonly checks: RowChecks;
  readonly viewpoint: Viewpoint;
}

/** What a client finds of the stored rows of a table by these key columns. */
export function storedRows(
  table: Table,
  keys: readonly Column[],
  checks: RowChecks,
  rights: RightsEvaluator,
): StoredRows {
  const masks = rights.somehow(table, 'select') ? readRule(table, rights).masks : [];
  return {
    visible: findableRows(table, rights),
    maskedKeys: masks.filter(({ columns }) => columns.some((column) => keys.includes(column))),
    checks,
    viewpoint: viewpointOf(rights, LIVE),
  };
}

/** Format of the body and of the answer. */
export interface WriteFormats {
  readonly input: TabularFormat;
  readonly answer: TabularFormat;
}

/** Who asks, with what rights. */
export interface Writer {
  readonly rights: RightsEvaluator;
  readonly visible: VisibleModel;
  readonly anonymous: boolean;
}
