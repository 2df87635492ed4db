import { AppError } from '@holdfast/http-kit';
import type { Path, Word } from '@holdfast/path-grammar';
import { typeName } from '../model/column-types.js';
import type { Column, Table } from '../model/model.js';
import { missingSystemParts } from '../model/system-parts.js';
import { noColumn } from './path-scope.js';
import { quoteName, type VisibleModel } from './visible-model.js';

/** The table a POST or PUT writes to: the root alone, without filter or link (spec/catalog-data.md 1.5). */
export function resolveTarget(path: Path, visible: VisibleModel): Table {
  if (path.elements.length > 0) {
    throw new AppError(
      'bad_syntax',
      'Rows are written to a table as a whole; leave filters and links out of the path.',
    );
  }
  const table = visible.table(path.root.name);
  refuseUnwritable(table);
  return table;
}

/** Views, and tables the service does not keep the system columns of, can only be read. */
export function refuseUnwritable(table: Table): void {
  const name = quoteName([table.parent.name, table.name]);
  if (table.relation !== 'table') throw new AppError('not_writable', `${name} is a view and cannot be changed.`);
  if (!table.hasSystemColumns) {
    const missing = missingSystemParts(
      table.columns.map((column) => ({ ...column, type: typeName(column.type) })),
      table.keys.map((key) => key.columns.map((column) => column.name)),
    );
    throw new AppError(
      'not_writable',
      `Table ${name} cannot be changed until its operator adds what it lacks: ${missing.join('; ')}.`,
    );
  }
}

/** A column named in a query parameter. */
export function resolveParameterColumn(table: Table, word: Word, visible: VisibleModel): Column {
  const column = visible.column(table, word.text);
  if (column === null) throw noColumn(table, word.text);
  return column;
}
