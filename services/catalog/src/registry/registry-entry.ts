import { type Connection, type Sql, sql } from '@holdfast/pg-kit';
import type { Registry } from './registry.js';

/** Where a catalog is stored. */
export type Storage =
  | { readonly kind: 'registry' }
  | { readonly kind: 'database'; readonly server: string; readonly database: string };

/** A row of the registry, by what it stands for (spec/catalog-model.md 3.1, 4.2). */
export type RegistryEntry = EntryMetadata &
  (
    | { readonly kind: 'catalog'; readonly storage: Storage }
    /** `claimed` is the storage of a creation that has not finished: it behaves as an unbound alias. */
    | { readonly kind: 'alias'; readonly target: string | null; readonly claimed: Storage | null }
    | { readonly kind: 'deleted'; readonly claimed: Storage | null }
  );

export interface EntryMetadata {
  readonly id: string;
  readonly owner: readonly string[];
  readonly name: string | null;
  readonly description: string | null;
  readonly isPersistent: boolean;
  readonly cloneSource: string | null;
}

interface EntryRow {
  readonly id: string;
  readonly is_catalog: boolean;
  readonly is_persistent: boolean;
  readonly deleted: boolean;
  readonly owner: readonly string[] | null;
  readonly descriptor: StoredDescriptor | null;
  readonly alias_target: string | null;
  readonly clone_source: string | null;
  readonly name: string | null;
  readonly description: string | null;
}

/** Form of the column `descriptor`. */
type StoredDescriptor = { readonly registry: true } | { readonly server: string; readonly database: string };

const entryColumns: Sql = sql`id, is_catalog, is_persistent, deleted_on is not null as deleted, owner, descriptor,
  alias_target, clone_source, name, description`;

/** The entry with an id; null when the id was never used. */
export async function findEntry(registry: Registry, connection: Connection, id: string): Promise<RegistryEntry | null> {
  const [row] = await connection.query<EntryRow>(sql`select ${entryColumns} from ${registry.table} where id = ${id}`, {
    prepared: 'registry-entry',
  });
  return row === undefined ? null : toEntry(row);
}

/** All catalogs, the registry as one of them, in the order of their ids. */
export async function findCatalogs(
  registry: Registry,
  connection: Connection,
): Promise<readonly (RegistryEntry & { readonly kind: 'catalog' })[]> {
  const rows = await connection.query<EntryRow>(
    sql`select ${entryColumns} from ${registry.table} where is_catalog and deleted_on is null order by id`,
  );
  return rows.map(toEntry).filter((entry) => entry.kind === 'catalog');
}

/** Deleted catalogs whose database may still be there. */
export async function findPurgeable(registry: Registry, connection: Connection): Promise<readonly RegistryEntry[]> {
  const rows = await connection.query<EntryRow>(
    sql`select ${entryColumns} from ${registry.table} where deleted_on is not null and descriptor is not null`,
  );
  return rows.map(toEntry);
}

/** Text of the column `descriptor`. */
export function descriptorOf(storage: Storage): string {
  const { kind, ...place } = storage;
  return JSON.stringify(kind === 'registry' ? { registry: true } : place);
}

function toEntry(row: EntryRow): RegistryEntry {
  const metadata: EntryMetadata = {
    id: row.id,
    owner: row.owner ?? [],
    name: row.name,
    description: row.description,
    isPersistent: row.is_persistent,
    cloneSource: row.clone_source,
  };
  const storage = row.descriptor === null ? null : toStorage(row.descriptor);
  if (row.deleted) return { ...metadata, kind: 'deleted', claimed: storage };
  if (row.is_catalog && storage !== null) return { ...metadata, kind: 'catalog', storage };
  return { ...metadata, kind: 'alias', target: row.alias_target, claimed: storage };
}

function toStorage(descriptor: StoredDescriptor): Storage {
  return 'registry' in descriptor ? { kind: 'registry' } : { kind: 'database', ...descriptor };
}
