import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type WireProfileName, wireProfile } from '@holdfast/http-kit';
import { tokens } from '../dev-identities.js';
import { startFrontDoor } from '../front-door/front-door.js';
import { routesOf } from '../front-door/routes.js';
import { databases, publicUrl, type StackFacts, serviceNames } from '../services.js';
import { loadOrCreateKeys } from '../stack-keys.js';
import { createMissingDatabases } from '../supervisor/create-databases.js';
import { openReplicas, type ReplicaOptions, type Replicas } from './replica-set.js';
import { openPostgres } from './restartable-postgres.js';

export type ReplicatedStackOptions = ReplicaOptions & {
  readonly dataDir: string;
  /** Processes of each service. 2 by default. */
  readonly replicas?: number;
  /** Of the front door; any free one by default. */
  readonly port?: number;
  readonly wireProfile?: WireProfileName;
  /** Of the superuser of a PostgreSQL to use instead of an embedded one, for the database `postgres`. */
  readonly postgresUrl?: string;
};

/** Several processes of every service behind one front door, as on a cluster: for tests of restarts and outages. */
export type ReplicatedStack = Omit<Replicas, 'start'> & {
  readonly url: string;
  readonly port: number;
  readonly tokens: typeof tokens;
  readonly postgresUrl: string;
  readonly logs: string;
  /** Ends PostgreSQL, at once and with all connections; the one that is embedded only. */
  stopPostgres(): Promise<void>;
  startPostgres(): Promise<void>;
};

/** Starts it; resolves when requests are answered. Whoever starts it must stop it. */
export async function startReplicatedStack(options: ReplicatedStackOptions): Promise<ReplicatedStack> {
  const dataDir = resolve(options.dataDir);
  mkdirSync(join(dataDir, 'logs'), { recursive: true, mode: 0o711 });
  const profile = wireProfile(options.wireProfile ?? 'standard');
  const door = await startFrontDoor({ host: '127.0.0.1', port: options.port ?? 0, routes: routesOf(profile) });
  const postgres = await openPostgres(options.postgresUrl, join(dataDir, 'postgres'));
  await createMissingDatabases(postgres.url, Object.values(databases));
  const facts: StackFacts = {
    dataDir,
    port: door.port,
    wireProfile: options.wireProfile ?? 'standard',
    objectStorePrefixes: profile.objectStorePrefixes,
    logLevel: 'info',
    keys: loadOrCreateKeys(dataDir),
    postgresUrl: postgres.url,
  };
  const replicas = openReplicas(facts, options, door);
  const stop = async (): Promise<void> => {
    await replicas.stop();
    await door.close();
    await postgres.stop();
  };
  try {
    for (const name of serviceNames) await replicas.start(name, options.replicas ?? 2);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: publicUrl(door.port),
    port: door.port,
    tokens,
    postgresUrl: postgres.url,
    logs: join(dataDir, 'logs'),
    processes: replicas.processes,
    crashes: replicas.crashes,
    roll: replicas.roll,
    stopPostgres: postgres.stop,
    startPostgres: postgres.start,
    stop,
  };
}
