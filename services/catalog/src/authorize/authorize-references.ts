import type { RightsEvaluator } from '@holdfast/acl';
import { AppError } from '@holdfast/http-kit';
import type { Column, ForeignKey, Table } from '../model/model.js';
import { referenceRule, type SomeRows } from './row-rule.js';

/** A foreign key by which a client may refer only to some rows, or to none (spec/catalog-access.md 8.4). */
export interface ReferenceCheck {
  readonly foreignKey: ForeignKey;
  readonly rule: SomeRows;
}

/**
 * The foreign keys that limit which values a client may place in these columns. What it may not do at all is here too: only a row with
 * a reference shows whether it tries.
 */
export function referenceChecks(
  table: Table,
  columns: readonly Column[],
  access: 'insert' | 'update',
  rights: RightsEvaluator,
): readonly ReferenceCheck[] {
  const placing = table.foreignKeys.filter((foreignKey) => foreignKey.columns.some((one) => columns.includes(one)));
  return placing.flatMap((foreignKey) => {
    const rule = referenceRule(foreignKey, access, rights);
    return rule.kind === 'all' ? [] : [{ foreignKey, rule }];
  });
}

/**
 * A row refers to what the client may not refer to, or to nothing: which of them, only those may know who see the referenced rows.
 * @param row number of the input row
 * @param columns of the foreign key that come from the input, and that the client therefore knows
 */
export function refusedReference(columns: readonly Column[], row: string): AppError {
  const names = columns.map(({ name }) => JSON.stringify(name)).join(', ');
  return new AppError(
    'forbidden',
    `Row ${row} of the input refers by ${names} to a row that you may not refer to; nothing was changed.`,
  );
}
