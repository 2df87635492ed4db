import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type WireProfileName, wireProfile } from '@holdfast/http-kit';
import { tokens } from '../dev-identities.js';
import { startFrontDoor } from '../front-door/front-door.js';
import { routesOf } from '../front-door/routes.js';
import {
  databases,
  publicUrl,
  type ServiceEnvironment,
  type ServiceName,
  type StackFacts,
  serviceNames,
} from '../services.js';
import { loadOrCreateKeys } from '../stack-keys.js';
import { createMissingDatabases } from '../supervisor/create-databases.js';
import { openReplicas } from './replica-set.js';
import { openPostgres } from './restartable-postgres.js';

export type ReplicatedStackOptions = {
  readonly dataDir: string;
  /** Processes of each service. 2 by default. */
  readonly replicas?: number;
  /** Of the front door; any free one by default. */
  readonly port?: number;
  readonly wireProfile?: WireProfileName;
  /** Variables for single services, over those of the stack. */
  readonly environment?: Partial<Readonly<Record<ServiceName, ServiceEnvironment>>>;
  /** Directories with the service's production tree, made by docker/production-tree.mjs, in place of the workspace. */
  readonly trees?: Partial<Readonly<Record<'catalog' | 'objectstore' | 'export', string>>>;
  /** Of the superuser of a PostgreSQL to use instead of an embedded one, for the database `postgres`. */
  readonly postgresUrl?: string;
};

/** Several processes of every service behind one front door, as on a cluster: for tests of restarts and outages. */
export type ReplicatedStack = {
  readonly url: string;
  readonly port: number;
  readonly tokens: typeof tokens;
  readonly postgresUrl: string;
  readonly logs: string;
  /** The processes of the services that should be running. */
  processes(): readonly { readonly name: ServiceName; readonly pid: number }[];
  /** Messages of processes that ended although nobody wanted it. */
  crashes(): readonly string[];
  /**
   * Replaces every process of a service as a rolling update does: a new one is started, the front door forgets an old one, which is then
   * told to stop.
   */
  roll(name: ServiceName): Promise<void>;
  /** Ends PostgreSQL, at once and with all connections; the one that is embedded only. */
  stopPostgres(): Promise<void>;
  startPostgres(): Promise<void>;
  stop(): Promise<void>;
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
