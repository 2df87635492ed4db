import type { RightsEvaluator } from '@holdfast/acl';
import type { Json } from '../model/model.js';
import type { RightsExpression } from '../resolve/resolved.js';

/**
 * What `trs(RID)` and `tcrs(RID)` say of a row by static rights (spec/catalog-data.md 3.8). A right that depends on the row is not
 * promised.
 */
export function rowRights({ function: name, instance }: RightsExpression, rights: RightsEvaluator): Json {
  const { table } = instance;
  const may = (access: 'update' | 'delete'): boolean =>
    table.hasSystemColumns && table.relation === 'table' && rights.always(table, access);
  const row = { update: may('update'), delete: may('delete') };
  if (name === 'trs') return row;
  const columns = table.columns.filter((column) => rights.always(column, 'enumerate'));
  return {
    ...row,
    column_update: Object.fromEntries(
      columns.map((column) => [column.name, column.system === null && row.update && rights.always(column, 'update')]),
    ),
  };
}
