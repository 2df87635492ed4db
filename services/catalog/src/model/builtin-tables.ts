import type { Model, Table } from './model.js';

/** The table of leased RIDs, whatever its name; null when there is none. */
export function leaseTableOf(model: Model): Table | null {
  for (const schema of model.schemas.values())
    for (const table of schema.tables.values()) if (table.builtin === 'lease') return table;
  return null;
}
