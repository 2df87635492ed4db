import { type Sql, sql } from '@holdfast/pg-kit';
import type { StorageType } from '../model/column-types.js';

/** The text that regular expressions and text search see of a scalar value (spec/catalog-data.md 3.2.6). */
export function textForm(value: Sql, storage: StorageType): Sql {
  switch (storage) {
    case 'text':
      return value;
    case 'timestamptz':
      return sql`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
    case 'timestamp':
      return sql`to_char(${value}, 'YYYY-MM-DD"T"HH24:MI:SS')`;
    case 'time':
      return sql`to_char(${value}, 'HH24:MI:SS')`;
    case 'timetz':
      return sql`to_char((${value} at time zone 'UTC')::time, 'HH24:MI:SS')`;
    default:
      return sql`${value}::text`;
  }
}
