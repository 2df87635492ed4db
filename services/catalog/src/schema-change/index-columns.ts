import { AppError } from '@holdfast/http-kit';
import type { Annotations } from '../model/model.js';
import type { DraftTable } from './change-draft.js';
import type { CreationContext } from './creation-context.js';
import { createIndex } from './ddl.js';
import {
  blendHints,
  type IndexedColumn,
  type IndexHints,
  type IndexPlan,
  planIndexes,
  vainHints,
} from './index-plan.js';

/** Adds the indexes of a new column to a change. */
export function indexColumn(
  context: CreationContext,
  table: DraftTable,
  column: IndexedColumn & { readonly annotations: Annotations },
): void {
  const owner = table.columns.get(column.name)?.rid;
  if (owner === undefined) throw new AppError('internal', 'A column to be indexed is not there.');
  const hints = hintsOf(context, table, column.annotations);
  for (const sentence of vainHints(column, hints))
    context.warn({ schema: table.schema.name, table: table.name, column: column.name }, sentence);
  for (const plan of planIndexes(column, hints)) addIndex(context, table, owner, plan);
}

/** The index hints for a column of a table. */
export function hintsOf(context: CreationContext, table: DraftTable, column: Annotations): IndexHints {
  const sources = {
    column,
    table: table.annotations,
    schema: table.schema.annotations,
    catalog: context.draft.model.annotations,
  };
  return blendHints(sources, context.registrants);
}

/** Adds one index: at once on an empty table, else to be built when the change is over. */
export function addIndex(context: CreationContext, table: DraftTable, owner: string, plan: IndexPlan): void {
  if (plan.kind === 'trgm' && !context.trigrams) return;
  const columns = (plan.kind === 'btree' ? plan.columns : [plan.column]).map((name) => {
    const column = table.columns.get(name);
    if (column !== undefined) return column.rid;
    throw new AppError('unknown_element', `indexing-preferences: the table has no column ${JSON.stringify(name)}.`);
  });
  if (context.hasRows(table)) context.lateWork.push({ kind: 'index', table: table.rid, owner, plan, columns });
  else context.draft.ddl.push(createIndex({ schema: table.schema.name, table: table.name }, owner, plan));
}
