import { identifier, join, type Sql, sql, trusted } from '@holdfast/pg-kit';
import { CSV_COPY_OPTIONS, JSON_ROWS_COPY_OPTIONS } from '@holdfast/tabular';
import { declaredName, scalarOf, storageName } from '../model/column-types.js';
import type { Column } from '../model/model.js';

/** Where the rows of a request wait until they are written: a temporary table of the connection. */
export const stage = identifier('pg_temp', 'holdfast_stage');

/** How input rows are read back from where they wait. */
export interface Staging {
  /** What to select them from: a relation with the column `ord`. */
  readonly source: Sql;
  /** The value of a column in a staged row, converted to the column's type. `row` names the staged row. */
  value(column: Column, row: Sql): Sql;
  /** Whether NULL may stand in a column of the input. */
  mayBeNull(column: Column): boolean;
  /** Its text as it was sent, for messages. */
  text(column: Column, row: Sql): Sql;
}

/** Rows that wait in {@link stage}. */
export interface TemporaryStaging extends Staging {
  readonly create: Sql;
  readonly copy: Sql;
}

/** Sequence that numbers the rows of {@link stage}. */
export const stageRecords = identifier('pg_temp', 'holdfast_stage_ord_seq');

/** Number of the input row: its order, and what messages name. */
export const ordinal = identifier('ord');

/**
 * CSV: a column each, so that COPY itself converts and can name the record of a bad value. Arrays are staged as text, since they may
 * come as JSON too (spec/catalog-data.md 4.5).
 * @param header columns in the order of the record; null for one to be ignored
 */
export function csvStaging(header: readonly (Column | null)[]): TemporaryStaging {
  const stagedName = (index: number): Sql => identifier(`c${index}`);
  const columns = header.map(
    (column, index) => sql`${stagedName(index)} ${trusted(column === null ? 'text' : stagedType(column))}`,
  );
  const list = join(header.map((_, index) => stagedName(index)));
  // by RID and input name: the model may have been loaded again since the rows were staged
  const placeOf = ({ rid, name }: Column): number =>
    header.findIndex((staged) => staged?.rid === rid && staged.name === name);
  return {
    source: stage,
    create: sql`create temporary table holdfast_stage (${ordinal} bigint generated always as identity, ${join(columns)})`,
    copy: sql`copy ${stage} (${list}) from stdin ${trusted(CSV_COPY_OPTIONS)}`,
    value: (column, row) => {
      const index = placeOf(column);
      if (index < 0) return sql`null::${trusted(declaredName(column.type))}`;
      const staged = sql`${row}.${stagedName(index)}`;
      const declared = trusted(declaredName(column.type));
      if (column.type.kind === 'scalar') return sql`${staged}::${declared}`;
      const array = sql`_catalog.array_literal(${staged}, ${isJson(column)})::${declared}`;
      if (column.type.element.storage !== 'json') return array;
      return sql`(case when ltrim(${staged}) like '[%' then ${jsonElements(sql`${staged}::json`)} else ${array} end)`;
    },
    mayBeNull: () => true,
    text: (column, row) => {
      const index = placeOf(column);
      return index < 0 ? sql`null::text` : sql`${row}.${stagedName(index)}::text`;
    },
  };
}

/** JSON: one document a row; members are taken out of it when the rows are written. */
export function jsonStaging(keepsText: boolean): TemporaryStaging {
  return {
    source: stage,
    create: sql`create temporary table holdfast_stage (${ordinal} bigint generated always as identity, doc ${trusted(keepsText ? 'json' : 'jsonb')})`,
    copy: sql`copy ${stage} (doc) from stdin ${trusted(JSON_ROWS_COPY_OPTIONS)}`,
    value: (column, row) => jsonMember(column, sql`${row}.doc`, keepsText),
    mayBeNull: () => true,
    text: (column, row) => sql`(${row}.doc ->> ${column.name}::text)`,
  };
}

/**
 * JSON that is sent with each statement instead of waiting in a table: for few rows, which a temporary table would cost more than they
 * do themselves.
 * @param array text of a JSON array of objects
 */
export function inlineJsonStaging(array: string, columns: readonly Column[]): Staging {
  const { value, mayBeNull, text } = jsonStagingFor(columns);
  const elements = keepsJsonText(columns)
    ? sql`json_array_elements(${array}::json)`
    : sql`jsonb_array_elements(${array}::jsonb)`;
  return { source: sql`(select d.ord, d.doc from ${elements} with ordinality d(doc, ord))`, value, mayBeNull, text };
}

/** Which of the columns hold NULL in some staged row: `n0`, `n1`, … in their order. */
export function nullsSql(columns: readonly Column[], staging: Staging): Sql {
  const row = identifier('s');
  const nulls = columns.map(
    (column, index) =>
      sql`coalesce(bool_or(${staging.value(column, row)} is null), false) as ${identifier(`n${index}`)}`,
  );
  return sql`select ${join(nulls)} from ${staging.source} ${row}`;
}

/** Staging of JSON for these columns. */
export function jsonStagingFor(columns: readonly Column[]): TemporaryStaging {
  return jsonStaging(keepsJsonText(columns));
}

/** Values of type `json` keep the text they were sent as. */
function keepsJsonText(columns: readonly Column[]): boolean {
  return columns.some((column) => scalarOf(column.type).storage === 'json');
}

/** A member: text of a scalar converted to the type; a missing member and `null` are NULL, but JSON null in a JSON column. */
function jsonMember(column: Column, doc: Sql, keepsText: boolean): Sql {
  const name = sql`${column.name}::text`;
  const declared = trusted(declaredName(column.type));
  const { storage } = scalarOf(column.type);
  if (column.type.kind === 'array') {
    const member = keepsText ? sql`(${doc} -> ${name})::jsonb` : sql`(${doc} -> ${name})`;
    if (!isJson(column)) return sql`_catalog.json_items(${member})::${declared}`;
    const array = sql`_catalog.json_documents(${member})::${declared}`;
    if (storage !== 'json') return array;
    const text = sql`(${doc} -> ${name})`;
    return sql`(case when json_typeof(${text}) = 'array' then ${jsonElements(text)} else ${array} end)`;
  }
  if (storage === 'json') return sql`(${doc} -> ${name})::json`;
  if (storage === 'jsonb') return sql`(${doc} -> ${name})::jsonb`;
  // through jsonb, so that an object in a text column gets its one spelling
  const text = keepsText ? sql`((${doc})::jsonb ->> ${name})` : sql`(${doc} ->> ${name})`;
  return sql`${text}::${declared}`;
}

/** The elements of a JSON array as they were sent: by way of jsonb they would lose their text (spec/catalog-data.md 4.2). */
function jsonElements(array: Sql): Sql {
  return sql`array(select json_array_elements(${array}))`;
}

function stagedType(column: Column): string {
  return column.type.kind === 'array' ? 'text' : storageName(column.type);
}

function isJson(column: Column): boolean {
  const { storage } = scalarOf(column.type);
  return storage === 'json' || storage === 'jsonb';
}
