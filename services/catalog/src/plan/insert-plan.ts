import { type RightsEvaluator, systemColumnInsert } from '@holdfast/acl';
import { AppError, denied } from '@holdfast/http-kit';
import type { DataOptions } from '@holdfast/path-grammar';
import type { TabularFormat } from '@holdfast/tabular';
import type { Column, ForeignKey, Table } from '../model/model.js';
import { resolveParameterColumn } from '../resolve/resolve-target.js';
import type { VisibleModel } from '../resolve/visible-model.js';

/** An insertion of rows as it is to be carried out (spec/catalog-data.md 7.3). */
export interface InsertPlan {
  readonly table: Table;
  /** Columns the input may have: all the client sees. */
  readonly accepted: readonly Column[];
  /** Columns whose values come from the input, in model order; the others take the server's default. */
  readonly fromInput: readonly Column[];
  /** Columns of the answer, in model order. */
  readonly answered: readonly Column[];
  /** Key columns by which two input rows are one and the same; empty: nothing to compare. */
  readonly metakey: readonly Column[];
  readonly onConflict: 'abort' | 'skip';
  readonly inputFormat: TabularFormat;
  readonly answerFormat: TabularFormat;
}

/** Who asks, with what rights. */
export interface Writer {
  readonly rights: RightsEvaluator;
  readonly visible: VisibleModel;
  readonly anonymous: boolean;
}

/**
 * Decides where each column's value comes from, and whether the client may insert like this.
 * @throws {AppError} `unknown_element`, `conflict` when nothing comes from the input, `forbidden`, `auth_required`
 */
export function planInsert(
  table: Table,
  options: Pick<DataOptions, 'defaults' | 'nondefaults' | 'onConflict'>,
  formats: { readonly input: TabularFormat; readonly answer: TabularFormat },
  writer: Writer,
): InsertPlan {
  const { visible } = writer;
  const accepted = visible.columns(table);
  const defaults = new Set(options.defaults.map((word) => resolveParameterColumn(table, word, visible)));
  const kept = new Set(options.nondefaults.flatMap((word) => visible.column(table, word.text) ?? []));
  const fromInput = accepted.filter((column) => kept.has(column) || (column.system === null && !defaults.has(column)));
  checkInsertRights(table, fromInput, kept, writer);
  if (fromInput.length === 0) {
    throw new AppError('conflict', 'All columns are defaulted; at least one must come from the input.');
  }
  return {
    table,
    accepted,
    fromInput,
    answered: accepted,
    metakey: metakeyOf(table).filter((column) => fromInput.includes(column)),
    onConflict: options.onConflict,
    inputFormat: formats.input,
    answerFormat: formats.answer,
  };
}

/** Every column that belongs to a key (7.2). */
export function metakeyOf(table: Table): readonly Column[] {
  const members = new Set(table.keys.filter((key) => !key.pseudo).flatMap((key) => key.columns));
  return table.columns.filter((column) => members.has(column));
}

function checkInsertRights(
  table: Table,
  fromInput: readonly Column[],
  kept: ReadonlySet<Column>,
  { rights, anonymous }: Writer,
): void {
  const refuse = (what: string): never => {
    throw denied(anonymous, `Inserting ${what} is not allowed; ask an owner of the table for the right "insert".`);
  };
  const systemColumn = [...kept].find(({ system }) => system === 'RMT' || system === 'RMB');
  if (systemColumn !== undefined) throw denied(anonymous, `Column ${systemColumn.name} is always set by the service.`);
  if (!rights.always(table, 'insert')) refuse(`into table ${JSON.stringify(table.name)}`);
  for (const column of fromInput) {
    if (systemColumnInsert(rights, column) === 'never') {
      throw denied(anonymous, `Only owners of the catalog may set column ${column.name}.`);
    }
    if (!rights.always(column, 'insert')) refuse(`values of column ${JSON.stringify(column.name)}`);
  }
}

/** Foreign keys whose values come at least in part from the input: their use is a right of its own. */
export function foreignKeysOf(table: Table, columns: readonly Column[]): readonly ForeignKey[] {
  return table.foreignKeys.filter((key) => !key.pseudo && key.columns.some((column) => columns.includes(column)));
}
