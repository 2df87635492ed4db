import { identifier, join, nothing, type Sql, sql, trusted } from '@holdfast/pg-kit';
import type { ReferenceCheck } from '../authorize/authorize-references.js';
import type { Viewpoint } from '../authorize/viewpoint.js';
import { declaredName } from '../model/column-types.js';
import { constantText } from '../model/constant-text.js';
import type { Column } from '../model/model.js';
import { comparableValue } from './base-array.js';
import { rowRuleSql } from './row-rule-sql.js';
import { ordinal } from './stage-sql.js';
import { tableSource } from './table-source.js';

/** Input rows that are about to be written. */
export interface PlacedRows {
  /** For FROM: staged rows `s`, and where they belong to stored rows, those as `t`. */
  readonly from: Sql;
  /** The value a column will have. */
  value(column: Column): Sql;
}

/**
 * The first input row whose reference is complete and not to be found among the rows that the client may refer to. A key that no row has
 * is not found either: the client does not learn which of the two it is.
 */
export function refusedReferenceSql({ foreignKey, rule }: ReferenceCheck, rows: PlacedRows, viewpoint: Viewpoint): Sql {
  const { columns, referencedColumns, references } = foreignKey;
  const values = columns.map((column) => rows.value(column));
  const complete = values.map((value) => sql`${value} is not null`);
  const key = identifier('k');
  const pairs = referencedColumns.map((column, index) => {
    const stored = comparableValue(sql`${key}.${identifier(column.name)}`, column.type);
    return sql`${stored} = ${comparableValue(values[index] ?? nothing, column.type)}`;
  });
  const found =
    rule.tests.length === 0
      ? trusted('false')
      : sql`exists (select from ${tableSource(references.parent, viewpoint.moment)} ${key} where ${join(
          [...pairs, rowRuleSql(rule, key, viewpoint)],
          ' and ',
        )})`;
  return sql`select s.${ordinal}::text as first from ${rows.from}
    where ${join(complete, ' and ')} and not ${found} order by s.${ordinal} limit 1`;
}

/** The value a column gets when the input has none for it. Numbers that a sequence will give are not known and refer to nothing. */
export function defaultSql(column: Column): Sql {
  const type = trusted(declaredName(column.type));
  return column.default === null
    ? sql`null::${type}`
    : sql`${constantText(column.type, column.default)}::text::${type}`;
}
