import { AppError } from '@holdfast/http-kit';
import { bindProjection, type ProjectionLookup } from '../model/bind-projection.js';
import { usesOf } from '../model/build-bindings.js';
import { typeName } from '../model/column-types.js';
import type { BindingDoc, Column, ForeignKey, Projection, Table } from '../model/model.js';
import type { ConstraintName } from '../model/parse-projection.js';
import { byRid, constraintPair, holdsText, writeProjection } from '../model/projection.js';
import { checkOperands } from './binding-operands.js';
import type { ModelEdit } from './model-edit.js';
import type { BindingDefinition, BindingDefinitions } from './parse-bindings.js';

/**
 * Looks up what bindings name, in a model that has all of it (spec/catalog-access.md 7.3). The writer must be able to see everything a
 * projection uses: owning one table is no probe into others.
 * @param base table on which the projections start
 * @returns the bindings as the bookkeeping keeps them
 * @throws {AppError} `unknown_element`, `ambiguous_name`, `conflict`, `not_supported_on_type`, `bad_value`
 */
export async function resolveBindings(
  { connection, rights }: Pick<ModelEdit, 'connection' | 'rights'>,
  base: Table,
  definitions: BindingDefinitions,
): Promise<Readonly<Record<string, BindingDoc | false>>> {
  const lookup = lookupBy(rights);
  const docs: (readonly [string, BindingDoc | false])[] = [];
  for (const [name, definition] of definitions) {
    const what = `The binding ${JSON.stringify(name)}`;
    if (definition === false) {
      docs.push([name, false]);
      continue;
    }
    const projection = bindProjection(definition.projection, base, lookup);
    await checkOperands(connection, projection, what);
    docs.push([name, bindingDoc(definition, projection, what)]);
  }
  return Object.fromEntries(docs);
}

function bindingDoc(definition: BindingDefinition, projection: Projection, what: string): BindingDoc {
  const { types, projectionType, scopeAcl, comment } = definition;
  const { column } = projection.value;
  if (projectionType === 'acl') requireRoles(column, what);
  return {
    types,
    projection: writeProjection(projection, byRid),
    projection_type: projectionType ?? (holdsText(column) ? 'acl' : 'nonnull'),
    scope_acl: scopeAcl,
    ...(comment === undefined ? {} : { comment }),
    uses: usesOf(projection),
  };
}

/**
 * Refuses a column that cannot hold names of roles.
 * @throws {AppError} `conflict`
 */
function requireRoles(column: Column, what: string): void {
  if (holdsText(column)) return;
  throw new AppError(
    'conflict',
    `${what}: the column ${JSON.stringify(column.name)} has the type ${typeName(column.type)}; projection_type acl needs text.`,
  );
}

function lookupBy(rights: ModelEdit['rights']): ProjectionLookup<ConstraintName> {
  return {
    column: (table, name) => {
      const column = table.columnsByName.get(name);
      if (column !== undefined && rights.always(column, 'enumerate')) return column;
      throw new AppError(
        'unknown_element',
        `projection: the table ${JSON.stringify(table.name)} has no column ${JSON.stringify(name)}.`,
      );
    },
    foreignKey: (table, direction, wanted) => {
      const candidates = (direction === 'outbound' ? table.foreignKeys : table.referencedBy).filter(
        (foreignKey) => isNamed(foreignKey, wanted) && isVisible(rights, foreignKey),
      );
      const [first, second] = candidates;
      // PostgreSQL lets two tables of a schema have constraints of one name
      if (second !== undefined)
        throw new AppError('ambiguous_name', `projection: several foreign keys are called ${JSON.stringify(wanted)}.`);
      if (first !== undefined) return first;
      throw new AppError(
        'unknown_element',
        direction === 'outbound'
          ? `projection: the table ${JSON.stringify(table.name)} has no foreign key ${JSON.stringify(wanted)}.`
          : `projection: no foreign key ${JSON.stringify(wanted)} refers to the table ${JSON.stringify(table.name)}.`,
      );
    },
  };
}

function isNamed(foreignKey: ForeignKey, [schema, name]: ConstraintName): boolean {
  const [itsSchema, itsName] = constraintPair(foreignKey);
  return itsSchema === schema && itsName === name;
}

function isVisible(rights: ModelEdit['rights'], foreignKey: ForeignKey): boolean {
  return [foreignKey, foreignKey.parent, foreignKey.references.parent].every((e) => rights.always(e, 'enumerate'));
}
