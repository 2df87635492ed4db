import { runSweepProcess } from '@holdfast/http-kit';
import { openCatalogServers } from './registry/catalog-servers.js';
import { purgeDeleted } from './registry/delete-catalog.js';
import { openRegistry } from './registry/registry.js';
import { catalogVariables } from './variables.js';

const { REGISTRY_DATABASE_URL, CATALOG_SERVERS } = catalogVariables;

// The command `sweep`: drops what deletions of catalogs have left, as the service does at its start.
await runSweepProcess(
  {
    name: 'catalog',
    variables: { REGISTRY_DATABASE_URL, CATALOG_SERVERS },
    sweep: async ({ config, profile, log }) => {
      const registry = await openRegistry({
        url: config.REGISTRY_DATABASE_URL,
        maxConnections: 2,
        schemaName: profile.registrySchema,
        tablePrefix: profile.builtinTablePrefix,
      });
      const servers = openCatalogServers(config.CATALOG_SERVERS, profile.builtinTablePrefix);
      try {
        const purged = await purgeDeleted({ registry, servers, pools: null, log });
        return {
          leader: purged !== null,
          removed: { databases: purged?.dropped ?? 0 },
          failed: purged?.failed ?? 0,
        };
      } finally {
        await Promise.all([servers.close(), registry.close()]);
      }
    },
  },
  process.env,
);
