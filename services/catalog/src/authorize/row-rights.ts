import type { RightsEvaluator } from '@holdfast/acl';
import type { Moment } from '../history/moment.js';
import type { Column, Table } from '../model/model.js';
import type { RightsExpression } from '../resolve/resolved.js';
import { ownColumnRule, rulesBeyond, type SomeRows, tableRule } from './row-rule.js';

/** Whether a client may do something with a row it sees: never, or where the row fulfils all of these rules; without rules, always. */
export type RowDecision = 'never' | readonly SomeRows[];

/** What `trs(RID)` and `tcrs(RID)` say of a row (spec/catalog-access.md 6.1). */
export interface RowRights {
  readonly update: RowDecision;
  readonly delete: RowDecision;
  /** By name, for `tcrs` only. */
  readonly columns: readonly { readonly name: string; readonly update: RowDecision }[] | null;
}

/** Decides as far as that is possible without the row; what a snapshot shows cannot be changed. */
export function rowRights(
  { function: name, instance }: RightsExpression,
  rights: RightsEvaluator,
  moment: Moment,
): RowRights {
  const { table } = instance;
  const decide = moment.kind === 'live' ? decideTable : () => 'never' as const;
  const update = decide(table, 'update', rights);
  return {
    update,
    delete: decide(table, 'delete', rights),
    columns:
      name === 'trs'
        ? null
        : table.columns
            .filter((column) => rights.always(column, 'enumerate'))
            .map((column) => ({ name: column.name, update: decideColumn(column, update, rights) })),
  };
}

function decideTable(table: Table, access: 'update' | 'delete', rights: RightsEvaluator): RowDecision {
  if (!table.hasSystemColumns || table.relation !== 'table' || !rights.somehow(table, access)) return 'never';
  return rulesBeyond(tableRule(table, 'select', rights), [tableRule(table, access, rights)]);
}

/** A column restricts what its table allows; system columns are never the client's to change. */
function decideColumn(column: Column, ofTable: RowDecision, rights: RightsEvaluator): RowDecision {
  if (ofTable === 'never' || column.system !== null || !rights.somehow(column, 'update')) return 'never';
  return rulesBeyond(tableRule(column.parent, 'select', rights), [...ofTable, ownColumnRule(column, 'update', rights)]);
}
