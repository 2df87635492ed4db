import { AppError } from '@holdfast/http-kit';
import { bindProjection, type ProjectionLookup } from './bind-projection.js';
import type {
  AmendedBindingDoc,
  BindingDoc,
  BindingDocument,
  ElementBinding,
  ElementBindings,
  ForeignKey,
  Projection,
  Table,
} from './model.js';
import { type ConstraintName, parseConstraintName, parseProjection } from './parse-projection.js';
import { byName, constraintPair, elementsOf, holdsText, writeProjection } from './projection.js';

/**
 * Makes a binding of the model of its row in the bookkeeping, where elements stand by RID.
 * @param base table on which the projection starts
 */
export function buildBinding(stored: BindingDoc | AmendedBindingDoc, base: Table): ElementBinding {
  const { types, scope_acl, comment } = stored;
  const projection = storedProjection(stored, base);
  const projection_type = stored.projection_type ?? impliedType(projection);
  const document: BindingDocument = {
    types,
    projection: projection === null ? stored.projection : writeProjection(projection, byName),
    projection_type,
    scope_acl,
    ...(comment === undefined ? {} : { comment }),
  };
  // the type of a column may have been changed by hand
  const usable = projection_type === 'nonnull' || (projection !== null && holdsText(projection.value.column));
  return Object.freeze({
    types,
    scopeAcl: scope_acl,
    projectionType: projection_type,
    projection: usable ? projection : null,
    document,
    stored,
  });
}

/** The bindings of an element as the bookkeeping keeps them. */
export function storedBindings(
  bindings: ElementBindings,
): Readonly<Record<string, BindingDoc | AmendedBindingDoc | false>> {
  return Object.fromEntries(
    Object.entries(bindings).map(([name, binding]) => [name, binding === false ? false : binding.stored]),
  );
}

/** RIDs of what a projection uses. */
export function usesOf(projection: Projection): readonly string[] {
  return [...new Set(elementsOf(projection).map(({ rid }) => rid))];
}

/** Null for a projection that leads nowhere, as amendments of history may leave them: it matches nothing (spec/catalog-access.md 8.5). */
function storedProjection(stored: BindingDoc | AmendedBindingDoc, base: Table): Projection | null {
  const { projection } = stored;
  try {
    if ('by_name' in stored)
      return bindProjection(parseProjection(projection, parseConstraintName, 'projection'), base, lookupByName);
    const syntax = parseProjection(projection, (rid) => (typeof rid === 'string' ? rid : null), 'projection');
    return bindProjection(syntax, base, lookupByRid);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

function impliedType(projection: Projection | null): BindingDocument['projection_type'] {
  return projection !== null && holdsText(projection.value.column) ? 'acl' : 'nonnull';
}

const lookupByName: ProjectionLookup<ConstraintName> = {
  column: (table, name) => {
    const column = table.columnsByName.get(name);
    if (column === undefined) throw new AppError('unknown_element', `There is no column ${name} here.`);
    return column;
  },
  foreignKey: (table, direction, [schema, name]) => {
    const fits = (foreignKey: ForeignKey): boolean => {
      const [itsSchema, itsName] = constraintPair(foreignKey);
      return itsSchema === schema && itsName === name;
    };
    const [found, other] = (direction === 'outbound' ? table.foreignKeys : table.referencedBy).filter(fits);
    if (found === undefined || other !== undefined)
      throw new AppError('unknown_element', `There is no one foreign key ${name} here.`);
    return found;
  },
};

const lookupByRid: ProjectionLookup<string> = {
  column: (table, rid) => found(table.columns, rid),
  foreignKey: (table, direction, rid) => found(direction === 'outbound' ? table.foreignKeys : table.referencedBy, rid),
};

function found<Element extends { readonly rid: string }>(elements: readonly Element[], rid: string): Element {
  const element = elements.find((candidate) => candidate.rid === rid);
  if (element === undefined) throw new AppError('unknown_element', `There is no element ${rid} here.`);
  return element;
}
