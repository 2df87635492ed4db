import type { HealthCheck, ProcessParts, ServiceDefinition, StartedService } from '@holdfast/http-kit';
import { clientOf, identityVariables, openIdentity } from '@holdfast/identity';
import { type Database, measurePool, openDatabase } from '@holdfast/pg-kit';
import type { z } from 'zod';
import { objectStoreApp } from './app.js';
import type { BlobStore } from './blobs/blob-store.js';
import { objectStoreVariables, settingsOf } from './configuration.js';
import { checkDirectory, prepareDirectory } from './directory/prepare-directory.js';
import { prepareQuotas } from './directory/quotas.js';
import { startSweeping } from './maintenance/sweep-clock.js';
import { openStore } from './open-store.js';

/** The name under which other services know this one. */
export const OBJECT_STORE_AUDIENCE = 'urn:service:objectstore';

const variables = { ...objectStoreVariables, ...identityVariables };

/** Puts something between the service and its ports, for tests of what happens when they fail. */
export interface ServicePorts {
  database(database: Database): Database;
  store(store: BlobStore): BlobStore;
}

/** The object store as a process: configuration to parts, and back to nothing at the end. */
export const objectStoreService = objectStoreServiceOn({ database: (database) => database, store: (store) => store });

/** {@link objectStoreService} with something in between. */
export function objectStoreServiceOn(ports: ServicePorts): ServiceDefinition<typeof variables> {
  return { name: 'objectstore', variables, start: (parts) => start(ports, parts) };
}

async function start(
  ports: ServicePorts,
  { config, profile, log, metrics, stopSignal }: ProcessParts<z.output<z.ZodObject<typeof variables>>>,
): Promise<StartedService> {
  const store = ports.store(await openStore(config));
  const database = ports.database(
    openDatabase({
      url: config.DATABASE_URL,
      applicationName: 'holdfast-objectstore',
      maxConnections: config.DATABASE_CONNECTIONS,
    }),
  );
  await prepareDirectory(database, config.ROOT_ACLS ?? null);
  await prepareQuotas(database, config.QUOTAS);
  measurePool(metrics, 'objectstore', database);
  const identity = await openIdentity({ config, profile, log, metrics, audience: OBJECT_STORE_AUDIENCE });
  const settings = settingsOf(config, profile);
  const sweeping = startSweeping(
    { database, store, log, graceSeconds: config.GC_GRACE_SECONDS, jobAges: settings.upload },
    metrics,
    config.SWEEPERS,
  );
  return {
    handler: objectStoreApp({
      log,
      metrics,
      profile,
      stopSignal,
      trustProxy: config.TRUST_PROXY,
      database,
      store,
      settings,
      errorRules: { templates: config.ERROR_TEMPLATES },
      callers: { authenticate: identity.authenticate, clientOf },
    }),
    checks: [databaseCheck(database), { name: 'blobs', check: (signal) => store.check(signal) }, ...identity.checks],
    stop: async () => {
      await sweeping.stop();
      await identity.close();
      await database.close();
      store.close();
    },
  };
}

function databaseCheck(database: Database): HealthCheck {
  return {
    name: 'database',
    check: (signal) => checkDirectory(database, signal),
  };
}
