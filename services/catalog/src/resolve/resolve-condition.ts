import { AppError } from '@holdfast/http-kit';
import type { Comparison, Condition } from '@holdfast/path-grammar';
import { scalarOf, supports, typeName } from '../model/column-types.js';
import { type LiteralValue, readLiteral } from '../model/literal.js';
import { canonicalRid } from '../model/rid.js';
import type { PathScope } from './path-scope.js';
import type { ColumnRef, ComparisonOperator, ResolvedCondition } from './resolved.js';

/** Resolves a filter against the instances bound so far and the present context (spec/catalog-data.md 3.2). */
export function resolveCondition(condition: Condition, scope: PathScope): ResolvedCondition {
  switch (condition.kind) {
    case 'or':
    case 'and':
      return { kind: condition.kind, operands: condition.operands.map((operand) => resolveCondition(operand, scope)) };
    case 'not':
      return { kind: 'not', operand: resolveCondition(condition.operand, scope) };
    case 'null-test':
      return { kind: 'null-test', column: scope.plainColumn(condition.column, 'filter', '::null::') };
    case 'comparison':
      return resolveComparison(condition, scope);
    default:
      return condition satisfies never;
  }
}

function resolveComparison(comparison: Comparison, scope: PathScope): ResolvedCondition {
  const { operator, operand } = comparison;
  const quantifier = operand.kind === 'value-list' ? operand.quantifier : 'any';
  const texts = operand.kind === 'value-list' ? operand.values.map((value) => value.text) : [operand.text];
  if (operator === 'regexp' || operator === 'ciregexp' || operator === 'ts') {
    return {
      kind: 'text-match',
      target: scope.column(comparison.column, 'filter'),
      operator,
      quantifier,
      values: texts,
    };
  }
  const column = scope.plainColumn(
    comparison.column,
    'filter',
    `the operator ${operator === '=' ? '=' : `::${operator}::`}`,
  );
  return compareColumn(column, operator, quantifier, texts);
}

/**
 * A comparison of values with literals as a URL writes them.
 * @throws {AppError} `not_supported_on_type`, `bad_value`
 */
export function compareColumn(
  column: ColumnRef,
  operator: ComparisonOperator,
  quantifier: 'any' | 'all',
  texts: readonly string[],
): ResolvedCondition {
  if (!supports(column.column.type, 'equality')) {
    throw new AppError(
      'not_supported_on_type',
      `Values of type ${typeName(column.column.type)} cannot be compared (column ${JSON.stringify(column.column.name)}).`,
    );
  }
  if (isRidEquality(column, operator)) return ridEquality(column, quantifier, texts);
  return {
    kind: 'comparison',
    column,
    operator,
    quantifier,
    values: texts.map((text) => readLiteral(text, column.column.type)),
  };
}

function isRidEquality({ column }: ColumnRef, operator: ComparisonOperator): boolean {
  return (
    column.name === 'RID' &&
    operator === '=' &&
    column.type.kind === 'scalar' &&
    scalarOf(column.type).storage === 'text'
  );
}

/** The verbatim text or its canonical form, each value on its own (spec/catalog-data.md 3.2.5). */
function ridEquality(column: ColumnRef, quantifier: 'any' | 'all', texts: readonly string[]): ResolvedCondition {
  const forms = texts.map((text): readonly LiteralValue[] => {
    const canonical = canonicalRid(text);
    return (canonical === null || canonical === text ? [text] : [text, canonical]).map((form) => ({
      text: form,
      type: 'text',
    }));
  });
  const equality = (values: readonly LiteralValue[]): ResolvedCondition => ({
    kind: 'comparison',
    column,
    operator: '=',
    quantifier: 'any',
    values,
  });
  return quantifier === 'any' ? equality(forms.flat()) : { kind: 'and', operands: forms.map(equality) };
}
