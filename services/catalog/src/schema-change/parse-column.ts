import { AppError } from '@holdfast/http-kit';
import { z } from 'zod';
import { type ColumnType, columnType, scalarOf } from '../model/column-types.js';
import { exactDefault } from '../model/exact-defaults.js';
import type { Json } from '../model/model.js';
import { parseDocument } from '../model/parse-document.js';
import type { ColumnDefinition } from './definitions.js';
import { anyJson, described, elementName, parseAcls, parseDocumentBindings } from './document-parts.js';

const columnDocument = z.object({
  name: elementName,
  type: z.unknown().optional(),
  default: anyJson,
  nullok: z.boolean('must be true or false').nullish(),
  ...described,
  acls: z.unknown().optional(),
  acl_bindings: z.unknown().optional(),
});

/** Reads a column document (spec/catalog-model.md 14). */
export function parseColumn(json: unknown, what = 'The column'): ColumnDefinition {
  const document = parseDocument(columnDocument, json, what);
  const type = parseColumnType(document.type, `${what}, type`);
  const serial = scalarOf(type).form === 'serial';
  return {
    name: document.name,
    type,
    nullok: serial ? false : (document.nullok ?? true),
    default: serial ? null : requireConstant(exactDefault(json, document.default) ?? null, type, what),
    comment: document.comment,
    annotations: document.annotations,
    acls: parseAcls('column', document.acls),
    bindings: parseDocumentBindings('column', document.acl_bindings, what),
  };
}

/**
 * Reads a type in either form: a name, or an object with `typename` and for an array `base_type` (spec/catalog-model.md 9).
 * @throws {AppError} `bad_json` for another form, `conflict` for a type that does not exist or may not be asked for
 */
export function parseColumnType(json: unknown, what: string): ColumnType {
  const name = typeof json === 'string' ? json : objectTypeName(json, what);
  const type = columnType(name);
  if (type === null || !scalarOf(type).creatable)
    throw new AppError('conflict', `${what}: columns cannot have the type ${JSON.stringify(name)}.`);
  return type;
}

const typeDocument = z.object({
  typename: z.string('must be a string'),
  is_array: z.boolean('must be true or false').nullish(),
  base_type: z.unknown().optional(),
});

/** The outer name of an array is recomputed from its base; the base of a domain follows from its name. */
function objectTypeName(json: unknown, what: string): string {
  const document = parseDocument(typeDocument, json, what);
  if (document.is_array !== true) return document.typename;
  const base =
    typeof document.base_type === 'string'
      ? document.base_type
      : parseDocument(typeDocument, document.base_type, `${what}, base_type`).typename;
  if (base.endsWith('[]')) throw new AppError('bad_json', `${what}: arrays of arrays are not supported.`);
  return `${base}[]`;
}

/** A default is a constant; what PostgreSQL makes of it is checked when the column is made. */
export function requireConstant(value: Json, type: ColumnType, what: string): Json {
  if (value === null) return null;
  if (type.kind === 'array') {
    if (Array.isArray(value) && value.every((item) => !Array.isArray(item))) return value;
    throw new AppError('bad_value', `${what}: the default of an array column is a JSON array of its values.`);
  }
  const isDocument = type.storage === 'json' || type.storage === 'jsonb';
  if (isDocument || typeof value !== 'object') return value;
  throw new AppError('bad_value', `${what}: the default must be a constant of the column's type.`);
}
