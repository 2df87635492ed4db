import { type AclSet, type BoundKind, type ElementKind, NO_ACLS, parseAclSet } from '@holdfast/acl';
import { AppError } from '@holdfast/http-kit';
import { z } from 'zod';
import type { Annotations, Json } from '../model/model.js';
import { fromAclError } from '../model/parse-document.js';
import { type BindingDefinitions, NO_BINDINGS, parseBindings } from './parse-bindings.js';

/** Parts that documents of several kinds of elements have. Null counts as absent wherever a member is optional. */

const text = z.string('must be a string').refine((value) => !value.includes('\u0000'), 'must not contain U+0000');

export const comment = text.nullish().transform((value) => value ?? null);

export const annotations = z
  .record(z.string(), z.unknown(), 'must be an object of annotations by key')
  .nullish()
  // the value came from JSON.parse
  .transform((value): Annotations => (value ?? {}) as Annotations);

export const described = { comment, annotations };

/** Any JSON value, undefined for an absent one. */
export const anyJson = z
  .unknown()
  .optional()
  .transform((value) => value as Json | undefined);

export const elementName = z.string('must be a string').transform((name, context) => {
  const fault = nameFault(name);
  if (fault !== null) context.addIssue({ code: 'custom', message: fault });
  return name;
});

/**
 * The names of a constraint: pairs of schema and name, of which the first counts and of it the name (spec/catalog-model.md 15).
 */
export const constraintNames = z
  .array(z.tuple([z.unknown(), elementName], 'must be a pair of schema name and constraint name').nullable(), {
    error: 'must be an array of pairs of schema name and constraint name',
  })
  .nullish()
  .transform((pairs) => pairs?.[0]?.[1] ?? null);

/** PostgreSQL would cut a longer name with a mere notice. */
const MOST_NAME_BYTES = 63;

/** Why a text cannot be the name of an element (spec/catalog-model.md 7), as the end of a sentence; null if it can. */
export function nameFault(name: string): string | null {
  if (name === '') return 'must not be empty';
  if (name.includes('\u0000')) return 'must not contain U+0000';
  if (/\p{Surrogate}/u.test(name)) return 'must be well-formed Unicode';
  if (Buffer.byteLength(name) > MOST_NAME_BYTES) return `must have ${MOST_NAME_BYTES} bytes at most`;
  return null;
}

/**
 * Refuses a name that cannot be one.
 * @throws {AppError} `bad_name`
 */
export function requireName(name: string, what: string): string {
  const fault = nameFault(name);
  if (fault === null) return name;
  throw new AppError('bad_name', `The name of ${what} ${fault}.`);
}

/** Reads the access lists of a document. */
export function parseAcls(kind: ElementKind, json: unknown): AclSet {
  if (json === undefined || json === null) return NO_ACLS;
  try {
    return parseAclSet(kind, json, { pointer: '/acls' });
  } catch (error) {
    throw fromAclError(error);
  }
}

/** Reads the bindings of a document. */
export function parseDocumentBindings(kind: BoundKind, json: unknown, what: string): BindingDefinitions {
  return json === undefined || json === null ? NO_BINDINGS : parseBindings(kind, json, `${what}, acl_bindings`);
}
