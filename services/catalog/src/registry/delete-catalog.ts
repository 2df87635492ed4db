import { AppError, type Logger } from '@holdfast/http-kit';
import { asLeader, type DatabasePools } from '@holdfast/pg-kit';
import type { CatalogServers } from './catalog-servers.js';
import { forgetStorage, markCatalogDeleted } from './entry-changes.js';
import type { Registry } from './registry.js';
import { findPurgeable, type RegistryEntry, type Storage } from './registry-entry.js';

/** What deleting needs of the process. */
export interface DeletionParts {
  readonly registry: Registry;
  readonly servers: CatalogServers;
  /** Null in a process that serves no catalogs. */
  readonly pools: DatabasePools | null;
  readonly log: Logger;
}

/**
 * Deletes a catalog: from the registry, which unbinds its aliases, then its database with all connections other processes hold to it.
 * A database that cannot be dropped now is dropped at the next start, or by the command `sweep` ({@link purgeDeleted}).
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

/** What {@link purgeDeleted} did. */
export interface Purge {
  readonly dropped: number;
  /** Those that still cannot be dropped; the log says why. */
  readonly failed: number;
}

/** Key of the advisory lock that makes one process purge ("catsweep" as a number). */
const PURGE_LOCK = '7161132921768994160';

/**
 * Drops the databases that deletions of the past have left, in one process at a time.
 * @returns null when another process is at it
 */
export function purgeDeleted(parts: DeletionParts): Promise<Purge | null> {
  return asLeader(parts.registry.database, PURGE_LOCK, null, async (connection) => {
    let [dropped, failed] = [0, 0];
    for (const entry of await findPurgeable(parts.registry, connection)) {
      if (entry.kind !== 'deleted' || entry.claimed?.kind !== 'database') continue;
      if (await purge(parts, entry.id, entry.claimed)) dropped += 1;
      else failed += 1;
    }
    return { dropped, failed };
  });
}

/** @returns whether nothing is left */
async function purge(parts: DeletionParts, id: string, storage: Storage | null): Promise<boolean> {
  if (storage?.kind !== 'database') return true;
  try {
    await parts.pools?.forget(parts.servers.urlOf(storage.server, storage.database));
    await parts.servers.drop(storage.server, storage.database);
    await parts.registry.change(null, (connection) => forgetStorage(parts.registry, connection, { id, storage }));
    return true;
  } catch (error) {
    parts.log.error({ err: error, catalog: id, database: storage.database }, 'a deleted catalog was not dropped yet');
    return false;
  }
}
