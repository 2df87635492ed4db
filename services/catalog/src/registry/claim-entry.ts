import { ownerListGrants } from '@holdfast/acl';
import { AppError } from '@holdfast/http-kit';
import type { ClientContext } from '@holdfast/identity';
import { type Connection, sql } from '@holdfast/pg-kit';
import { insertEntry, type NewEntry, replaceEntry } from './entry-changes.js';
import type { Registry } from './registry.js';
import { findEntry, type RegistryEntry, type Storage } from './registry-entry.js';

/** An entry about to be made; without an id it gets the next free serial number. */
export type WantedEntry = Omit<NewEntry, 'id'> & { readonly id: string | null };

/** What was claimed. */
export interface Claim {
  readonly id: string;
  /** Storage that an earlier, unfinished creation under this id may have left. */
  readonly abandoned: Storage | null;
}

/**
 * Takes an id for a catalog or alias (spec/catalog-model.md 3.1, 4.1). Inside {@link Registry.change}.
 * @throws {AppError} `forbidden` or `conflict` when the id belongs to somebody or something else
 */
export async function claimEntry(
  registry: Registry,
  connection: Connection,
  wanted: WantedEntry,
  client: ClientContext,
): Promise<Claim> {
  if (wanted.id === null) return claimSerial(registry, connection, wanted);
  const entry = { ...wanted, id: wanted.id };
  if (entry.id === '0') throw new AppError('forbidden', 'The id 0 is that of the registry.');
  if (await insertEntry(registry, connection, entry)) return { id: entry.id, abandoned: null };
  const present = await findEntry(registry, connection, entry.id);
  if (present === null) throw new AppError('conflict', 'The id was being used by somebody else; try again.');
  refuseUnlessFree(present, entry, client);
  await replaceEntry(registry, connection, entry);
  return { id: entry.id, abandoned: present.kind === 'catalog' ? null : present.claimed };
}

async function claimSerial(registry: Registry, connection: Connection, wanted: WantedEntry): Promise<Claim> {
  for (;;) {
    const [row] = await connection.query<{ readonly id: string }>(
      sql`select nextval('_catalog.catalog_id_seq')::text as id`,
    );
    const id = row?.id ?? '';
    // ids chosen by clients may be numbers too: these are skipped
    if (await insertEntry(registry, connection, { ...wanted, id })) return { id, abandoned: null };
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
