import type { Model, Table } from './model.js';

/** The table of leased RIDs, under whichever prefix the catalog was made; null when its owner dropped it. */
export function leaseTableOf(model: Model): Table | null {
  const tables = model.schemas.get('public')?.tables;
  return tables?.get('Catalog_RID_Lease') ?? tables?.get('ERMrest_RID_Lease') ?? null;
}
