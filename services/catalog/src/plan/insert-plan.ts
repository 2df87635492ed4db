import { systemColumnInsert } from '@holdfast/acl';
import { AppError, denied } from '@holdfast/http-kit';
import type { DataOptions } from '@holdfast/path-grammar';
import { type ReferenceCheck, referenceChecks } from '../authorize/authorize-references.js';
import { type Viewpoint, viewpointOf } from '../authorize/viewpoint.js';
import { LIVE } from '../history/moment.js';
import type { Column, Table } from '../model/model.js';
import { resolveParameterColumn } from '../resolve/resolve-target.js';
import type { VisibleModel } from '../resolve/visible-model.js';
import type { WriteFormats, WritePlan, Writer } from './write-plan.js';

/** An insertion of rows as it is to be carried out (spec/catalog-data.md 7.3). */
export interface InsertPlan extends WritePlan {
  readonly answered: readonly Column[];
  /** Key columns by which two input rows are one and the same; empty: nothing to compare. */
  readonly metakey: readonly Column[];
  readonly onConflict: 'abort' | 'skip';
  readonly references: readonly ReferenceCheck[];
  readonly viewpoint: Viewpoint;
}

/**
 * Decides where each column's value comes from, and whether the client may insert like this.
 * @throws {AppError} `unknown_element`, `conflict` when nothing comes from the input, `forbidden`, `auth_required`
 */
export function planInsert(
  table: Table,
  options: Pick<DataOptions, 'defaults' | 'nondefaults' | 'onConflict'>,
  formats: WriteFormats,
  writer: Writer,
): InsertPlan {
  const { visible } = writer;
  const accepted = visible.columns(table);
  const defaults = new Set(options.defaults.map((word) => resolveParameterColumn(table, word, visible)));
  const kept = new Set(options.nondefaults.flatMap((word) => visible.column(table, word.text) ?? []));
  const fromInput = accepted.filter((column) => kept.has(column) || (column.system === null && !defaults.has(column)));
  const system = [...kept].find((column) => column.system === 'RMT' || column.system === 'RMB');
  if (system !== undefined) throw denied(writer.anonymous, `Column ${system.name} is always set by the service.`);
  authorizeInsert(table, fromInput, writer);
  if (fromInput.length === 0) {
    throw new AppError('conflict', 'All columns are defaulted; at least one must come from the input.');
  }
  return {
    table,
    accepted,
    fromInput,
    ignored: [],
    answered: accepted,
    answeredNames: accepted.map(({ name }) => name),
    metakey: metakeyOf(table, visible).filter((column) => fromInput.includes(column)),
    onConflict: options.onConflict,
    references: referenceChecks(table, fromInput, 'insert', writer.rights),
    viewpoint: viewpointOf(writer.rights, LIVE),
    formats,
  };
}

/**
 * Every column that belongs to a key (7.2). A key with a column that the client does not see is not there for it.
 * @param usable whether the client may use a column of a key that it sees
 */
export function metakeyOf(
  table: Table,
  visible: VisibleModel,
  usable: (column: Column) => boolean = () => true,
): readonly Column[] {
  const seen = visible.columns(table).filter(usable);
  const keys = table.keys.filter(({ pseudo, columns }) => !pseudo && columns.every((column) => seen.includes(column)));
  const members = new Set(keys.flatMap((key) => key.columns));
  return table.columns.filter((column) => members.has(column));
}

/**
 * Whether the client may insert rows with values of its own in these columns (spec/catalog-access.md 3.2).
 * @throws {AppError} `forbidden` or `auth_required`
 */
export function authorizeInsert(table: Table, columns: readonly Column[], { rights, anonymous }: Writer): void {
  const refuse = (what: string): never => {
    throw denied(anonymous, `Inserting ${what} is not allowed; ask an owner of the table for the right "insert".`);
  };
  if (!rights.always(table, 'insert')) refuse(`into table ${JSON.stringify(table.name)}`);
  for (const column of columns) {
    // RIDs that were leased are looked at one by one when the rows are there
    if (systemColumnInsert(rights, column) === 'never') {
      throw denied(anonymous, `Only owners of the catalog may set column ${column.name}.`);
    }
    if (!rights.always(column, 'insert')) refuse(`values of column ${JSON.stringify(column.name)}`);
  }
}
