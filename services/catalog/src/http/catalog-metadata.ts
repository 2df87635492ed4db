import type { Connection } from '@holdfast/pg-kit';
import type { OpenCatalog } from '../registry/open-catalog.js';
import type { Registry } from '../registry/registry.js';
import { type EntryMetadata, findEntry } from '../registry/registry-entry.js';

/** What the registry says of a catalog, as `GET <C>` shows it: what is null is left out. */
export type CatalogMetadata = Readonly<Record<string, string | boolean>>;

/** Reads the metadata of the catalog that a request addresses. */
export async function readMetadata(
  registry: Registry,
  connection: Connection,
  catalog: Pick<OpenCatalog, 'id' | 'storageId' | 'aliasTarget'>,
): Promise<CatalogMetadata> {
  const own = await findEntry(registry, connection, catalog.storageId);
  const alias = catalog.aliasTarget === null ? null : await findEntry(registry, connection, catalog.id);
  return metadataOf(own, alias);
}

/** An alias's own words hide those of its target (spec/catalog-model.md 3.3). */
export function metadataOf(
  own: Omit<EntryMetadata, 'id' | 'owner'> | null,
  alias: Pick<EntryMetadata, 'name' | 'description'> | null,
): CatalogMetadata {
  const fields = {
    name: alias?.name ?? own?.name ?? null,
    description: alias?.description ?? own?.description ?? null,
    is_persistent: own?.isPersistent ?? null,
    clone_source: own?.cloneSource ?? null,
  };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
  );
}
