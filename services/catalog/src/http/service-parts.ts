import type { Logger, WireProfile } from '@holdfast/http-kit';
import type { Database, DatabasePools } from '@holdfast/pg-kit';
import type { KnownRights } from '../authorize/known-rights.js';
import type { PastCatalogs } from '../history/past-catalogs.js';
import type { ModelCache } from '../model/model-cache.js';
import type { TextCache } from '../model/text-cache.js';
import type { CatalogAccess } from '../registry/catalog-access.js';
import type { CatalogServers } from '../registry/catalog-servers.js';
import type { PlacementRule } from '../registry/placement-rules.js';
import type { Registry } from '../registry/registry.js';
import type { Visitors } from '../registry/visitors.js';
import type { LateWorker } from '../schema-change/late-worker.js';
import type { CatalogSettings } from '../settings.js';

/** What the routes work with; made once per process. */
export interface ServiceParts {
  readonly registry: Registry;
  readonly servers: CatalogServers;
  readonly pools: DatabasePools;
  readonly creationLocks: Database;
  /** Chooses the server of a new catalog. */
  readonly placement: PlacementRule;
  readonly catalogs: CatalogAccess;
  readonly models: ModelCache;
  readonly pasts: PastCatalogs;
  readonly lateWork: LateWorker;
  /** Texts of `GET <C>/schema`, by entity tag. */
  readonly modelTexts: TextCache;
  readonly visitors: Visitors;
  readonly rightsOf: KnownRights;
  readonly settings: CatalogSettings;
  readonly profile: WireProfile;
  readonly log: Logger;
  /** Version of the installed software. */
  readonly version: string;
}
