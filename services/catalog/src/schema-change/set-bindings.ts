import { AppError } from '@holdfast/http-kit';
import { storedBindings } from '../model/build-bindings.js';
import { loadModel } from '../model/load-model.js';
import type { AmendedBindingDoc, BindingDoc, Column, ForeignKey, Model, Table } from '../model/model.js';
import { sameJson } from '../model/same-json.js';
import type { NewBindings } from './change-draft.js';
import { placeOf, requireOwner } from './configure.js';
import { replaceConfiguration } from './element-store.js';
import type { ModelEdit } from './model-edit.js';
import type { BindingDefinition, BindingDefinitions } from './parse-bindings.js';
import { resolveBindings } from './resolve-bindings.js';

/** What has bindings (spec/catalog-model.md 19.1). */
export type BoundSubject = Table | Column | ForeignKey;

/**
 * Replaces all bindings of an element (spec/catalog-model.md 19.5).
 * @param subject of the model in which the names of the definitions are meant
 */
export async function setBindings(
  edit: ModelEdit,
  subject: BoundSubject,
  definitions: BindingDefinitions,
): Promise<void> {
  requireOwner(edit, subject);
  await store(edit, subject, await resolveBindings(edit, baseOf(subject), definitions));
}

/** Sets one binding, or removes it with null. */
export async function setBinding(
  edit: ModelEdit,
  subject: BoundSubject,
  name: string,
  definition: BindingDefinition | false | null,
): Promise<void> {
  requireOwner(edit, subject);
  const { [name]: _replaced, ...others } = storedBindings(subject.bindings);
  const own = definition === null ? {} : await resolveBindings(edit, baseOf(subject), new Map([[name, definition]]));
  await store(edit, subject, { ...others, ...own });
}

/**
 * Removes one binding.
 * @throws {AppError} `not_found`
 */
export async function removeBinding(edit: ModelEdit, subject: BoundSubject, name: string): Promise<void> {
  requireOwner(edit, subject);
  if (!Object.hasOwn(subject.bindings, name))
    throw new AppError('not_found', `There is no binding ${JSON.stringify(name)}.`);
  await setBinding(edit, subject, name, null);
}

/** Sets the bindings of elements that the change has made, by the model as it is then (spec/catalog-model.md 12, phase 3). */
export async function setNewBindings(edit: ModelEdit, added: readonly NewBindings[]): Promise<void> {
  const wanted = new Map(
    added.filter(({ definitions }) => definitions.size > 0).map(({ rid, definitions }) => [rid, definitions] as const),
  );
  if (wanted.size === 0) return;
  const model = await loadModel(edit.connection, edit.change.micros);
  for (const subject of boundSubjects(model)) {
    const definitions = wanted.get(subject.rid);
    if (definitions !== undefined) await setBindings(edit, subject, definitions);
  }
}

/** Everything in a model that may have bindings. */
export function boundSubjects(model: Model): readonly BoundSubject[] {
  return [...model.schemas.values()].flatMap(({ tables }) =>
    [...tables.values()].flatMap((table) => [table, ...table.columns, ...table.foreignKeys]),
  );
}

async function store(
  edit: ModelEdit,
  subject: BoundSubject,
  doc: Readonly<Record<string, BindingDoc | AmendedBindingDoc | false>>,
): Promise<void> {
  if (sameJson(doc, storedBindings(subject.bindings))) return;
  await replaceConfiguration(edit.connection, edit.change, placeOf(subject), { kind: 'binding', doc });
  edit.touch();
}

/** Bindings of a foreign key look at the rows that are referred to (spec/catalog-access.md 7.1). */
function baseOf(subject: BoundSubject): Table {
  switch (subject.kind) {
    case 'table':
      return subject;
    case 'column':
      return subject.parent;
    case 'foreign_key':
      return subject.references.parent;
    default:
      return subject satisfies never;
  }
}
