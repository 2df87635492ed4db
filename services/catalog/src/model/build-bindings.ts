import { AppError } from '@holdfast/http-kit';
import { bindProjection, type ProjectionLookup } from './bind-projection.js';
import type { BindingDoc, BindingDocument, ElementBinding, ElementBindings, Projection, Table } from './model.js';
import { parseProjection } from './parse-projection.js';
import { byName, elementsOf, holdsText, writeProjection } from './projection.js';

/**
 * Makes a binding of the model of its row in the bookkeeping, where elements stand by RID.
 * @param base table on which the projection starts
 */
export function buildBinding(stored: BindingDoc, base: Table): ElementBinding {
  const { types, projection_type, scope_acl, comment } = stored;
  const projection = storedProjection(stored, base);
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
export function storedBindings(bindings: ElementBindings): Readonly<Record<string, BindingDoc | false>> {
  return Object.fromEntries(
    Object.entries(bindings).map(([name, binding]) => [name, binding === false ? false : binding.stored]),
  );
}

/** RIDs of what a projection uses. */
export function usesOf(projection: Projection): readonly string[] {
  return [...new Set(elementsOf(projection).map(({ rid }) => rid))];
}

/** Null for a projection that leads nowhere, as amendments of history may leave them: it matches nothing (spec/catalog-access.md 8.5). */
function storedProjection({ projection }: BindingDoc, base: Table): Projection | null {
  try {
    const syntax = parseProjection(projection, (rid) => (typeof rid === 'string' ? rid : null), 'projection');
    return bindProjection(syntax, base, lookupByRid);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

const lookupByRid: ProjectionLookup<string> = {
  column: (table, rid) => found(table.columns, rid),
  foreignKey: (table, direction, rid) => found(direction === 'outbound' ? table.foreignKeys : table.referencedBy, rid),
};

function found<Element extends { readonly rid: string }>(elements: readonly Element[], rid: string): Element {
  const element = elements.find((candidate) => candidate.rid === rid);
  if (element === undefined) throw new AppError('unknown_element', `There is no element ${rid} here.`);
  return element;
}
