import { readFileSync } from 'node:fs';
import { type Logger, type ProcessParts, type StartedService, serviceApp, type WireProfile } from '@holdfast/http-kit';
import { openIdentity } from '@holdfast/identity';
import { type DatabasePools, measurePool, openDatabase, openDatabasePools } from '@holdfast/pg-kit';
import { knownRights } from './authorize/known-rights.js';
import { pastCatalogs } from './history/past-catalogs.js';
import { addServiceRoutes } from './http/service-routes.js';
import { modelCache } from './model/model-cache.js';
import { textCache } from './model/text-cache.js';
import { catalogAccess } from './registry/catalog-access.js';
import { catalogLayouts } from './registry/catalog-layouts.js';
import { openCatalogServers } from './registry/catalog-servers.js';
import { purgeDeleted } from './registry/delete-catalog.js';
import { applyPersistencePolicy } from './registry/persistence-policy.js';
import { placementRules } from './registry/placement-rules.js';
import { openRegistry, type Registry } from './registry/registry.js';
import { visitorRows } from './registry/visitors.js';
import { followChangesByHand } from './schema-change/by-hand/reconcile.js';
import { lateWorker } from './schema-change/late-worker.js';
import type { CatalogSettings } from './settings.js';
import type { CatalogConfig } from './variables.js';

/** Client id by which other services know this one. */
const SERVICE_ID = 'urn:service:catalog';

/** Bound of the kept texts of whole models, which have up to 6 MB each. */
const MODEL_TEXT_BYTES = 64_000_000;

/** Makes the catalog service out of its configuration: databases, then identity, then routes. */
export async function startCatalog(parts: ProcessParts<CatalogConfig>): Promise<StartedService> {
  const { config, profile, log, metrics, stopSignal } = parts;
  const registry = await openRegistry({
    url: config.REGISTRY_DATABASE_URL,
    maxConnections: config.REGISTRY_CONNECTIONS,
    schemaName: profile.registrySchema,
    tablePrefix: profile.builtinTablePrefix,
  });
  await applyPersistencePolicy(registry, config.OWNERS_SET_PERSISTENCE);
  const creationLocks = openDatabase({
    url: config.REGISTRY_DATABASE_URL,
    applicationName: 'holdfast-catalog creation',
    maxConnections: 4,
  });
  const servers = openCatalogServers(config.CATALOG_SERVERS, profile.builtinTablePrefix);
  const pools = openDatabasePools({
    applicationName: 'holdfast-catalog',
    total: config.DATABASE_CONNECTIONS,
    perDatabase: config.CATALOG_CONNECTIONS,
  });
  const models = modelCache((database) => followChangesByHand(database, log), config.MODEL_CACHE_SIZE);
  const lateWork = lateWorker(pools, log);
  measurePool(metrics, 'registry', registry.database);
  measurePool(metrics, 'catalog', pools);
  const identity = await openIdentity({ config, profile, log, metrics, audience: SERVICE_ID });
  const app = serviceApp({
    log,
    metrics,
    profile,
    stopSignal,
    trustProxy: config.TRUST_PROXY,
    routes: (express) => {
      express.use(identity.authenticate);
      express.use(identity.sessionRoutes);
      addServiceRoutes(express, {
        registry,
        servers,
        pools,
        creationLocks,
        placement: placementRules[config.CATALOG_PLACEMENT],
        catalogs: catalogAccess(registry, servers, pools, catalogLayouts(profile.builtinTablePrefix)),
        models,
        pasts: pastCatalogs(models, config.MODEL_CACHE_SIZE),
        modelTexts: textCache(MODEL_TEXT_BYTES),
        lateWork,
        visitors: visitorRows(log),
        rightsOf: knownRights(),
        settings: settingsOf(config, profile),
        profile,
        log,
        version: serviceVersion(),
      });
    },
  });
  if (config.SWEEPERS === 'inside') purgeInBackground({ registry, servers, pools, log });
  return {
    handler: app,
    checks: [
      ...identity.checks,
      {
        name: 'registry',
        check: (signal) => registry.check(signal),
      },
    ],
    stop: async () => {
      await Promise.all([identity.close(), lateWork.close()]);
      await Promise.all([pools.close(), servers.close(), creationLocks.close(), registry.close()]);
    },
  };
}

function settingsOf(config: CatalogConfig, profile: WireProfile): CatalogSettings {
  const { REGISTRANT: configured } = config;
  return {
    createRoles: config.CREATE_ROLES,
    ownersSetPersistence: config.OWNERS_SET_PERSISTENCE,
    registrants: configured === undefined ? profile.registrants : [configured, ...profile.registrants],
    lockWaitMilliseconds: config.LOCK_WAIT_SECONDS * 1000,
    readMilliseconds: config.STATEMENT_SECONDS * 1000,
    writeMilliseconds: config.WRITE_SECONDS * 1000,
    stallMilliseconds: config.STALL_SECONDS * 1000,
    maxModelBytes: config.MAX_MODEL_BYTES,
    spoolDirectory: config.SPOOL_DIRECTORY,
  };
}

/** The version of the package, which stands two levels above the compiled program. */
function serviceVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const hasVersion = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return hasVersion && typeof manifest.version === 'string' ? manifest.version : 'unknown';
}

/** Databases that earlier deletions could not drop; the start does not wait for it. */
function purgeInBackground(parts: {
  readonly registry: Registry;
  readonly servers: ReturnType<typeof openCatalogServers>;
  readonly pools: DatabasePools;
  readonly log: Logger;
}): void {
  purgeDeleted(parts).catch((error: unknown) => parts.log.error({ err: error }, 'deleted catalogs were not purged'));
}
