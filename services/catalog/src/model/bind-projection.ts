import { AppError } from '@holdfast/http-kit';
import { type ColumnType, scalarOf } from './column-types.js';
import type {
  Column,
  ForeignKey,
  InstanceColumn,
  Json,
  Projection,
  ProjectionFilter,
  ProjectionLink,
  ProjectionStep,
  Table,
} from './model.js';
import type { ColumnSyntax, FilterSyntax, ProjectionSyntax } from './parse-projection.js';

/** How the names of a projection are looked up; both throw for what is not there. */
export interface ProjectionLookup<Constraint> {
  column(table: Table, name: string): Column;
  /** A foreign key of the table (`outbound`) or one that refers to it (`inbound`). */
  foreignKey(table: Table, direction: ProjectionLink['direction'], constraint: Constraint): ForeignKey;
}

/** Follows a projection from its base table. */
export function bindProjection<Constraint>(
  { steps, value, bare }: ProjectionSyntax<Constraint>,
  base: Table,
  lookup: ProjectionLookup<Constraint>,
): Projection {
  const tables: Table[] = [base];
  const tableOf = (instance: number): Table => {
    const table = tables[instance];
    if (table === undefined) throw new AppError('internal', 'A projection uses an instance that is not bound.');
    return table;
  };
  const column = ({ instance, name }: ColumnSyntax): InstanceColumn =>
    Object.freeze({ instance, column: lookup.column(tableOf(instance), name) });
  const bound = steps.map((step): ProjectionStep => {
    if (step.kind !== 'link') return bindFilter(step, column);
    const { direction, from, given } = step;
    const foreignKey = lookup.foreignKey(tableOf(from), direction, step.constraint);
    const table = direction === 'outbound' ? foreignKey.references.parent : foreignKey.parent;
    tables.push(table);
    return Object.freeze({ kind: 'link', direction, foreignKey, from, to: tables.length - 1, table, given });
  });
  return Object.freeze({ base, steps: Object.freeze(bound), value: column(value), bare });
}

function bindFilter(filter: FilterSyntax, column: (name: ColumnSyntax) => InstanceColumn): ProjectionFilter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return Object.freeze({
        ...filter,
        operands: Object.freeze(filter.operands.map((operand) => bindFilter(operand, column))),
      });
    case 'null-test':
      return Object.freeze({ ...filter, column: column(filter.column) });
    case 'comparison': {
      const found = column(filter.column);
      return Object.freeze({ ...filter, column: found, operand: operandText(filter.operand, found.column.type) });
    }
    default:
      return filter satisfies never;
  }
}

/** A JSON scalar as a literal of a URL: for columns of documents the JSON text, else the bare value. */
function operandText(operand: Json, type: ColumnType): string {
  const { storage } = scalarOf(type);
  return typeof operand === 'string' && storage !== 'json' && storage !== 'jsonb' ? operand : JSON.stringify(operand);
}
