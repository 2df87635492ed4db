import { AppError } from '@holdfast/http-kit';
import type {
  AggregateItem,
  AttributeItem,
  BinItem,
  ColumnItem,
  FunctionItem,
  GroupItem,
  KeyItem,
  RightsItem,
} from '@holdfast/path-grammar';
import { supports, typeName } from '../model/column-types.js';
import { readLiteral } from '../model/literal.js';
import type { PathScope } from './path-scope.js';
import type { BinExpression, ColumnRef, Expression, FunctionExpression, Output, RightsExpression } from './resolved.js';

/** Columns of an `attribute` path, one row an entity (spec/catalog-data.md 3.4). */
export function resolveAttributes(items: readonly AttributeItem[], scope: PathScope): readonly Output[] {
  return items.flatMap((item) => resolveItem(item, scope));
}

/** Group keys (3.5). */
export function resolveKeys(items: readonly KeyItem[], scope: PathScope): readonly Output[] {
  const outputs = items.flatMap((item) => resolveItem(item, scope));
  for (const { name, expression } of outputs) {
    if (expression.kind === 'column' && !supports(expression.column.type, 'equality')) {
      throw new AppError(
        'not_supported_on_type',
        `Rows cannot be grouped by ${JSON.stringify(name)}: type ${typeName(expression.column.type)} has no equality.`,
      );
    }
  }
  return outputs;
}

/** What follows the group keys, and the whole of an `aggregate`: functions, and example values for the rest (3.5, 3.6). */
export function resolveGroupOutputs(
  items: readonly (GroupItem | AggregateItem)[],
  scope: PathScope,
): readonly Output[] {
  return items.flatMap((item): readonly Output[] => {
    if (item.kind === 'function') return [{ name: item.output.text, expression: resolveFunction(item, scope) }];
    return resolveItem(item, scope).map(({ name, expression }) => ({ name, expression: exampleOf(expression) }));
  });
}

/** Two outputs of one name cannot be told apart. */
export function refuseDuplicates(outputs: readonly Output[]): void {
  const seen = new Set<string>();
  for (const { name } of outputs) {
    if (seen.has(name))
      throw new AppError(
        'bad_syntax',
        `Two output columns are called ${JSON.stringify(name)}; rename one with name:=column.`,
      );
    seen.add(name);
  }
}

function exampleOf(expression: Expression): Expression {
  return expression.kind === 'function' || expression.kind === 'example'
    ? expression
    : { kind: 'example', of: expression };
}

function resolveItem(item: ColumnItem | BinItem | RightsItem, scope: PathScope): readonly Output[] {
  switch (item.kind) {
    case 'column':
      return resolveColumn(item, scope);
    case 'bin': {
      const bin = resolveBin(item, scope);
      return [{ name: item.output?.text ?? bin.column.column.name, expression: bin }];
    }
    case 'rights':
      return [{ name: item.output?.text ?? 'RID', expression: resolveRights(item, scope) }];
    default:
      return item satisfies never;
  }
}

function resolveColumn(item: ColumnItem, scope: PathScope): readonly Output[] {
  const ref = scope.column(item.column, 'projection');
  if (ref.kind === 'column') return [{ name: item.output?.text ?? ref.column.name, expression: ref }];
  if (item.output !== null) throw new AppError('bad_syntax', '"*" stands for several columns and cannot be renamed.');
  const prefix = item.column.parts.length > 1 ? `${item.column.parts[0] ?? ''}:` : '';
  return ref.columns.map((column) => ({
    name: prefix + column.name,
    expression: { kind: 'column', instance: ref.instance, column },
  }));
}

/** Greatest number of buckets: what PostgreSQL's width_bucket takes. */
const MOST_BUCKETS = 2 ** 31 - 2;

function resolveBin(item: BinItem, scope: PathScope): BinExpression {
  const column = scope.plainColumn(item.column, 'projection', 'bin');
  if (!supports(column.column.type, 'bin')) {
    throw new AppError(
      'not_supported_on_type',
      `bin is not defined on type ${typeName(column.column.type)} (column ${JSON.stringify(column.column.name)}).`,
    );
  }
  const count = Number(item.count.text);
  if (!/^\d+$/.test(item.count.text) || count < 1 || count > MOST_BUCKETS) {
    throw new AppError(
      'bad_value',
      `The number of buckets must be a whole number from 1 on; found ${JSON.stringify(item.count.text)}.`,
    );
  }
  const [low, high] = [readLiteral(item.low.text, column.column.type), readLiteral(item.high.text, column.column.type)];
  return { kind: 'bin', column, count, low, high };
}

function resolveRights(item: RightsItem, scope: PathScope): RightsExpression {
  const ref: ColumnRef = scope.plainColumn(item.column, 'projection', item.function);
  if (ref.column.name !== 'RID')
    throw new AppError(
      'not_supported_on_type',
      `${item.function} takes the column RID of an instance: ${item.function}(RID) or ${item.function}(alias:RID).`,
    );
  return { kind: 'rights', function: item.function, instance: ref.instance };
}

function resolveFunction(item: FunctionItem, scope: PathScope): FunctionExpression {
  const argument = scope.column(item.column, 'projection');
  if (argument.kind === 'star') {
    if (item.function === 'cnt' || item.function === 'array' || item.function === 'array_d')
      return { kind: 'function', function: item.function, argument };
    throw new AppError('bad_syntax', `${item.function} takes a column, not "*".`);
  }
  const { type } = argument.column;
  const needed =
    item.function === 'min' || item.function === 'max'
      ? 'minmax'
      : item.function === 'avg' || item.function === 'sum'
        ? 'avgsum'
        : null;
  if (needed !== null && !supports(type, needed)) {
    throw new AppError(
      'not_supported_on_type',
      `${item.function} is not defined on type ${typeName(type)} (column ${JSON.stringify(argument.column.name)}).`,
    );
  }
  return { kind: 'function', function: item.function, argument };
}
