import { join, nothing, type Sql, sql, trusted } from '@holdfast/pg-kit';
import { allOutputs } from '../authorize/authorize-read.js';
import { scalarOf } from '../model/column-types.js';
import type { ReadPlan } from '../plan/read-plan.js';
import { outputType } from '../resolve/output-type.js';
import type { Expression } from '../resolve/resolved.js';
import { comparableValue } from './base-array.js';
import { columnSql } from './column-sql.js';
import { conditionSql } from './condition-sql.js';
import { expressionSql } from './expression-sql.js';
import { fromClause } from './instance-sql.js';
import { pagedSql } from './page-sql.js';
import { rowForm } from './row-sql.js';

/**
 * The statement of a read: its rows are the lines of the answer, one column a CSV field or one column of JSON text.
 */
export function readSql(plan: ReadPlan): Sql {
  const outputs = allOutputs(plan.authorized.read);
  const columns = outputs.map(({ name, expression }, index) => ({
    name,
    type: outputType(expression),
    value: sql`s.${outputName(index)}`,
  }));
  const form = rowForm(columns, plan.format, plan.jsonArrays);
  const page = pagedSql(denotedRows(plan), form.list, plan.page, (index) => ({
    value: sortValue(index, outputs[index]?.expression),
    nullable: isNullable(plan, outputs[index]?.expression),
  }));
  return form.wrap(page);
}

/** Name of an output inside the statement: the client's own names may be longer than PostgreSQL's identifiers. */
function outputName(index: number): Sql {
  return trusted(`c${index}`);
}

function sortValue(index: number, expression: Expression | undefined): Sql {
  const value = sql`s.${outputName(index)}`;
  return expression === undefined ? value : comparableValue(value, outputType(expression));
}

/** The rows the URL denotes, with columns c0, c1, … before order and page. */
function denotedRows({ authorized, shape }: ReadPlan): Sql {
  const { read } = authorized;
  const outputs = allOutputs(read);
  const list = join(
    outputs.map(({ expression }, index) => sql`${expressionSql(expression, authorized)} as ${outputName(index)}`),
  );
  const { conditions } = read.path;
  const where =
    conditions.length === 0
      ? nothing
      : sql` where ${join(
          conditions.map((condition) => conditionSql(condition)),
          ' and ',
        )}`;
  const body = sql`from ${fromClause(authorized)}${where}`;
  switch (shape) {
    case 'rows':
    case 'single':
      return sql`select ${list} ${body}`;
    case 'entities':
      return sql`select distinct on (${join(entityIdentity({ authorized }))}) ${list} ${body}`;
    case 'groups':
      return sql`select ${list} ${body} group by ${join(read.keys.map((_, index) => trusted(String(index + 1))))}`;
    default:
      return shape satisfies never;
  }
}

/** DISTINCT takes NULLs as equal; JSON text is compared as text (spec/catalog-data.md 3.1). */
function entityIdentity({ authorized }: Pick<ReadPlan, 'authorized'>): readonly Sql[] {
  const { context } = authorized.read.path;
  return authorized.entityColumns.map((column) => {
    const value = columnSql({ kind: 'column', instance: context, column });
    return scalarOf(column.type).storage === 'json' ? sql`${value}::text` : value;
  });
}

/** Whether a sort key can be NULL, as the client sees it: unknown counts as yes. */
function isNullable({ authorized }: ReadPlan, expression: Expression | undefined): boolean {
  if (expression?.kind !== 'column') return true;
  const outer = authorized.read.path.joins.some(({ type }) => type !== 'inner');
  const { instance, column } = expression;
  const masked = authorized.rules[instance.index]?.masks.some(({ columns }) => columns.includes(column)) === true;
  return outer || masked || column.nullok;
}
