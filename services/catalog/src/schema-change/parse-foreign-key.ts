import { AppError } from '@holdfast/http-kit';
import { z } from 'zod';
import type { ReferentialAction } from '../model/model.js';
import { parseDocument } from '../model/parse-document.js';
import type { ForeignKeyDefinition, TableName } from './definitions.js';
import { constraintNames, described, parseAcls, parseDocumentBindings } from './document-parts.js';
import { MOST_KEY_COLUMNS } from './parse-key.js';

/** A column by the names of its schema, table and itself. */
export const columnReference = z.object(
  {
    schema_name: z.string('must be a string').nullish(),
    table_name: z.string('must be a string').nullish(),
    column_name: z.string('must be a string'),
  },
  'must be an object with column_name',
);
const foreignKeyDocument = z.object({
  names: constraintNames,
  foreign_key_columns: z
    .array(columnReference, 'must be an array')
    .min(1, 'must name at least one column')
    .max(MOST_KEY_COLUMNS, `may name ${MOST_KEY_COLUMNS} columns at most`),
  referenced_columns: z
    .array(columnReference, 'must be an array')
    .min(1, 'must name at least one column')
    .max(MOST_KEY_COLUMNS, `may name ${MOST_KEY_COLUMNS} columns at most`),
  on_delete: z.unknown().optional(),
  on_update: z.unknown().optional(),
  // spelling of one list of the seed document; the other one wins
  on_Update: z.unknown().optional(),
  ...described,
  acls: z.unknown().optional(),
  acl_bindings: z.unknown().optional(),
});

/**
 * Reads a foreign key document (spec/catalog-model.md 16.3).
 * @param table the table of the URL or of the enclosing document; null when the document must name it
 */
export function parseForeignKey(
  json: unknown,
  table: TableName | null,
  what = 'The foreign key',
): ForeignKeyDefinition {
  const document = parseDocument(foreignKeyDocument, json, what);
  const { foreign_key_columns: from, referenced_columns: to } = document;
  if (from.length !== to.length)
    throw new AppError('bad_json', `${what}: foreign_key_columns and referenced_columns must have the same length.`);
  const own = tableOf(from, table, `${what}, foreign_key_columns`);
  if (table !== null && (own.schema !== table.schema || own.table !== table.table))
    throw new AppError('conflict', `${what}, foreign_key_columns: these are columns of another table than this one.`);
  const columns = from.map(({ column_name }) => column_name);
  const referencedColumns = to.map(({ column_name }) => column_name);
  for (const names of [columns, referencedColumns])
    if (new Set(names).size < names.length)
      throw new AppError('bad_json', `${what}: a column may be named once on a side.`);
  return {
    constraintName: document.names,
    table: own,
    columns,
    referencedTable: tableOf(to, own, `${what}, referenced_columns`),
    referencedColumns,
    onDelete: parseAction(document.on_delete, `${what}, on_delete`),
    onUpdate: parseAction(document.on_update ?? document.on_Update, `${what}, on_update`),
    comment: document.comment,
    annotations: document.annotations,
    acls: parseAcls('foreign_key', document.acls),
    bindings: parseDocumentBindings('foreign_key', document.acl_bindings, what),
  };
}

/** The one table that all references name; what they leave out is taken from the given one. */
function tableOf(
  references: readonly z.output<typeof columnReference>[],
  fallback: TableName | null,
  what: string,
): TableName {
  const [first, ...others] = references.map(({ schema_name, table_name }) => ({
    schema: schema_name ?? fallback?.schema,
    table: table_name ?? fallback?.table,
  }));
  if (first?.schema === undefined || first.table === undefined)
    throw new AppError('bad_json', `${what}: schema_name and table_name are needed.`);
  if (others.some(({ schema, table }) => schema !== first.schema || table !== first.table))
    throw new AppError('bad_json', `${what}: all columns must be of one table.`);
  return { schema: first.schema, table: first.table };
}

const actions: readonly ReferentialAction[] = ['NO ACTION', 'RESTRICT', 'CASCADE', 'SET NULL', 'SET DEFAULT'];

/** Reads an action, in any case; absent or null is `NO ACTION`. */
export function parseAction(json: unknown, what: string): ReferentialAction {
  if (json === undefined || json === null) return 'NO ACTION';
  const action = typeof json === 'string' ? actions.find((known) => known === json.toUpperCase()) : undefined;
  if (action !== undefined) return action;
  throw new AppError('bad_json', `${what}: must be one of ${actions.join(', ')}.`);
}
