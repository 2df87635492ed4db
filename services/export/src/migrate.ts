import { runMigrationProcess } from '@holdfast/http-kit';
import { identityVariables, migrateIdentity } from '@holdfast/identity';
import { migrate, openDatabase } from '@holdfast/pg-kit';
import { exportMigrations } from './job/migrations.js';
import { exportVariables } from './settings.js';

const { DATABASE_URL } = exportVariables;
const { IDENTITY_DATABASE_URL } = identityVariables;

// The command `migrate`: brings the databases to the newest schema, as the start of the service does.
await runMigrationProcess(
  {
    name: 'export',
    variables: { DATABASE_URL, IDENTITY_DATABASE_URL },
    migrate: async (config) => {
      const database = openDatabase({
        url: config.DATABASE_URL,
        applicationName: 'holdfast export migration',
        maxConnections: 2,
      });
      try {
        await migrate(database, exportMigrations);
      } finally {
        await database.close();
      }
      await migrateIdentity(config.IDENTITY_DATABASE_URL);
    },
  },
  process.env,
);
