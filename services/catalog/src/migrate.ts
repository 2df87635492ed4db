import { processVariables, runMigrationProcess, wireProfile } from '@holdfast/http-kit';
import { identityVariables, migrateIdentity } from '@holdfast/identity';
import { openRegistry } from './registry/registry.js';
import { catalogVariables } from './variables.js';

const { REGISTRY_DATABASE_URL } = catalogVariables;
const { IDENTITY_DATABASE_URL } = identityVariables;
const { WIRE_PROFILE, WIRE_PROFILE_OVERRIDES } = processVariables;

// The command `migrate`: brings the registry and the identity database to the newest schema, as the start of the service does. Catalogs
// follow at their first use.
await runMigrationProcess(
  {
    name: 'catalog',
    variables: { REGISTRY_DATABASE_URL, IDENTITY_DATABASE_URL, WIRE_PROFILE, WIRE_PROFILE_OVERRIDES },
    migrate: async (config) => {
      const profile = wireProfile(config.WIRE_PROFILE, config.WIRE_PROFILE_OVERRIDES);
      const registry = await openRegistry({
        url: config.REGISTRY_DATABASE_URL,
        maxConnections: 2,
        schemaName: profile.registrySchema,
        tablePrefix: profile.builtinTablePrefix,
      });
      await registry.close();
      await migrateIdentity(config.IDENTITY_DATABASE_URL);
    },
  },
  process.env,
);
