import { type ColumnType, columnType, scalarOf, supports } from '../model/column-types.js';
import type { Expression } from './resolved.js';

/** Type of an output: a type of the catalogue, or a JSON document. */
export function outputType(expression: Expression): ColumnType {
  switch (expression.kind) {
    case 'column':
      return expression.column.type;
    case 'example':
      return outputType(expression.of);
    case 'bin':
    case 'rights':
      return known('jsonb');
    case 'function':
      return functionType(
        expression.function,
        expression.argument.kind === 'column' ? expression.argument.column.type : null,
      );
    default:
      return expression satisfies never;
  }
}

/** Whether outputs of the type can be sorted: JSON text has no order. */
export function sortable(type: ColumnType): boolean {
  return supports(type, 'equality');
}

function functionType(name: string, argument: ColumnType | null): ColumnType {
  if (name === 'cnt' || name === 'cnt_d') return known('int8');
  if (name === 'array' || name === 'array_d' || argument === null) return known('jsonb');
  const { storage } = scalarOf(argument);
  const float = storage === 'float4' || storage === 'float8';
  if (name === 'avg') return known(float ? 'float8' : 'numeric');
  if (name === 'sum') return known(float ? storage : storage === 'int2' || storage === 'int4' ? 'int8' : 'numeric');
  return argument;
}

function known(name: string): ColumnType {
  const type = columnType(name);
  if (type === null) throw new TypeError(`The type ${name} is missing from the catalogue.`);
  return type;
}
