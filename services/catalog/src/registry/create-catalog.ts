import { type AclSet, initialAcls } from '@holdfast/acl';
import { AppError, type Logger } from '@holdfast/http-kit';
import type { ClientContext } from '@holdfast/identity';
import { type Connection, type Database, type DatabasePools, sql } from '@holdfast/pg-kit';
import { beginChange, recordSnapshot } from '../history/change.js';
import type { Annotations } from '../model/model.js';
import { catalogKey } from './catalog-access.js';
import type { CatalogServers } from './catalog-servers.js';
import { claimEntry } from './claim-entry.js';
import { withCreationLock } from './creation-lock.js';
import { finishClaim } from './entry-changes.js';
import { type CatalogInput, requireOwnership } from './entry-input.js';
import { placeCatalog } from './place-catalog.js';
import type { PlacementRule } from './placement-rules.js';
import type { Registry } from './registry.js';
import { findEntry, type Storage } from './registry-entry.js';

/** What creating needs of the process. */
export interface CreationParts {
  readonly registry: Registry;
  readonly servers: CatalogServers;
  readonly pools: DatabasePools;
  /** For {@link withCreationLock}. */
  readonly creationLocks: Database;
  /** Chooses the server. */
  readonly placement: PlacementRule;
  readonly log: Logger;
}

/** A catalog as it has been created. */
export interface CreatedCatalog {
  readonly id: string;
  /** Its key in caches. */
  readonly key: string;
  /** Its first snapshot, as microseconds since 1970. */
  readonly snapshot: bigint;
}

/**
 * Creates a catalog: the id is claimed in the registry, then the database is made, then the entry becomes a catalog
 * (spec/catalog-model.md 3.2). When making the database fails, the claim stays, and whoever is in its owner list may try again.
 * @throws {AppError} before anything was claimed, when the input conflicts with the registry
 */
export async function createCatalog(
  parts: CreationParts,
  client: ClientContext & { readonly client: { readonly id: string } },
  input: CatalogInput,
  defaultAnnotations: Annotations,
): Promise<CreatedCatalog> {
  requireOwnership(input.owner, client);
  if (input.cloneSource !== null) await requireSource(parts.registry, input.cloneSource);
  return withCreationLock(parts.creationLocks, input.id, async () => {
    const storage = await placeCatalog(parts.registry, parts.servers, parts.placement);
    const id = await claim(parts, client, input, storage);
    const acls = initialAcls('catalog', {
      clientId: client.client.id,
      ownsParent: false,
      input: { owner: input.owner },
    });
    const annotations = { ...defaultAnnotations, ...input.annotations };
    const snapshot = await build(parts, storage, client.client.id, acls, annotations);
    await finish(parts, client.client.id, id, storage);
    return { id, key: catalogKey(storage), snapshot };
  });
}

async function requireSource(registry: Registry, id: string): Promise<void> {
  const source = await registry.database.withConnection(null, (connection) => findEntry(registry, connection, id));
  if (source === null)
    throw new AppError('conflict', `clone_source: there is no catalog or alias ${JSON.stringify(id)}.`);
}

type DatabaseStorage = Extract<Storage, { readonly kind: 'database' }>;

function claim(
  parts: CreationParts,
  client: ClientContext & { readonly client: { readonly id: string } },
  input: CatalogInput,
  storage: Storage,
): Promise<string> {
  return parts.registry.change(client.client.id, (connection) =>
    claimEntry(
      parts,
      connection,
      { ...input, isPersistent: input.isPersistent ?? true, aliasTarget: null, storage },
      client,
    ),
  );
}

/** Makes the database and configures it; what is left of a failure is removed, as far as possible. */
async function build(
  parts: CreationParts,
  storage: DatabaseStorage,
  clientId: string,
  acls: AclSet,
  annotations: Annotations,
): Promise<bigint> {
  try {
    await parts.servers.create(storage.server, storage.database);
    return await parts.pools.use(parts.servers.urlOf(storage.server, storage.database), (database) =>
      database.transaction({}, (connection) => configure(connection, clientId, acls, annotations)),
    );
  } catch (error) {
    await discard(parts, storage);
    throw new AppError('unavailable', 'The storage of the catalog could not be made. The id stays yours: try again.', {
      cause: error,
    });
  }
}

/**
 * The first change of a catalog: its access lists and annotations.
 * @returns its instant
 */
async function configure(
  connection: Connection,
  clientId: string,
  acls: AclSet,
  annotations: Annotations,
): Promise<bigint> {
  const change = await beginChange(connection, clientId);
  await connection.execute(
    sql`insert into _catalog.elem (rid, kind, parent, lo, doc) values
          ('0', 'acl', '0', ${change.ts}::timestamptz, ${JSON.stringify(acls)}::jsonb),
          ('0', 'annotation', '0', ${change.ts}::timestamptz, ${JSON.stringify(annotations)}::jsonb)`,
  );
  await recordSnapshot(connection, change, { model: true, tables: [] });
  return change.micros;
}

async function finish(parts: CreationParts, clientId: string, id: string, storage: DatabaseStorage): Promise<void> {
  const finished = await parts.registry.change(clientId, (connection) =>
    finishClaim(parts.registry, connection, id, storage),
  );
  if (finished) return;
  await discard(parts, storage);
  throw new AppError('conflict', `The entry ${JSON.stringify(id)} was changed while its catalog was being created.`);
}

/** A database that stays behind is known from the claim and dropped by the next attempt. */
async function discard(parts: CreationParts, storage: DatabaseStorage): Promise<void> {
  try {
    await parts.pools.forget(parts.servers.urlOf(storage.server, storage.database));
    await parts.servers.drop(storage.server, storage.database);
  } catch (error) {
    parts.log.warn({ err: error, database: storage.database }, 'the database of a failed creation stays behind');
  }
}
