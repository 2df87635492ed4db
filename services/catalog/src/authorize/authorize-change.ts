import type { RightsEvaluator } from '@holdfast/acl';
import { denied } from '@holdfast/http-kit';
import type { Column, Table } from '../model/model.js';

/**
 * Whether the client may delete rows of a table, or set columns of its rows (spec/catalog-access.md 3.2).
 * @throws {AppError} `forbidden` or `auth_required`
 */
export function authorizeRowChange(
  table: Table,
  access: 'delete' | 'update',
  columns: readonly Column[],
  rights: RightsEvaluator,
  anonymous: boolean,
): void {
  const refuse = (what: string): never => {
    throw denied(
      anonymous,
      `${access === 'delete' ? 'Deleting' : 'Changing'} ${what} is not allowed; ask an owner of the table for the right "${access}".`,
    );
  };
  if (!rights.always(table, access)) refuse(`rows of table ${JSON.stringify(table.name)}`);
  for (const column of columns) if (!rights.always(column, access)) refuse(`column ${JSON.stringify(column.name)}`);
}
