import { ownerListGrants } from '@holdfast/acl';
import { AppError } from '@holdfast/http-kit';
import type { ClientContext } from '@holdfast/identity';
import { type Connection, sql } from '@holdfast/pg-kit';
import type { CatalogServers } from './catalog-servers.js';
import { insertEntry, type NewEntry, replaceEntry } from './entry-changes.js';
import type { Registry } from './registry.js';
import { findEntry, type RegistryEntry } from './registry-entry.js';

/** An entry about to be made; without an id it gets the next free serial number. */
export type WantedEntry = Omit<NewEntry, 'id'> & { readonly id: string | null };

/** What claiming needs of the process. */
export interface ClaimParts {
  readonly registry: Registry;
  readonly servers: CatalogServers;
}

/**
 * Takes an id for a catalog or alias (spec/catalog-model.md 3.1, 4.1). Inside {@link Registry.change}, and with the lock of the id.
 * A database that an unfinished creation or a deletion has left under the id is dropped first: afterwards nothing would know of it.
 * @returns the id
 * @throws {AppError} `forbidden` or `conflict` when the id belongs to somebody or something else
 */
export async function claimEntry(
  { registry, servers }: ClaimParts,
  connection: Connection,
  wanted: WantedEntry,
  client: ClientContext,
): Promise<string> {
  if (wanted.id === null) return claimSerial(registry, connection, wanted);
  const entry = { ...wanted, id: wanted.id };
  if (entry.id === '0') throw new AppError('forbidden', 'The id 0 is that of the registry.');
  if (await insertEntry(registry, connection, entry)) return entry.id;
  const present = await findEntry(registry, connection, entry.id);
  if (present === null) throw new AppError('conflict', 'The id was being used by somebody else; try again.');
  refuseUnlessFree(present, entry, client);
  if (present.kind !== 'catalog' && present.claimed?.kind === 'database')
    await servers.drop(present.claimed.server, present.claimed.database);
  await replaceEntry(registry, connection, entry);
  return entry.id;
}

async function claimSerial(registry: Registry, connection: Connection, wanted: WantedEntry): Promise<string> {
  for (;;) {
    const [row] = await connection.query<{ readonly id: string }>(
      sql`select nextval('_catalog.catalog_id_seq')::text as id`,
    );
    const id = row?.id ?? '';
    // ids chosen by clients may be numbers too: these are skipped
    if (await insertEntry(registry, connection, { ...wanted, id })) return id;
  }
}

function refuseUnlessFree(present: RegistryEntry, wanted: NewEntry, client: ClientContext): void {
  if (!ownerListGrants(present.owner, client.roles))
    throw new AppError(
      'forbidden',
      `The id ${JSON.stringify(wanted.id)} belongs to somebody else; choose another one.`,
    );
  switch (present.kind) {
    case 'deleted':
      return;
    case 'catalog':
      throw new AppError('name_in_use', `There is a catalog ${JSON.stringify(wanted.id)} already.`);
    case 'alias':
      if (present.target !== null)
        throw new AppError('name_in_use', `${JSON.stringify(wanted.id)} is an alias that is bound; unbind it first.`);
      // a reservation becomes a catalog, but an alias is changed, not made again
      if (wanted.storage === null && present.claimed === null)
        throw new AppError(
          'name_in_use',
          `There is an alias ${JSON.stringify(wanted.id)} already; change it with PUT.`,
        );
      return;
    default:
      present satisfies never;
  }
}
