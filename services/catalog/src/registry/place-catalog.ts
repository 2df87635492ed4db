import { AppError } from '@holdfast/http-kit';
import { sql } from '@holdfast/pg-kit';
import type { CatalogServers } from './catalog-servers.js';
import type { PlacementRule } from './placement-rules.js';
import type { Registry } from './registry.js';
import type { Storage } from './registry-entry.js';

/**
 * Chooses where a new catalog goes. The database gets a number of its own, never used again, so that no cache can take a new catalog
 * for an old one, and the mark of the registry, so that deployments can share a server.
 * @param rule chooses the server
 */
export async function placeCatalog(
  registry: Registry,
  servers: CatalogServers,
  rule: PlacementRule,
): Promise<Extract<Storage, { readonly kind: 'database' }>> {
  return registry.database.withConnection(null, async (connection) => {
    const counts = await connection.query<{ readonly server: string; readonly catalogs: number }>(
      sql`select descriptor->>'server' as server, count(*)::integer as catalogs
            from ${registry.table} where descriptor ? 'server' group by 1`,
    );
    const [name] = await connection.query<{ readonly number: string; readonly mark: string }>(
      sql`select nextval('_catalog.storage_seq')::text as number, descriptor->>'mark' as mark
            from ${registry.table} where id = '0'`,
    );
    const [first, ...others] = servers.names.map((server) => ({
      name: server,
      catalogs: counts.find((count) => count.server === server)?.catalogs ?? 0,
    }));
    if (first === undefined || name === undefined)
      throw new AppError('unavailable', 'This deployment has no database server for catalogs.');
    return { kind: 'database', server: rule([first, ...others]), database: `catalog_${name.mark}_${name.number}` };
  });
}
