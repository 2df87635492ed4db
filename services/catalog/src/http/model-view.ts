import type { RightsEvaluator } from '@holdfast/acl';
import { AppError, type WireProfile } from '@holdfast/http-kit';
import type { Column, ForeignKey, Key, Model, Schema, Table } from '../model/model.js';
import type { Subject } from '../schema-change/configure.js';
import { sameSet } from '../schema-change/create-key.js';
import type { ForeignKeyFilter, ForeignKeyPath, SubjectTarget, TablePath, TableReference } from './model-target.js';

/** A model as one client sees it: what is hidden from it does not exist (spec/catalog-access.md 4). */
export interface ModelView {
  readonly model: Model;
  readonly rights: RightsEvaluator;
  readonly profile: WireProfile;
  /** Whether it is the model of a snapshot, where nobody may change anything. */
  readonly snapshot: boolean;
}

/** Finders throw `not_found` for what is not there or not visible. */

export function findSchema({ model, rights }: ModelView, name: string): Schema {
  return visible(rights, model.schemas.get(name), `schema ${JSON.stringify(name)}`);
}

export function findTable(view: ModelView, path: TablePath): Table {
  const table = findSchema(view, path.schema).tables.get(path.table);
  return visible(
    view.rights,
    table,
    `table ${JSON.stringify(path.table)} in the schema ${JSON.stringify(path.schema)}`,
  );
}

export function findColumn(view: ModelView, path: TablePath & { readonly column: string }): Column {
  const column = findTable(view, path).columnsByName.get(path.column);
  return visible(view.rights, column, `column ${JSON.stringify(path.column)}`);
}

export function findKey(view: ModelView, path: TablePath & { readonly columns: readonly string[] }): Key {
  const key = findTable(view, path).keys.find(({ columns }) => sameSet(namesOf(columns), path.columns));
  return visible(view.rights, key, `key on ${path.columns.join(', ')}`);
}

/** Visible foreign keys of a table that fit a list form of the URL (spec/catalog-model.md 16.2). */
export function findForeignKeys(view: ModelView, filter: ForeignKeyFilter): readonly ForeignKey[] {
  const table = findTable(view, filter);
  const all = table.foreignKeys.filter((foreignKey) => view.rights.always(foreignKey, 'enumerate'));
  const { columns, referenced } = filter;
  if (columns === null) return all;
  const ofColumns = all.filter((foreignKey) => sameSet(namesOf(foreignKey.columns), columns));
  if (ofColumns.length === 0)
    throw new AppError('not_found', `The table has no foreign key on exactly ${columns.join(', ')}.`);
  if (referenced === null) return ofColumns;
  const target = findReferenced(view, referenced);
  return ofColumns.filter(({ references }) => references.parent === target);
}

/**
 * The foreign key of a full URL. Columns are sets; where two foreign keys differ in the pairing only, the order in the URL decides.
 */
export function findForeignKey(view: ModelView, path: ForeignKeyPath): ForeignKey {
  const candidates = findForeignKeys(view, path).filter((foreignKey) =>
    sameSet(namesOf(foreignKey.referencedColumns), path.referencedColumns),
  );
  const [first, second] = candidates;
  if (first === undefined) throw new AppError('not_found', 'The table has no such foreign key.');
  if (second === undefined) return first;
  const paired = candidates.find((foreignKey) => isPairedLike(foreignKey, path));
  if (paired === undefined)
    throw new AppError('ambiguous_name', 'Several foreign keys pair these columns differently.');
  return paired;
}

/** The element a configuration sub-resource stands on. */
export function findSubject(view: ModelView, target: SubjectTarget): Subject {
  switch (target.kind) {
    case 'catalog':
      return view.model;
    case 'schema':
      return findSchema(view, target.schema);
    case 'table':
      return findTable(view, target);
    case 'column':
      return findColumn(view, target);
    case 'key':
      return findKey(view, target);
    case 'foreign_key':
      return findForeignKey(view, target);
    default:
      return target satisfies never;
  }
}

/** Elements after a change that may have given them other names: they are there. */

export function schemaByRid({ model }: ModelView, rid: string): Schema {
  return changed([...model.schemas.values()], rid);
}

export function tableByRid({ model }: ModelView, rid: string): Table {
  return changed(
    [...model.schemas.values()].flatMap(({ tables }) => [...tables.values()]),
    rid,
  );
}

export function columnByRid(view: ModelView, { rid, parent }: Column): Column {
  return changed(tableByRid(view, parent.rid).columns, rid);
}

export function keyByRid(view: ModelView, { rid, parent }: Key): Key {
  return changed(tableByRid(view, parent.rid).keys, rid);
}

export function foreignKeyByRid(view: ModelView, { rid, parent }: ForeignKey): ForeignKey {
  return changed(tableByRid(view, parent.rid).foreignKeys, rid);
}

function changed<Element extends { readonly rid: string }>(elements: readonly Element[], rid: string): Element {
  const element = elements.find((candidate) => candidate.rid === rid);
  if (element === undefined) throw new AppError('internal', 'An element that was changed is not there.');
  return element;
}

export function visibleTables({ rights }: ModelView, schema: Schema): readonly Table[] {
  return [...schema.tables.values()].filter((table) => rights.always(table, 'enumerate'));
}

function visible<Element extends Schema | Table | Column | Key>(
  rights: RightsEvaluator,
  element: Element | undefined,
  what: string,
): Element {
  if (element !== undefined && rights.always(element, 'enumerate')) return element;
  throw new AppError('not_found', `There is no ${what}.`);
}

/** A single name must be that of one visible table of the whole catalog. */
function findReferenced(view: ModelView, reference: TableReference): Table {
  if (reference.schema !== null) return findTable(view, { schema: reference.schema, table: reference.table });
  const found = [...view.model.schemas.values()]
    .map((schema) => schema.tables.get(reference.table))
    .filter((table) => table !== undefined && view.rights.always(table, 'enumerate'));
  const [first] = found;
  if (first === undefined) throw new AppError('not_found', `There is no table ${JSON.stringify(reference.table)}.`);
  if (found.length > 1)
    throw new AppError(
      'ambiguous_name',
      `Several schemas have a table ${JSON.stringify(reference.table)}; write schema:table.`,
    );
  return first;
}

function isPairedLike(foreignKey: ForeignKey, path: ForeignKeyPath): boolean {
  return path.columns.every((name, index) => {
    const position = foreignKey.columns.findIndex((column) => column.name === name);
    return foreignKey.referencedColumns[position]?.name === path.referencedColumns[index];
  });
}

function namesOf(columns: readonly Column[]): readonly string[] {
  return columns.map(({ name }) => name);
}
