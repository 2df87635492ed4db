import type { Model, Schema } from '../model/model.js';

/** Names in use in a schema: those of tables, views and real constraints, of which the pair of schema and name is the identity. */
export function takenNamesOf(schema: Schema): Set<string> {
  const names = new Set<string>();
  for (const table of schema.tables.values()) {
    names.add(table.name);
    for (const { pseudo, constraintName } of [...table.keys, ...table.foreignKeys])
      if (!pseudo) names.add(constraintName);
  }
  return names;
}

/** Names of pseudo constraints, which have no schema: each is there once in the catalog (spec/catalog-model.md 17). */
export function takenPseudoNamesOf(model: Model): Set<string> {
  const names = new Set<string>();
  for (const schema of model.schemas.values())
    for (const table of schema.tables.values())
      for (const { pseudo, constraintName } of [...table.keys, ...table.foreignKeys])
        if (pseudo) names.add(constraintName);
  return names;
}
