import type { AclName } from './acl-names.js';
import type { CatalogElement, ColumnElement, ForeignKeyElement, SchemaElement, TableElement } from './elements.js';
import type { Right, RightsEvaluator } from './rights.js';

/** `null` stands for "depends on the row" (spec/catalog-access.md 6). */
export type RowBoolean = boolean | null;

export interface ContainerRights {
  readonly owner: boolean;
  readonly create: boolean;
}

export interface TableRights {
  readonly owner: boolean;
  readonly insert: boolean;
  readonly update: RowBoolean;
  readonly delete: RowBoolean;
  readonly select: RowBoolean;
}

export interface ColumnRights {
  readonly insert: boolean;
  readonly update: RowBoolean;
  readonly delete: RowBoolean;
  readonly select: RowBoolean;
}

export interface ForeignKeyRights {
  readonly insert: RowBoolean;
  readonly update: RowBoolean;
}

export interface RightsOptions {
  /** The model is that of a snapshot: nothing can be changed there, so all but `select` is false. */
  readonly snapshot?: boolean;
}

/** The `rights` of a catalog, of a whole model and of a schema. */
export function containerRights(
  evaluator: RightsEvaluator,
  element: CatalogElement | SchemaElement,
  options: RightsOptions = {},
): ContainerRights {
  if (options.snapshot) return { owner: false, create: false };
  return { owner: evaluator.always(element, 'owner'), create: evaluator.always(element, 'create') };
}

export function tableRights(evaluator: RightsEvaluator, table: TableElement, options: RightsOptions = {}): TableRights {
  const select = asRowBoolean(evaluator.right(table, 'select'));
  if (options.snapshot) return { owner: false, insert: false, update: false, delete: false, select };
  return {
    owner: evaluator.always(table, 'owner'),
    insert: evaluator.always(table, 'insert'),
    update: asRowBoolean(evaluator.right(table, 'update')),
    delete: asRowBoolean(evaluator.right(table, 'delete')),
    select,
  };
}

export function columnRights(
  evaluator: RightsEvaluator,
  column: ColumnElement,
  options: RightsOptions = {},
): ColumnRights {
  const select = asRowBoolean(evaluator.right(column, 'select'));
  if (options.snapshot) return { insert: false, update: false, delete: false, select };
  return {
    insert: evaluator.always(column, 'insert'),
    update: asRowBoolean(evaluator.right(column, 'update')),
    delete: asRowBoolean(evaluator.right(column, 'delete')),
    select,
  };
}

export function foreignKeyRights(
  evaluator: RightsEvaluator,
  foreignKey: ForeignKeyElement,
  options: RightsOptions = {},
): ForeignKeyRights {
  if (options.snapshot) return { insert: false, update: false };
  return {
    insert: limitedByColumns(evaluator, foreignKey, 'insert'),
    update: limitedByColumns(evaluator, foreignKey, 'update'),
  };
}

/** An open foreign key is worth no more than its columns: the first that is not writable speaks for it. */
function limitedByColumns(evaluator: RightsEvaluator, foreignKey: ForeignKeyElement, access: AclName): RowBoolean {
  const own = evaluator.right(foreignKey, access);
  if (own !== 'true') return asRowBoolean(own);
  for (const column of foreignKey.columns) {
    const ofColumn = evaluator.right(column, access);
    if (ofColumn !== 'true') return asRowBoolean(ofColumn);
  }
  return true;
}

function asRowBoolean(right: Right): RowBoolean {
  switch (right) {
    case 'true':
      return true;
    case 'false':
      return false;
    case 'row':
      return null;
    default:
      return unknownRight(right);
  }
}

function unknownRight(right: never): never {
  throw new TypeError(`unknown right ${String(right)}`);
}
