import type { HealthCheck, ServiceDefinition } from '@holdfast/http-kit';
import { clientOf, identityVariables, openIdentity } from '@holdfast/identity';
import { type Database, measurePool, openDatabase, sql } from '@holdfast/pg-kit';
import { objectStoreApp } from './app.js';
import { objectStoreVariables, settingsOf } from './configuration.js';
import { prepareDirectory } from './directory/prepare-directory.js';
import { prepareQuotas } from './directory/quotas.js';
import { startSweeping } from './maintenance/sweep-clock.js';
import { openStore } from './open-store.js';

/** The name under which other services know this one. */
export const OBJECT_STORE_AUDIENCE = 'urn:service:objectstore';

const variables = { ...objectStoreVariables, ...identityVariables };

/** The object store as a process: configuration to parts, and back to nothing at the end. */
export const objectStoreService: ServiceDefinition<typeof variables> = {
  name: 'objectstore',
  variables,
  start: async (parts) => {
    const { config, profile, log, metrics, stopSignal } = parts;
    const store = await openStore(config);
    const database = openDatabase({
      url: config.DATABASE_URL,
      applicationName: 'holdfast-objectstore',
      maxConnections: config.DATABASE_CONNECTIONS,
    });
    await prepareDirectory(database, config.ROOT_ACLS ?? null);
    await prepareQuotas(database, config.QUOTAS);
    measurePool(metrics, 'objectstore', database);
    const identity = await openIdentity({ config, profile, log, metrics, audience: OBJECT_STORE_AUDIENCE });
    const settings = settingsOf(config, profile);
    const sweeping = startSweeping(
      { database, store, log, graceSeconds: config.GC_GRACE_SECONDS, jobAges: settings.upload },
      metrics,
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
  },
};

function databaseCheck(database: Database): HealthCheck {
  return {
    name: 'database',
    check: async (signal) => {
      await database.withConnection(signal, (connection) => connection.query(sql`select 1`));
    },
  };
}
