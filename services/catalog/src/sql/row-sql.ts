import { identifier, join, literal, type Sql, sql, trusted } from '@holdfast/pg-kit';
import type { TabularFormat } from '@holdfast/tabular';
import { type ColumnType, scalarOf } from '../model/column-types.js';

/** A column of a row that is to be written out. */
export interface RowColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly value: Sql;
}

/** How rows become lines: PostgreSQL serialises, Node only moves bytes (architecture 5). */
export interface RowForm {
  /** Select list of the query that has the rows. */
  readonly list: Sql;
  /** Makes of that query one whose rows are the lines of the answer, in the same order. */
  wrap(query: Sql): Sql;
}

/** Longest name PostgreSQL gives a column, in bytes; longer ones are cut, so they cannot be left to `row_to_json`. */
const LONGEST_IDENTIFIER = 63;

/**
 * Lines in a format: fields for CSV, one JSON object for the JSON formats. The row is `o.*`: `o` alone would be a column of that name, if the
 * client has one.
 */
export function rowForm(columns: readonly RowColumn[], format: TabularFormat, jsonArrays: boolean): RowForm {
  if (format === 'csv') return { list: csvFields(columns, jsonArrays), wrap: (query) => query };
  if (hasLongName(columns)) return { list: concatenatedObject(columns), wrap: (query) => query };
  return { list: members(columns), wrap: (query) => sql`select row_to_json(o.*)::text from (${query}) o` };
}

/** One row as an expression list, for RETURNING. */
export function returnedRow(columns: readonly RowColumn[], format: TabularFormat): Sql {
  if (format === 'csv') return csvFields(columns, false);
  if (hasLongName(columns)) return concatenatedObject(columns);
  return sql`(select row_to_json(o.*)::text from (select ${members(columns)}) o)`;
}

function csvFields(columns: readonly RowColumn[], jsonArrays: boolean): Sql {
  return join(
    columns.map(({ type, value }) => (jsonArrays && type.kind === 'array' ? sql`to_json(${value})::text` : value)),
  );
}

function hasLongName(columns: readonly RowColumn[]): boolean {
  return columns.some(({ name }) => Buffer.byteLength(name) > LONGEST_IDENTIFIER);
}

function members(columns: readonly RowColumn[]): Sql {
  return join(columns.map((column) => sql`${jsonValue(column)} as ${identifier(column.name)}`));
}

function concatenatedObject(columns: readonly RowColumn[]): Sql {
  const texts = columns.map((column, index) => {
    const opening = `${index === 0 ? '{' : ','}${JSON.stringify(column.name)}:`;
    return sql`${literal(opening)} || coalesce(to_json(${jsonValue(column)})::text, 'null')`;
  });
  return join([...texts, trusted(`'}'`)], ' || ');
}

/** Stored JSON text may hold newlines between its tokens; a row is one line (spec/catalog-data.md 4.2). */
function jsonValue({ type, value }: RowColumn): Sql {
  if (scalarOf(type).storage !== 'json') return value;
  const oneLine = (text: Sql): Sql => sql`translate(${text}::text, E'\n\r', '  ')::json`;
  if (type.kind === 'scalar') return oneLine(value);
  return sql`(case when ${value} is not null then
    coalesce((select json_agg(${oneLine(sql`e`)} order by n) from unnest(${value}) with ordinality u(e, n)), '[]') end)`;
}
