import { AppError } from '@holdfast/http-kit';
import type { InstanceColumn, ProjectionFilter } from '../model/model.js';
import { compareColumn } from './resolve-condition.js';
import type { ColumnRef, Instance, ResolvedCondition } from './resolved.js';

/**
 * A filter of a binding's projection as a condition, the same that a filter of a path becomes: literals are read, comparisons are
 * three-valued (spec/catalog-access.md 7.3).
 * @param instances of the projection, by their number
 * @throws {AppError} when an operand is no value of its column any more, for instance after a change by hand
 */
export function resolveBindingFilter(filter: ProjectionFilter, instances: readonly Instance[]): ResolvedCondition {
  const condition = resolvePositive(filter, instances);
  return filter.negate ? { kind: 'not', operand: condition } : condition;
}

function resolvePositive(filter: ProjectionFilter, instances: readonly Instance[]): ResolvedCondition {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return {
        kind: filter.kind,
        operands: filter.operands.map((operand) => resolveBindingFilter(operand, instances)),
      };
    case 'null-test':
      return { kind: 'null-test', column: instanceColumn(filter.column, instances) };
    case 'comparison': {
      const column = instanceColumn(filter.column, instances);
      const { operator, operand } = filter;
      if (operator === 'regexp' || operator === 'ciregexp' || operator === 'ts')
        return { kind: 'text-match', target: column, operator, quantifier: 'any', values: [operand] };
      return compareColumn(column, operator, 'any', [operand]);
    }
    default:
      return filter satisfies never;
  }
}

/** The column of an instance that a projection numbers. */
export function instanceColumn({ instance, column }: InstanceColumn, instances: readonly Instance[]): ColumnRef {
  const bound = instances[instance];
  if (bound === undefined) throw new AppError('internal', 'A projection uses an instance that is not bound.');
  return { kind: 'column', instance: bound, column };
}
