import { type Sql, sql, trusted } from '@holdfast/pg-kit';
import { type ColumnType, storageName } from '../model/column-types.js';

/**
 * A value as PostgreSQL compares it: domains compare as what is under them, but arrays of a domain have no operators with arrays of
 * its base type. The literal is not made one of the domain instead, since that would apply its CHECK (spec/catalog-data.md 3.2.3).
 */
export function comparableValue(value: Sql, type: ColumnType): Sql {
  if (type.kind === 'scalar' || type.element.form !== 'domain') return value;
  return sql`${value}::${trusted(storageName(type))}`;
}
