import { AppError } from '@holdfast/http-kit';
import { z } from 'zod';
import { parseDocument } from '../model/parse-document.js';
import type { ColumnDefinition, TableDefinition, TableName } from './definitions.js';
import { described, elementName, parseAcls, parseDocumentBindings } from './document-parts.js';
import { parseColumn } from './parse-column.js';
import { parseForeignKey } from './parse-foreign-key.js';
import { parseKey } from './parse-key.js';
import { withSystemColumns } from './system-columns.js';

const list = z.array(z.unknown(), 'must be an array').nullish();
const tableDocument = z.object({
  schema_name: z.string('must be a string').nullish(),
  table_name: elementName,
  kind: z.unknown().optional(),
  column_definitions: list,
  keys: list,
  foreign_keys: list,
  ...described,
  acls: z.unknown().optional(),
  acl_bindings: z.unknown().optional(),
});

/**
 * Reads a table document (spec/catalog-model.md 13), with the system columns added if it has none (10).
 * @param schemaName schema of the URL or of the enclosing document; null when the document must name it
 */
export function parseTable(json: unknown, schemaName: string | null, what = 'The table'): TableDefinition {
  const document = parseDocument(tableDocument, json, what);
  const schema = document.schema_name ?? schemaName;
  if (schema === null) throw new AppError('bad_json', `${what}: schema_name is needed.`);
  if (schemaName !== null && schema !== schemaName)
    throw new AppError('conflict', `${what}: schema_name is not the schema the table is to be made in.`);
  if (document.kind !== undefined && document.kind !== null && document.kind !== 'table')
    throw new AppError('conflict', `${what}: only a kind "table" can be made; views are made with SQL.`);
  const table: TableName = { schema, table: document.table_name };
  const columns = (document.column_definitions ?? []).map((item, index) =>
    parseColumn(item, `${what}, column_definitions.${index}`),
  );
  refuseDuplicates(columns, what);
  const keys = (document.keys ?? []).map((item, index) => parseKey(item, `${what}, keys.${index}`));
  return {
    schemaName: schema,
    name: document.table_name,
    ...withSystemColumns(columns, keys, what),
    foreignKeys: (document.foreign_keys ?? []).map((item, index) =>
      parseForeignKey(item, table, `${what}, foreign_keys.${index}`),
    ),
    comment: document.comment,
    annotations: document.annotations,
    acls: parseAcls('table', document.acls),
    bindings: parseDocumentBindings('table', document.acl_bindings, what),
  };
}

function refuseDuplicates(columns: readonly ColumnDefinition[], what: string): void {
  const names = new Set<string>();
  for (const { name } of columns) {
    if (names.has(name)) throw new AppError('name_in_use', `${what}: two columns are called ${JSON.stringify(name)}.`);
    names.add(name);
  }
}
