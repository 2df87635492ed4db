import type { RightsEvaluator } from '@holdfast/acl';
import { AppError, denied } from '@holdfast/http-kit';
import type { Column, Table } from '../model/model.js';
import { findableRows, ownColumnRule, rulesBeyond, type SomeRows, tableRule } from './row-rule.js';

/** What every row that is to be changed must fulfil; empty: nothing. */
export type RowChecks = readonly SomeRows[];

/**
 * Whether the client may delete rows of a table, or set columns of its rows (spec/catalog-access.md 3.2).
 * @returns where that depends on the row: what all target rows, which the client sees, must fulfil beyond that before the change (8.4)
 * @throws {AppError} `forbidden` or `auth_required`
 */
export function authorizeRowChange(
  table: Table,
  access: 'delete' | 'update',
  columns: readonly Column[],
  rights: RightsEvaluator,
  anonymous: boolean,
): RowChecks {
  const refuse = (what: string): never => {
    throw denied(
      anonymous,
      `${access === 'delete' ? 'Deleting' : 'Changing'} ${what} is not allowed; ask an owner of the table for the right "${access}".`,
    );
  };
  if (!rights.somehow(table, access)) refuse(`rows of table ${JSON.stringify(table.name)}`);
  for (const column of columns) if (!rights.somehow(column, access)) refuse(`column ${JSON.stringify(column.name)}`);
  const rules = [tableRule(table, access, rights), ...columns.map((column) => ownColumnRule(column, access, rights))];
  return rulesBeyond(findableRows(table, rights), rules);
}

/** One of the target rows is not the client's to change: then none is changed. */
export function refusedRow(table: Table, access: 'delete' | 'update'): AppError {
  return new AppError(
    'forbidden',
    `${access === 'delete' ? 'Deleting' : 'Changing'} some of these rows of table ${JSON.stringify(table.name)} is not allowed; nothing was changed. Narrow the request to rows you may change.`,
  );
}
