import type { Database } from '@holdfast/pg-kit';

/** A catalog as a request addresses it, with its database at hand for as long as the request lasts. */
export interface OpenCatalog {
  /** The id in the URL: a catalog's own or an alias. */
  readonly id: string;
  /** The catalog's own id. */
  readonly storageId: string;
  /** The catalog's own id when the URL has an alias, else null. */
  readonly aliasTarget: string | null;
  /** Tells catalogs apart in caches; a deleted and made again catalog has another one. */
  readonly key: string;
  /** URL of its database, with credentials: for connections of their own, never for logs. */
  readonly databaseUrl: string;
  readonly database: Database;
}
