import {
  type AccessList,
  BINDING_TYPES_OF_KIND,
  type BindingType,
  type BoundKind,
  parseAccessList,
} from '@holdfast/acl';
import { AppError } from '@holdfast/http-kit';
import { z } from 'zod';
import type { Json } from '../model/model.js';
import { fromAclError, parseDocument } from '../model/parse-document.js';
import {
  type ConstraintName,
  type ProjectionSyntax,
  parseConstraintName,
  parseProjection,
} from '../model/parse-projection.js';

/** Bindings of one element as a document gives them, by name, read for form; `false` switches one of the table off. */
export type BindingDefinitions = ReadonlyMap<string, BindingDefinition | false>;

/** A binding whose names are still to be looked up (spec/catalog-access.md 7.2). */
export interface BindingDefinition {
  readonly types: readonly BindingType[];
  readonly projection: ProjectionSyntax<ConstraintName>;
  /** Null: follows from the type of the final column. */
  readonly projectionType: 'acl' | 'nonnull' | null;
  readonly scopeAcl: AccessList;
  readonly comment: string | undefined;
}

export const NO_BINDINGS: BindingDefinitions = new Map();

const bindingDocument = z.strictObject({
  types: z.array(z.string('must be a string'), 'must be an array of types').min(1, 'must name at least one type'),
  // the value came from JSON.parse
  projection: z.unknown().transform((value) => value as Json | undefined),
  projection_type: z.enum(['acl', 'nonnull'], 'must be acl or nonnull').optional(),
  scope_acl: z.unknown().optional(),
  comment: z.string('must be a string').optional(),
});

/**
 * Reads the member `acl_bindings` of a document, or the body that sets all bindings.
 * @throws {AppError} `bad_json`, `bad_acl`
 */
export function parseBindings(kind: BoundKind, json: unknown, what = 'acl_bindings'): BindingDefinitions {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new AppError('bad_json', `${what}: must be an object of bindings by name.`);
  return new Map(
    Object.entries(json).map(([name, value]) => [name, parseBinding(kind, value, `${what}, ${JSON.stringify(name)}`)]),
  );
}

/**
 * Reads one binding.
 * @throws {AppError} `bad_json`, `bad_acl`
 */
export function parseBinding(kind: BoundKind, json: unknown, what: string): BindingDefinition | false {
  if (json === false) return false;
  const { types, projection, projection_type, scope_acl, comment } = parseDocument(bindingDocument, json, what);
  if (projection === undefined) throw new AppError('bad_acl', `${what}: projection is needed.`);
  return {
    types: types.map((type) => knownType(kind, type, what)),
    projection: parseProjection(projection, parseConstraintName, `${what}, projection`),
    projectionType: projection_type ?? null,
    scopeAcl: scope_acl === undefined ? ['*'] : parseScope(scope_acl, what),
    comment,
  };
}

function knownType(kind: BoundKind, name: string, what: string): BindingType {
  const allowed = BINDING_TYPES_OF_KIND[kind];
  const type = allowed.find((known) => known === name);
  if (type !== undefined) return type;
  throw new AppError(
    'bad_acl',
    `${what}, types: a binding of a ${kind.replace('_', ' ')} has the types ${allowed.join(', ')}, not ${JSON.stringify(name)}.`,
  );
}

function parseScope(json: unknown, what: string): AccessList {
  try {
    const list = parseAccessList(json, { pointer: '/scope_acl' });
    if (list.length > 0) return list;
  } catch (error) {
    throw fromAclError(error);
  }
  throw new AppError('bad_acl', `${what}, scope_acl: must name at least one role; leave it out for everybody.`);
}
