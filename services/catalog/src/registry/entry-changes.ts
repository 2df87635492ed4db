import { type Connection, nothing, type Sql, sql } from '@holdfast/pg-kit';
import type { Registry } from './registry.js';
import { descriptorOf, type EntryMetadata, type Storage } from './registry-entry.js';

/** All of a new or taken over entry. */
export interface NewEntry extends EntryMetadata {
  readonly aliasTarget: string | null;
  /** Storage of the catalog that is being created; null for an alias. */
  readonly storage: Storage | null;
}

/** Statements that change the registry; each to be run inside {@link Registry.change}. */

/**
 * Enters an alias, or the claim of a catalog that is being created.
 * @returns false when the id is taken
 */
export async function insertEntry(registry: Registry, connection: Connection, entry: NewEntry): Promise<boolean> {
  const count = await connection.execute(
    sql`insert into ${registry.table}
          (id, is_catalog, is_persistent, owner, descriptor, alias_target, clone_source, name, description)
        values (${entry.id}, false, ${entry.isPersistent}, ${entry.owner}::text[], ${descriptorText(entry)}::jsonb,
          ${entry.aliasTarget}, ${entry.cloneSource}, ${entry.name}, ${entry.description})
        on conflict (id) do nothing`,
  );
  return count === 1;
}

/** Gives an entry that is free again, or an unbound alias, to a new alias or to the claim of a catalog. */
export async function replaceEntry(registry: Registry, connection: Connection, entry: NewEntry): Promise<void> {
  await update(
    registry,
    connection,
    entry.id,
    sql`is_catalog = false, is_persistent = ${entry.isPersistent}, deleted_on = null,
        owner = ${entry.owner}::text[], descriptor = ${descriptorText(entry)}::jsonb,
        alias_target = ${entry.aliasTarget}, clone_source = ${entry.cloneSource}, name = ${entry.name},
        description = ${entry.description}`,
  );
}

/**
 * Makes a claim a catalog.
 * @returns false when the claim is no longer the one with this storage
 */
export async function finishClaim(
  registry: Registry,
  connection: Connection,
  id: string,
  storage: Storage,
): Promise<boolean> {
  const claim = sql`and not is_catalog and deleted_on is null and alias_target is null`;
  const condition = sql`${claim} ${storedAt(storage)}`;
  return (await update(registry, connection, id, sql`is_catalog = true`, condition)) === 1;
}

/**
 * Marks a catalog as deleted and unbinds the aliases that have it as their target.
 * @returns false when the catalog of this storage has been deleted already, even if there is another one under the id by now
 */
export async function markCatalogDeleted(
  registry: Registry,
  connection: Connection,
  { id, storage }: { readonly id: string; readonly storage: Storage },
): Promise<boolean> {
  const condition = sql`and is_catalog and deleted_on is null ${storedAt(storage)}`;
  if ((await update(registry, connection, id, sql`deleted_on = _catalog.now()`, condition)) === 0) return false;
  await connection.execute(
    sql`update ${registry.table} set alias_target = null, "RMT" = _catalog.now(), "RMB" = _catalog.client()
         where alias_target = ${id}`,
  );
  return true;
}

/** Marks an alias as deleted: its id is free again for its owners. */
export async function markAliasDeleted(registry: Registry, connection: Connection, id: string): Promise<void> {
  await update(registry, connection, id, sql`deleted_on = _catalog.now(), alias_target = null`);
}

/** Notes that the database of a deleted catalog is gone. */
export async function forgetStorage(
  registry: Registry,
  connection: Connection,
  { id, storage }: { readonly id: string; readonly storage: Storage },
): Promise<void> {
  const condition = sql`and deleted_on is not null ${storedAt(storage)}`;
  await update(registry, connection, id, sql`descriptor = null, is_catalog = false`, condition);
}

/** Changes owner, target and words of an alias. */
export async function updateAlias(
  registry: Registry,
  connection: Connection,
  id: string,
  next: Pick<NewEntry, 'owner' | 'name' | 'description' | 'isPersistent'> & { readonly target: string | null },
): Promise<void> {
  await update(
    registry,
    connection,
    id,
    sql`owner = ${next.owner}::text[], alias_target = ${next.target}, name = ${next.name},
        description = ${next.description}, is_persistent = ${next.isPersistent}`,
  );
}

async function update(
  registry: Registry,
  connection: Connection,
  id: string,
  assignments: Sql,
  condition: Sql = nothing,
): Promise<number> {
  return connection.execute(
    sql`update ${registry.table} set ${assignments}, "RMT" = _catalog.now(), "RMB" = _catalog.client()
         where id = ${id} ${condition}`,
  );
}

/** Ids come back, names of databases do not. */
function storedAt(storage: Storage): Sql {
  return sql`and descriptor = ${descriptorOf(storage)}::jsonb`;
}

function descriptorText(entry: NewEntry): string | null {
  return entry.storage === null ? null : descriptorOf(entry.storage);
}
