import type { RightsEvaluator } from '@holdfast/acl';
import { denied } from '@holdfast/http-kit';
import type { Moment } from '../history/moment.js';
import type { Column, Key } from '../model/model.js';
import type {
  Expression,
  Instance,
  Output,
  ResolvedCondition,
  ResolvedPath,
  ResolvedRead,
} from '../resolve/resolved.js';
import { type ReadRule, readRule } from './row-rule.js';
import { type Viewpoint, viewpointOf } from './viewpoint.js';

declare const authorized: unique symbol;

/**
 * A read that the client may do, with the rules it must obey. Only this stage makes one, and only such a read can be planned:
 * what was not authorized has another type (architecture 2).
 */
export interface AuthorizedRead {
  readonly [authorized]: true;
  readonly read: ResolvedRead;
  /** What the client sees of each instance; by `Instance.index`. */
  readonly rules: readonly ReadRule[];
  /** What tells entities of the context apart: the columns of a key, or all columns where there is no key. */
  readonly entityColumns: readonly Column[];
  /** Static rights on rows for `trs` and `tcrs`. */
  readonly rights: RightsEvaluator;
  readonly viewpoint: Viewpoint;
}

/**
 * Decides whether a client may do a read (spec/catalog-access.md 3.2).
 * @throws {AppError} `forbidden` or `auth_required`, naming the table or column
 */
export function authorizeRead(
  read: ResolvedRead,
  rights: RightsEvaluator,
  anonymous: boolean,
  moment: Moment,
): AuthorizedRead {
  const refuse = (what: string): never => {
    throw denied(anonymous, `Reading ${what} is not allowed; ask an owner of the table for the right "select".`);
  };
  const mayRead = (column: Column): boolean => rights.somehow(column, 'select');
  const needColumns = (columns: readonly Column[]): void => {
    for (const column of columns)
      if (!mayRead(column))
        refuse(`column ${JSON.stringify(column.name)} of table ${JSON.stringify(column.parent.name)}`);
  };
  const instances = instancesOf(read.path);
  for (const { table } of instances) {
    if (!rights.somehow(table, 'select')) refuse(`table ${JSON.stringify(table.name)}`);
  }
  for (const join of read.path.joins) {
    for (const { left, right } of join.alternatives.flat()) needColumns([left.column, right.column]);
  }
  for (const output of [...read.keys, ...read.outputs]) needColumns(columnsOf(output.expression));
  const conditions = read.path.conditions.map((condition) => authorizeCondition(condition, mayRead, needColumns));
  const narrowed = { read: { ...read, path: { ...read.path, conditions } } };
  const { context } = read.path;
  const rules = instances.map(({ table }) => readRule(table, rights));
  const masked = new Set(rules[context.index]?.masks.flatMap(({ columns }) => columns));
  return {
    ...narrowed,
    rules,
    entityColumns: entityColumns(context, rights, mayRead, masked),
    rights,
    viewpoint: viewpointOf(rights, moment),
  } as unknown as AuthorizedRead;
}

/** All instances in the order of their index. */
function instancesOf(path: ResolvedPath): readonly Instance[] {
  return [path.root, ...path.joins.map((join) => join.instance)];
}

/** Columns whose values an expression shows. */
function columnsOf(expression: Expression): readonly Column[] {
  switch (expression.kind) {
    case 'column':
      return [expression.column];
    case 'bin':
      return [expression.column.column];
    case 'example':
      return columnsOf(expression.of);
    case 'rights':
      return expression.instance.table.columns.filter((column) => column.system === 'RID');
    case 'function':
      if (expression.argument.kind === 'column') return [expression.argument.column];
      return expression.function === 'cnt' ? [] : expression.argument.columns;
    default:
      return expression satisfies never;
  }
}

/** Columns named in a condition are needed; a free-text star looks only at those the client may read (3.2.6). */
function authorizeCondition(
  condition: ResolvedCondition,
  mayRead: (column: Column) => boolean,
  need: (columns: readonly Column[]) => void,
): ResolvedCondition {
  switch (condition.kind) {
    case 'or':
    case 'and':
      return {
        ...condition,
        operands: condition.operands.map((operand) => authorizeCondition(operand, mayRead, need)),
      };
    case 'not':
      return { ...condition, operand: authorizeCondition(condition.operand, mayRead, need) };
    case 'null-test':
    case 'comparison':
      need([condition.column.column]);
      return condition;
    case 'text-match': {
      const { target } = condition;
      if (target.kind === 'star')
        return { ...condition, target: { ...target, columns: target.columns.filter(mayRead) } };
      need([target.column]);
      return condition;
    }
    default:
      return condition satisfies never;
  }
}

/**
 * The shortest solid key the client may read; all its columns where there is none (spec/catalog-data.md 3.1). A key that is hidden in
 * some rows is NULL there for the client and does not tell those rows apart.
 */
function entityColumns(
  context: Instance,
  rights: RightsEvaluator,
  mayRead: (column: Column) => boolean,
  masked: ReadonlySet<Column>,
): readonly Column[] {
  const usable = (key: Key): boolean =>
    !key.pseudo &&
    key.columns.every(
      (column) => !column.nullok && !masked.has(column) && rights.always(column, 'enumerate') && mayRead(column),
    );
  const [shortest] = context.table.keys.filter(usable).sort((a, b) => a.columns.length - b.columns.length);
  if (shortest !== undefined) return shortest.columns;
  return context.table.columns.filter((column) => rights.always(column, 'enumerate') && mayRead(column));
}

/** Keys and outputs together, in the order of the answer. */
export function allOutputs(read: ResolvedRead): readonly Output[] {
  return [...read.keys, ...read.outputs];
}
