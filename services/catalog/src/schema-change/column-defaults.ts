import { AppError } from '@holdfast/http-kit';
import { type Connection, sql, sqlStateOf, trusted } from '@holdfast/pg-kit';
import { type ColumnType, declaredName } from '../model/column-types.js';
import { constantText } from '../model/constant-text.js';
import { parseExact } from '../model/exact-numbers.js';
import type { Column, Json } from '../model/model.js';
import type { ColumnDefinition } from './definitions.js';

/** A default as the database reads it. */
export interface ColumnDefault {
  /** For DDL: what PostgreSQL's input of the type takes. */
  readonly text: string;
  /** The canonical value, for documents: a number given for a text column is its string. */
  readonly json: Json;
}

/**
 * Has the database read the defaults of columns, one after the other, so that the fault can be told.
 * @throws {AppError} `bad_value` for a constant that is none of the column's type
 */
export async function readDefaults(
  connection: Connection,
  columns: readonly ColumnDefinition[],
): Promise<ReadonlyMap<ColumnDefinition, ColumnDefault>> {
  const defaults = new Map<ColumnDefinition, ColumnDefault>();
  for (const column of columns) {
    if (column.default !== null) defaults.set(column, await readDefault(connection, column));
  }
  return defaults;
}

/** What is needed of a column to read its default. */
export type DefaultedColumn = Pick<ColumnDefinition, 'name' | 'type' | 'default'>;

/**
 * Has the database read a default.
 * @throws {AppError} `bad_value`
 */
export async function readDefault(connection: Connection, column: DefaultedColumn): Promise<ColumnDefault> {
  const given = constantText(column.type, column.default);
  const type = trusted(declaredName(column.type));
  try {
    const [row] = await connection.query<{ readonly text: string; readonly json: string }>(
      sql`select value::text as text, to_jsonb(value)::text as json from (select ${given}::text::${type} as value) as given`,
    );
    if (row === undefined) throw new AppError('internal', 'A default could not be read.');
    return { text: row.text, json: parseExact(row.json) };
  } catch (error) {
    if (!/^2[23]/.test(sqlStateOf(error) ?? '')) throw error;
    throw new AppError(
      'bad_value',
      `The default of the column ${JSON.stringify(column.name)} is not a constant of its type.`,
      { cause: error },
    );
  }
}

/**
 * Has the database convert the default of a column as it converts its values: its own constant, since a document may have lost digits.
 * @throws {AppError} `conflict` when it cannot be converted
 */
export async function convertDefault(
  connection: Connection,
  { name, parent: table }: Column,
  newType: ColumnType,
): Promise<ColumnDefault> {
  const [stored] = await connection.query<{ readonly expression: string }>(
    sql`select pg_get_expr(d.adbin, d.adrelid) as expression
          from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
         where d.adrelid = format('%I.%I', ${table.parent.name}::text, ${table.name}::text)::regclass and a.attname = ${name}`,
  );
  if (stored === undefined) throw new AppError('internal', 'A column lacks the default that its model has.');
  const value = sql`(${trusted(stored.expression)})::${trusted(declaredName(newType))}`;
  try {
    const [row] = await connection.query<{ readonly text: string; readonly json: string }>(
      sql`select value::text as text, to_jsonb(value)::text as json from (select ${value} as value) as given`,
    );
    if (row === undefined) throw new AppError('internal', 'A default could not be converted.');
    return { text: row.text, json: parseExact(row.json) };
  } catch (error) {
    // 42846: there is no such cast at all
    if (!/^(2[23]|42846)/.test(sqlStateOf(error) ?? '')) throw error;
    throw new AppError(
      'conflict',
      `The default of the column ${JSON.stringify(name)} cannot be converted; give another default with the type.`,
      { cause: error },
    );
  }
}
