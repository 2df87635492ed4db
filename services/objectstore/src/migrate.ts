import { runMigrationProcess } from '@holdfast/http-kit';
import { identityVariables, migrateIdentity } from '@holdfast/identity';
import { openDatabase } from '@holdfast/pg-kit';
import { objectStoreVariables } from './configuration.js';
import { migrateDirectory } from './directory/prepare-directory.js';

const { DATABASE_URL } = objectStoreVariables;
const { IDENTITY_DATABASE_URL } = identityVariables;

// The command `migrate`: brings the databases to the newest schema, as the start of the service does.
await runMigrationProcess(
  {
    name: 'objectstore',
    variables: { DATABASE_URL, IDENTITY_DATABASE_URL },
    migrate: async (config) => {
      const database = openDatabase({
        url: config.DATABASE_URL,
        applicationName: 'holdfast-objectstore migration',
        maxConnections: 2,
      });
      try {
        await migrateDirectory(database);
      } finally {
        await database.close();
      }
      await migrateIdentity(config.IDENTITY_DATABASE_URL);
    },
  },
  process.env,
);
