import { AppError } from '@holdfast/http-kit';
import { type DatabasePools, isConnectionLoss, sqlStateOf } from '@holdfast/pg-kit';
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

/** A location with what leads there. */
interface Place {
  readonly storageId: string;
  readonly aliasTarget: string | null;
  readonly key: string;
  readonly databaseUrl: string;
  readonly kind: Storage['kind'];
}

/**
 * How long a catalog's place is believed without asking the registry. A catalog that is deleted answers no more even so: its database
 * is closed before the deletion is confirmed, and a failure on it makes us ask. The bound is for a database that could not be
 * dropped. Aliases are asked for every time, since binding them again counts at the next request.
 */
const PLACE_MILLISECONDS = 10_000;

/** Makes the access over a registry. */
export function catalogAccess(
  registry: Registry,
  servers: CatalogServers,
  pools: DatabasePools,
  layouts: CatalogLayouts,
): CatalogAccess {
  const places = new Map<string, { readonly place: Place; readonly until: number }>();
  const placeOf = async (id: string): Promise<Place> => {
    const known = places.get(id);
    if (known !== undefined && known.until > Date.now()) return known.place;
    places.delete(id);
    const { storage, ...location } = await locate(registry, id);
    const place = { ...location, kind: storage.kind, ...wayTo(storage) };
    if (place.aliasTarget === null) places.set(id, { place, until: Date.now() + PLACE_MILLISECONDS });
    return place;
  };
  const wayTo = (storage: Storage): Pick<Place, 'key' | 'databaseUrl'> =>
    storage.kind === 'registry'
      ? { key: 'registry', databaseUrl: registry.databaseUrl }
      : { key: catalogKey(storage), databaseUrl: servers.urlOf(storage.server, storage.database) };
  return {
    withCatalog: async (id, work) => {
      const { kind, ...place } = await placeOf(id);
      if (kind === 'registry') return work({ id, ...place, database: registry.database });
      const { key, databaseUrl } = place;
      try {
        return await pools.use(databaseUrl, async (database) => {
          await layouts.ensure(key, database);
          return work({ id, ...place, database });
        });
      } catch (error) {
        if (!causes(error).some(mayMeanGone)) throw error;
        places.delete(id);
        await pools.forget(databaseUrl);
        // not found, if it was deleted; else the failure is what it is
        await locate(registry, id);
        throw error;
      }
    },
  };
}

/** Key of a catalog in caches: names of databases are never used twice. */
export function catalogKey({ server, database }: Extract<Storage, { readonly kind: 'database' }>): string {
  return `${server}/${database}`;
}

/** Whether a failure is what the deletion of a database by another process looks like. */
function mayMeanGone(error: unknown): boolean {
  return sqlStateOf(error) === '3D000' || isConnectionLoss(error);
}

/** One probe of an index of the registry, a second one for an alias. */
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
