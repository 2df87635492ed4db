import { AppError } from '@holdfast/http-kit';
import { z } from 'zod';
import { parseDocument } from '../model/parse-document.js';
import type { BulkItem, SchemaDefinition } from './definitions.js';
import { described, elementName, parseAcls } from './document-parts.js';
import { parseForeignKey } from './parse-foreign-key.js';
import { parseTable } from './parse-table.js';

const byName = (message: string) => z.record(z.string(), z.unknown(), message);
const schemaDocument = z.object({
  schema_name: elementName,
  tables: byName('must be an object of tables by name').nullish(),
  ...described,
  acls: z.unknown().optional(),
});
const modelDocument = z.object({ schemas: byName('must be an object of schemas by name') });
const anObject = z.record(z.string(), z.unknown(), 'must be an object');

/** The two forms of a bulk creation (spec/catalog-model.md 12). */
export interface BulkDefinition {
  readonly form: 'map' | 'list';
  readonly items: readonly BulkItem[];
}

/** Reads the body of POST schema. */
export function parseBulk(json: unknown): BulkDefinition {
  if (Array.isArray(json)) return { form: 'list', items: json.map((item, index) => parseItem(item, `Item ${index}`)) };
  const { schemas } = parseDocument(modelDocument, json, 'The model');
  const items = Object.entries(schemas).map(([name, schema]): BulkItem => {
    const what = `The schema ${JSON.stringify(name)}`;
    return { kind: 'schema', definition: parseSchema(named(schema, 'schema_name', name, what), what) };
  });
  return { form: 'map', items };
}

function parseItem(json: unknown, what: string): BulkItem {
  const item = parseDocument(anObject, json, what);
  if ('table_name' in item) return { kind: 'table', definition: parseTable(item, null, what) };
  if ('foreign_key_columns' in item) return { kind: 'foreign_key', definition: parseForeignKey(item, null, what) };
  if ('schema_name' in item) return { kind: 'schema', definition: parseSchema(item, what) };
  throw new AppError('bad_json', `${what}: neither a schema (schema_name), a table (table_name) nor a foreign key.`);
}

function parseSchema(json: unknown, what: string): SchemaDefinition {
  const document = parseDocument(schemaDocument, json, what);
  const tables = Object.entries(document.tables ?? {}).map(([name, table]) => {
    const place = `${what}, table ${JSON.stringify(name)}`;
    return parseTable(named(table, 'table_name', name, place), document.schema_name, place);
  });
  return {
    name: document.schema_name,
    comment: document.comment,
    annotations: document.annotations,
    acls: parseAcls('schema', document.acls),
    tables,
  };
}

/** An item of a map may leave out its name, but not have another one than its key. */
function named(json: unknown, member: string, name: string, what: string): unknown {
  const document = parseDocument(anObject, json, what);
  const given = document[member];
  if (given !== undefined && given !== null && given !== name)
    throw new AppError('bad_json', `${what}: ${member} must equal the key in the map.`);
  return { ...document, [member]: name };
}
