import type { AclSet, ElementKind } from '@holdfast/acl';
import { AppError } from '@holdfast/http-kit';
import { z } from 'zod';
import { exactDefault } from '../model/exact-defaults.js';
import type { Annotations, ReferentialAction } from '../model/model.js';
import { parseDocument } from '../model/parse-document.js';
import { readAcls } from './configure.js';
import type { Description } from './definitions.js';
import { anyJson, constraintNames, elementName } from './document-parts.js';
import { type BindingDefinitions, parseBindings } from './parse-bindings.js';
import { columnReference, parseAction } from './parse-foreign-key.js';

/**
 * Documents that alter elements. Unlike in a creation, null is a value here and only what is absent stays as it is
 * (spec/catalog-model.md 11, 13-16).
 */
export interface SchemaAlteration extends Description {
  readonly name: string | undefined;
  readonly acls: AclSet | undefined;
}

export interface TableAlteration extends Description {
  readonly schemaName: string | undefined;
  readonly name: string | undefined;
  readonly acls: AclSet | undefined;
  readonly bindings: BindingDefinitions | undefined;
}

export interface ColumnAlteration extends Description {
  readonly name: string | undefined;
  /** Not read yet: what is a fault in it depends on the column. */
  readonly type: unknown;
  readonly nullok: boolean | undefined;
  readonly default: z.output<typeof anyJson>;
  readonly acls: AclSet | undefined;
  readonly bindings: BindingDefinitions | undefined;
}

export interface KeyAlteration extends Description {
  readonly constraintName: string | null;
  /** The columns that the document says the key has. */
  readonly columns: readonly string[] | undefined;
}

export interface ForeignKeyAlteration extends Description {
  readonly constraintName: string | null;
  /** The sides that the document says the foreign key has. */
  readonly columns: readonly ColumnReference[] | undefined;
  readonly referencedColumns: readonly ColumnReference[] | undefined;
  readonly onDelete: ReferentialAction | undefined;
  readonly onUpdate: ReferentialAction | undefined;
  readonly acls: AclSet | undefined;
  readonly bindings: BindingDefinitions | undefined;
}

export type ColumnReference = z.output<typeof columnReference>;

const described = {
  comment: z.string('must be a string or null').nullable().optional(),
  annotations: z
    .record(z.string(), z.unknown(), 'must be an object of annotations by key')
    .optional()
    // the value came from JSON.parse
    .transform((value) => value as Annotations | undefined),
};
const newName = elementName.optional();
const policy = { acls: z.unknown().optional(), acl_bindings: z.unknown().optional() };

const schemaDocument = z.object({ schema_name: newName, ...described, ...policy });
const tableDocument = z.object({ schema_name: newName, table_name: newName, ...described, ...policy });
const columnDocument = z.object({
  name: newName,
  type: z.unknown().optional(),
  nullok: z.boolean('must be true or false').optional(),
  default: anyJson,
  ...described,
  ...policy,
});
const keyDocument = z.object({
  names: constraintNames,
  unique_columns: z.array(z.string('must be a string'), 'must be an array of column names').optional(),
  ...described,
});
const side = z.array(columnReference, 'must be an array').optional();
const foreignKeyDocument = z.object({
  names: constraintNames,
  foreign_key_columns: side,
  referenced_columns: side,
  on_delete: z.unknown().optional(),
  on_update: z.unknown().optional(),
  on_Update: z.unknown().optional(),
  ...described,
  ...policy,
});

export function parseSchemaAlteration(json: unknown): SchemaAlteration {
  const { schema_name, comment, annotations, acls } = parseDocument(schemaDocument, json, 'The schema');
  return { name: schema_name, comment, annotations, acls: aclsOf('schema', acls) };
}

export function parseTableAlteration(json: unknown): TableAlteration {
  const document = parseDocument(tableDocument, json, 'The table');
  const { schema_name, table_name, comment, annotations, acls, acl_bindings } = document;
  return {
    schemaName: schema_name,
    name: table_name,
    comment,
    annotations,
    acls: aclsOf('table', acls),
    bindings: acl_bindings === undefined ? undefined : parseBindings('table', acl_bindings),
  };
}

export function parseColumnAlteration(json: unknown): ColumnAlteration {
  const document = parseDocument(columnDocument, json, 'The column');
  const { name, type, nullok, comment, annotations, acls, acl_bindings } = document;
  return {
    name,
    type,
    nullok,
    default: exactDefault(json, document.default),
    comment,
    annotations,
    acls: aclsOf('column', acls),
    bindings: acl_bindings === undefined ? undefined : parseBindings('column', acl_bindings),
  };
}

export function parseKeyAlteration(json: unknown): KeyAlteration {
  const { names, unique_columns, comment, annotations } = parseDocument(keyDocument, json, 'The key');
  return { constraintName: names, columns: unique_columns, comment, annotations };
}

/** An array of one document, or the bare document (16.4). */
export function parseForeignKeyAlteration(json: unknown): ForeignKeyAlteration {
  if (Array.isArray(json) && json.length !== 1)
    throw new AppError('bad_json', 'One foreign key is altered: the body is an array of one document.');
  const document = parseDocument(foreignKeyDocument, Array.isArray(json) ? json[0] : json, 'The foreign key');
  const { names, foreign_key_columns, referenced_columns, comment, annotations, acls, acl_bindings } = document;
  const action = (word: unknown, member: string): ReferentialAction | undefined =>
    word === undefined ? undefined : parseAction(word, `The foreign key, ${member}`);
  return {
    constraintName: names,
    columns: foreign_key_columns,
    referencedColumns: referenced_columns,
    onDelete: action(document.on_delete, 'on_delete'),
    onUpdate: action(document.on_update ?? document.on_Update, 'on_update'),
    comment,
    annotations,
    acls: aclsOf('foreign_key', acls),
    bindings: acl_bindings === undefined ? undefined : parseBindings('foreign_key', acl_bindings),
  };
}

function aclsOf(kind: ElementKind, json: unknown): AclSet | undefined {
  return json === undefined ? undefined : readAcls(kind, json);
}
