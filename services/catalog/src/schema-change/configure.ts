import {
  type AclElement,
  type AclName,
  type AclSet,
  type ElementKind,
  isAclName,
  keepsOwnership,
  parseAcl,
  parseAclSet,
  withAcl,
} from '@holdfast/acl';
import { AppError, denied } from '@holdfast/http-kit';
import { CATALOG_RID } from '../model/element-rows.js';
import type { Annotations, Column, ForeignKey, Json, Key, Model, Schema, Table } from '../model/model.js';
import { fromAclError } from '../model/parse-document.js';
import { sameJson } from '../model/same-json.js';
import type { Description } from './definitions.js';
import { replaceConfiguration, replaceDocument } from './element-store.js';
import { requireCaptureValue } from './history-capture.js';
import type { ModelEdit } from './model-edit.js';

/** What comments, annotations and access lists stand on (spec/catalog-model.md 19.1). */
export type Subject = Model | Schema | Table | Column | Key | ForeignKey;

/** The subjects that have access lists. */
export type AclSubject = Exclude<Subject, Key>;

/** Sets or removes the comment of an element. */
export async function setComment(
  edit: ModelEdit,
  subject: Exclude<Subject, Model>,
  comment: string | null,
): Promise<void> {
  requireOwner(edit, subject);
  if (subject.comment === comment) return;
  await replaceDocument(edit.connection, edit.change, { rid: subject.rid, kind: subject.kind }, { comment });
  edit.touch();
}

/** Replaces all annotations of a subject. */
export async function setAnnotations(edit: ModelEdit, subject: Subject, annotations: Annotations): Promise<void> {
  requireOwner(edit, subject);
  if (sameJson(annotations, subject.annotations)) return;
  if (subject.kind === 'table') requireCaptureValue(annotations);
  await replaceConfiguration(edit.connection, edit.change, placeOf(subject), { kind: 'annotation', doc: annotations });
  edit.touch();
}

/** Sets comment and annotations as far as an alteration has them. */
export async function setDescription(
  edit: ModelEdit,
  subject: Exclude<Subject, Model>,
  { comment, annotations }: Description,
): Promise<void> {
  if (comment !== undefined) await setComment(edit, subject, comment);
  if (annotations !== undefined) await setAnnotations(edit, subject, annotations);
}

/** Sets one annotation. */
export function setAnnotation(edit: ModelEdit, subject: Subject, key: string, value: Json): Promise<void> {
  return setAnnotations(edit, subject, { ...subject.annotations, [key]: value });
}

/**
 * Removes one annotation.
 * @throws {AppError} `not_found` when it is not there
 */
export function removeAnnotation(edit: ModelEdit, subject: Subject, key: string): Promise<void> {
  requireOwner(edit, subject);
  if (!Object.hasOwn(subject.annotations, key))
    throw new AppError('not_found', `There is no annotation ${JSON.stringify(key)}.`);
  const { [key]: _removed, ...others } = subject.annotations;
  return setAnnotations(edit, subject, others);
}

/** Replaces all access lists of a subject, from the body of the request. */
export async function setAcls(edit: ModelEdit, subject: AclSubject, json: unknown): Promise<void> {
  requireOwner(edit, subject);
  await storeAcls(edit, subject, readAcls(subject.kind, json));
}

/**
 * Reads a whole set of access lists.
 * @throws {AppError} `bad_acl`, or `conflict` for a list that elements of the kind do not have
 */
export function readAcls(kind: ElementKind, json: unknown): AclSet {
  return translated(() => parseAclSet(kind, json));
}

/** Sets one access list, or unsets it with null. */
export async function setAcl(edit: ModelEdit, subject: AclSubject, name: string, json: unknown): Promise<void> {
  requireOwner(edit, subject);
  const list = translated(() => parseAcl(subject.kind, name, json));
  if (!isAclName(name)) throw new AppError('internal', 'An access list without a known name was read.');
  await storeAcls(edit, subject, withAcl(subject.kind, subject.acls, name, list));
}

/** Unsets one access list; on a catalog it becomes empty. */
export async function unsetAcl(edit: ModelEdit, subject: AclSubject, name: AclName): Promise<void> {
  requireOwner(edit, subject);
  await storeAcls(edit, subject, withAcl(subject.kind, subject.acls, name, undefined));
}

/** Reading access lists, too, is for owners only (19.4). */
export function requireOwner(edit: Pick<ModelEdit, 'rights' | 'client'>, subject: Subject): void {
  const owned = subject.kind === 'foreign_key' || subject.kind === 'column' ? subject.parent : subject;
  if (edit.rights.always(owned, 'owner')) return;
  throw denied(edit.client.client === null, 'This is for owners only.');
}

/** Stores the lists of a subject the client owns, and goes on owning. */
async function storeAcls(edit: ModelEdit, subject: AclSubject, acls: AclSet): Promise<void> {
  if (subject.kind !== 'column' && subject.kind !== 'foreign_key') requireKept(edit, { ...subject, acls });
  await writeAcls(edit, subject, acls);
}

/** Stores lists that were checked. */
export async function writeAcls(edit: ModelEdit, subject: AclSubject, acls: AclSet): Promise<void> {
  if (sameJson(acls, subject.acls)) return;
  await replaceConfiguration(edit.connection, edit.change, placeOf(subject), { kind: 'acl', doc: acls });
  edit.touch();
}

/** A change after which its maker would not own the element is refused (spec/catalog-access.md 2.7). */
export function requireKept(edit: ModelEdit, element: AclElement): void {
  if (keepsOwnership(edit.rights, element)) return;
  throw new AppError('forbidden', 'After this change you would no longer be an owner; another owner has to make it.');
}

/** Where the rows of a subject's configuration stand in the bookkeeping. */
export function placeOf(subject: Subject): { readonly rid: string; readonly parent: string } {
  if (subject.kind === 'catalog') return { rid: CATALOG_RID, parent: CATALOG_RID };
  const parent = subject.parent.kind === 'catalog' ? CATALOG_RID : subject.parent.rid;
  return { rid: subject.rid, parent };
}

function translated<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw fromAclError(error);
  }
}
