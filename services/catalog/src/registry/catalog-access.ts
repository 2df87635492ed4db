import { AppError } from '@holdfast/http-kit';
import { type DatabasePools, sqlStateOf } from '@holdfast/pg-kit';
import type { CatalogLayouts } from './catalog-layouts.js';
import type { CatalogServers } from './catalog-servers.js';
import type { OpenCatalog } from './open-catalog.js';
import type { Registry } from './registry.js';
import { findEntry, type Storage } from './registry-entry.js';

/** Finds the catalogs that requests address. */
export interface CatalogAccess {
  /**
   * Opens the catalog behind an id for a piece of work; its connections stay open as long.
   * @param id of a catalog or an alias
   * @throws {AppError} `not_found` for an id that leads to no catalog
   */
  withCatalog<Result>(id: string, work: (catalog: OpenCatalog) => Promise<Result>): Promise<Result>;
}

interface Location {
  readonly storageId: string;
  readonly aliasTarget: string | null;
  readonly storage: Storage;
}

/** Makes the access over a registry. */
export function catalogAccess(
  registry: Registry,
  servers: CatalogServers,
  pools: DatabasePools,
  layouts: CatalogLayouts,
): CatalogAccess {
  return {
    withCatalog: async (id, work) => {
      const { storage, ...place } = await locate(registry, id);
      if (storage.kind === 'registry') {
        const { database, databaseUrl } = registry;
        return work({ id, ...place, key: 'registry', databaseUrl, database });
      }
      const databaseUrl = servers.urlOf(storage.server, storage.database);
      const key = `${storage.server}/${storage.database}`;
      try {
        return await pools.use(databaseUrl, async (database) => {
          await layouts.ensure(key, database);
          return work({ id, ...place, key, databaseUrl, database });
        });
      } catch (error) {
        // deleted by another process between our look into the registry and the first statement
        if (causes(error).some((cause) => sqlStateOf(cause) === '3D000')) throw unknownCatalog(id);
        throw error;
      }
    },
  };
}

/** One probe of an index of the registry per request: deletions and re-bound aliases count at once, in every process. */
async function locate(registry: Registry, id: string): Promise<Location> {
  return registry.database.withConnection(null, async (connection) => {
    const entry = await findEntry(registry, connection, id);
    if (entry?.kind === 'catalog') return { storageId: id, aliasTarget: null, storage: entry.storage };
    if (entry?.kind !== 'alias' || entry.target === null) throw unknownCatalog(id);
    const target = await findEntry(registry, connection, entry.target);
    if (target?.kind !== 'catalog') throw unknownCatalog(id);
    return { storageId: target.id, aliasTarget: target.id, storage: target.storage };
  });
}

function unknownCatalog(id: string): AppError {
  return new AppError('not_found', `There is no catalog ${JSON.stringify(id)}.`);
}

function causes(error: unknown): readonly unknown[] {
  return error instanceof Error && error.cause !== undefined ? [error, ...causes(error.cause)] : [error];
}
