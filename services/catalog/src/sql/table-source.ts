import { identifier, type Sql } from '@holdfast/pg-kit';
import type { Moment } from '../history/moment.js';
import type { Table } from '../model/model.js';

/**
 * The rows of a table at a moment, as an item of FROM that wants an alias: the one place where the name of a table gets into a read,
 * whether it stands in the path of the request or is reached inside a rule. At present it is the table itself.
 */
export function tableSource(table: Table, moment: Moment): Sql {
  switch (moment.kind) {
    case 'live':
      return tableName(table);
    default:
      return moment.kind satisfies never;
  }
}

/** The live relation, for statements that change it. */
export function tableName(table: Table): Sql {
  return identifier(table.parent.name, table.name);
}
