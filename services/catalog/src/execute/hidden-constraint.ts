import type { RightsEvaluator } from '@holdfast/acl';
import { AppError } from '@holdfast/http-kit';
import pg from 'pg';
import { ownColumnRule } from '../authorize/row-rule.js';
import type { Column, ForeignKey, Key, Model, Table } from '../model/model.js';

/**
 * An error of a write as the client may read it: PostgreSQL's sentence names tables, columns and constraints that the client may not see,
 * and values that it may not read (spec/catalog-access.md 4). That there is a hindrance cannot be concealed.
 */
export function withoutHidden(error: unknown, model: Model, rights: RightsEvaluator): unknown {
  if (!(error instanceof AppError) || !(error.cause instanceof pg.DatabaseError)) return error;
  const { cause } = error;
  if (cause.code?.startsWith('23') !== true || cause.table === undefined) return error;
  const table = model.schemas.get(cause.schema ?? '')?.tables.get(cause.table);
  const known = table === undefined ? null : constrained(table, cause);
  if (known === null || !known.seen.every((element) => rights.always(element, 'enumerate')))
    return new AppError(error.code, HIDDEN, { cause });
  const readable = known.values.every((column) => mayReadAlways(column, rights));
  return readable ? error : new AppError(error.code, error.detail.replace(/\nDETAIL:[\s\S]*$/, ''), { cause });
}

const HIDDEN =
  'The rows violate a constraint that concerns more than you may see, for example rows that still refer to them or a value that is missing; ask an owner of the table.';

/** What an error names, and of which columns it shows values. */
interface Constrained {
  readonly seen: readonly (Table | Column | Key | ForeignKey)[];
  readonly values: readonly Column[];
}

function constrained(table: Table, { constraint, column: name }: pg.DatabaseError): Constrained | null {
  const column = name === undefined ? undefined : table.columnsByName.get(name);
  if (column !== undefined) return { seen: [table, column], values: [] };
  const foreignKey = table.foreignKeys.find((one) => one.constraintName === constraint);
  if (foreignKey !== undefined) {
    const { columns, referencedColumns, references } = foreignKey;
    return { seen: [table, foreignKey, references.parent], values: [...columns, ...referencedColumns] };
  }
  const key = table.keys.find((one) => one.constraintName === constraint);
  return key === undefined ? null : { seen: [table, key], values: key.columns };
}

/** Clients without any right to read know only what they have sent; others must not learn values that are masked for them. */
function mayReadAlways(column: Column, rights: RightsEvaluator): boolean {
  return rights.somehow(column, 'select') && ownColumnRule(column, 'select', rights).kind === 'all';
}
