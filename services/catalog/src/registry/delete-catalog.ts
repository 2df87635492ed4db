import { AppError, type Logger } from '@holdfast/http-kit';
import type { DatabasePools } from '@holdfast/pg-kit';
import type { CatalogServers } from './catalog-servers.js';
import { forgetStorage, markCatalogDeleted } from './entry-changes.js';
import type { Registry } from './registry.js';
import { findPurgeable, type RegistryEntry, type Storage } from './registry-entry.js';

/** What deleting needs of the process. */
export interface DeletionParts {
  readonly registry: Registry;
  readonly servers: CatalogServers;
  readonly pools: DatabasePools;
  readonly log: Logger;
}

/**
 * Deletes a catalog: from the registry, which unbinds its aliases, then its database with all connections other processes hold to it.
 * A database that cannot be dropped now is dropped at the next start ({@link purgeDeleted}).
 * @throws {AppError} `not_found` when somebody else was faster
 */
export async function deleteCatalog(
  parts: DeletionParts,
  clientId: string,
  entry: RegistryEntry & { readonly kind: 'catalog' },
): Promise<void> {
  await parts.registry.change(clientId, async (connection) => {
    if (await markCatalogDeleted(parts.registry, connection, entry)) return;
    throw new AppError('not_found', `The catalog ${JSON.stringify(entry.id)} has just been deleted.`);
  });
  await purge(parts, entry.id, entry.storage);
}

/** Drops the databases that deletions of the past have left. */
export async function purgeDeleted(parts: DeletionParts): Promise<void> {
  const entries = await parts.registry.database.withConnection(null, (connection) =>
    findPurgeable(parts.registry, connection),
  );
  for (const entry of entries) if (entry.kind === 'deleted') await purge(parts, entry.id, entry.claimed);
}

async function purge(parts: DeletionParts, id: string, storage: Storage | null): Promise<void> {
  if (storage?.kind !== 'database') return;
  try {
    await parts.pools.forget(parts.servers.urlOf(storage.server, storage.database));
    await parts.servers.drop(storage.server, storage.database);
    await parts.registry.change(null, (connection) => forgetStorage(parts.registry, connection, { id, storage }));
  } catch (error) {
    parts.log.error({ err: error, catalog: id, database: storage.database }, 'a deleted catalog was not dropped yet');
  }
}
