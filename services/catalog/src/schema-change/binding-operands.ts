import { AppError } from '@holdfast/http-kit';
import { type Connection, type Sql, sql, sqlStateOf, trusted } from '@holdfast/pg-kit';
import { supports, typeName } from '../model/column-types.js';
import { readLiteral } from '../model/literal.js';
import type { Projection, ProjectionFilter } from '../model/model.js';

type Comparison = Extract<ProjectionFilter, { readonly kind: 'comparison' }>;

/**
 * Makes sure that every operand of a projection is a value of its column's type, or a pattern, so that the binding can never fail the
 * readers later. PostgreSQL is asked, because it will read the operand then.
 * @throws {AppError} `bad_value`, `not_supported_on_type`
 */
export async function checkOperands(connection: Connection, projection: Projection, what: string): Promise<void> {
  for (const comparison of projection.steps.flatMap(comparisonsOf)) {
    const place = `${what}: the operand ${JSON.stringify(comparison.operand.slice(0, 100))} of the filter on ${JSON.stringify(comparison.column.column.name)}`;
    try {
      await connection.execute(sql`select ${reading(comparison)}`);
    } catch (error) {
      if (!UNREADABLE.test(sqlStateOf(error) ?? '')) throw error;
      throw new AppError('bad_value', `${place} cannot be read: ${messageOf(error)}.`, { cause: error });
    }
  }
}

/** Bad data; for a text search, what PostgreSQL reports like a statement it cannot read. */
const UNREADABLE = /^(22|42601)/;

function comparisonsOf(step: Projection['steps'][number]): readonly Comparison[] {
  switch (step.kind) {
    case 'and':
    case 'or':
      return step.operands.flatMap(comparisonsOf);
    case 'comparison':
      return [step];
    case 'link':
    case 'null-test':
      return [];
    default:
      return step satisfies never;
  }
}

/** An expression that reads the operand as the evaluation will. */
function reading({ operator, operand, column: { column } }: Comparison): Sql {
  if (operator === 'regexp' || operator === 'ciregexp') return sql`''::text ~ ${operand}::text`;
  if (operator === 'ts') return sql`to_tsquery(${operand}::text)`;
  if (!supports(column.type, 'equality'))
    throw new AppError(
      'not_supported_on_type',
      `Values of type ${typeName(column.type)} cannot be compared (column ${JSON.stringify(column.name)}).`,
    );
  const { text, type } = readLiteral(operand, column.type);
  return sql`${text}::${trusted(type)}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown reason';
}
