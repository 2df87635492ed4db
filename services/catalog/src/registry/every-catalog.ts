import { type Database, openDatabase } from '@holdfast/pg-kit';
import type { CatalogLayouts } from './catalog-layouts.js';
import type { CatalogServers } from './catalog-servers.js';
import type { Registry } from './registry.js';
import { findCatalogs } from './registry-entry.js';

/**
 * Does something for every catalog, the registry included, one after the other; catalogs of an older layout are brought to the present
 * one before.
 * @param failed is told about a catalog for which it did not work; the others are not affected
 */
export async function forEveryCatalog(
  parts: { readonly registry: Registry; readonly servers: CatalogServers; readonly layouts: CatalogLayouts },
  work: (id: string, database: Database) => Promise<void>,
  failed: (id: string, error: unknown) => void,
): Promise<void> {
  const { registry, servers, layouts } = parts;
  const entries = await registry.database.withConnection(null, (connection) => findCatalogs(registry, connection));
  for (const { id, storage } of entries) {
    try {
      if (storage.kind === 'registry') {
        await work(id, registry.database);
        continue;
      }
      const url = servers.urlOf(storage.server, storage.database);
      const database = openDatabase({ url, applicationName: 'holdfast-catalog maintenance', maxConnections: 2 });
      try {
        await layouts.ensure(`${storage.server}/${storage.database}`, database);
        await work(id, database);
      } finally {
        await database.close();
      }
    } catch (error) {
      failed(id, error);
    }
  }
}
