import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type WireProfileName, wireProfile } from '@holdfast/http-kit';
import { tokens } from '../dev-identities.js';
import { type FrontDoor, startFrontDoor } from '../front-door/front-door.js';
import { routesOf } from '../front-door/routes.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../postgres/embedded-postgres.js';
import {
  catalogEnvironment,
  databases,
  exportEnvironment,
  objectStoreEnvironment,
  publicUrl,
  type ServiceEnvironment,
  type ServiceName,
  type StackFacts,
  serviceNames,
  serviceOptions,
  servicePrograms,
} from '../services.js';
import { loadOrCreateKeys } from '../stack-keys.js';
import { type ChildService, startChildService } from '../supervisor/child-service.js';
import { createMissingDatabases } from '../supervisor/create-databases.js';
import { openLogFile } from '../supervisor/log-file.js';

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

/** Time between the front door's forgetting and SIGTERM: requests on their way arrive meanwhile. */
const forgetMs = 300;
const stopMs = 30_000;

/** Starts it; resolves when requests are answered. Whoever starts it must stop it. */
export async function startReplicatedStack(options: ReplicatedStackOptions): Promise<ReplicatedStack> {
  const dataDir = resolve(options.dataDir);
  mkdirSync(join(dataDir, 'logs'), { recursive: true, mode: 0o711 });
  const profile = wireProfile(options.wireProfile ?? 'standard');
  const door = await startFrontDoor({ host: '127.0.0.1', port: options.port ?? 0, routes: routesOf(profile) });
  const postgres = await openPostgres(options, join(dataDir, 'postgres'));
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

type RestartablePostgres = { readonly url: string; start(): Promise<void>; stop(): Promise<void> };

async function openPostgres(options: ReplicatedStackOptions, dataDir: string): Promise<RestartablePostgres> {
  const none = async (): Promise<void> => undefined;
  if (options.postgresUrl !== undefined) return { url: options.postgresUrl, start: none, stop: none };
  let running: EmbeddedPostgres | null = await startEmbeddedPostgres({ dataDir });
  const { url, port } = running;
  return {
    url,
    start: async () => {
      running ??= await startEmbeddedPostgres({ dataDir, port });
    },
    stop: async () => {
      await running?.stop();
      running = null;
    },
  };
}

type Replicas = Pick<ReplicatedStack, 'processes' | 'crashes' | 'roll' | 'stop'> & {
  start(name: ServiceName, count: number): Promise<void>;
};

function openReplicas(facts: StackFacts, options: ReplicatedStackOptions, door: FrontDoor): Replicas {
  const running = new Map<ServiceName, ChildService[]>(serviceNames.map((name) => [name, []]));
  const crashes: string[] = [];
  const wanted = new Set<ChildService>();
  let started = 0;
  const of = (name: ServiceName): ChildService[] => running.get(name) ?? [];
  const portsOf = (name: ServiceName): readonly number[] =>
    of(name).flatMap(({ port }) => (port === null ? [] : [port]));
  const tellDoor = (): void =>
    door.open({ catalog: portsOf('catalog'), objectstore: portsOf('objectstore'), export: portsOf('export') });
  const startOne = async (name: ServiceName): Promise<void> => {
    started += 1;
    const child = await startChildService(
      {
        name,
        ...programOf(name, options.trees),
        environment: { ...environmentOf(name, facts), ...options.environment?.[name] },
        log: openLogFile(join(facts.dataDir, 'logs'), `${name}-${started}`),
      },
      new AbortController().signal,
    );
    wanted.add(child);
    child.ended.then((message) => {
      if (wanted.has(child)) crashes.push(message);
    });
    of(name).push(child);
    tellDoor();
  };
  const stopOne = async (name: ServiceName, child: ChildService): Promise<void> => {
    of(name).splice(of(name).indexOf(child), 1);
    tellDoor();
    await sleep(forgetMs);
    wanted.delete(child);
    await child.stop(stopMs);
  };
  return {
    start: async (name, count) => {
      for (let index = 0; index < count; index += 1) await startOne(name);
    },
    processes: () => serviceNames.flatMap((name) => of(name).map(({ pid }) => ({ name, pid }))),
    crashes: () => crashes,
    roll: async (name) => {
      for (const old of [...of(name)]) {
        await startOne(name);
        await stopOne(name, old);
      }
    },
    stop: async () => {
      wanted.clear();
      await Promise.all([...running.values()].flat().map((child) => child.stop(stopMs)));
    },
  };
}

function programOf(name: ServiceName, trees: ReplicatedStackOptions['trees']) {
  const options = serviceOptions[name];
  const program = servicePrograms[name];
  const [, service = ''] = program.split('/');
  const tree = Object.entries(trees ?? {}).find(([one]) => one === service)?.[1];
  return { program: join(tree ?? workspace(), program), options };
}

function environmentOf(name: ServiceName, facts: StackFacts): ServiceEnvironment {
  const more = { STOP_PAUSE_MS: '200', STOP_DRAIN_MS: '20000' };
  switch (name) {
    case 'catalog':
      return { ...catalogEnvironment(facts), ...more };
    case 'objectstore':
      return {
        ...objectStoreEnvironment(facts),
        // as in the charts: the export service makes the namespace of its results itself
        ROOT_ACLS: JSON.stringify({
          owner: ['admin'],
          create: ['admin', 'alice', 'urn:service:export'],
          'subtree-owner': ['admin'],
        }),
        ...more,
      };
    case 'export':
    case 'export-worker':
      // services find each other through the front door, which knows who is there
      return { ...exportEnvironment(facts, { catalog: facts.port, objectstore: facts.port }), ...more };
  }
}

function workspace(): string {
  // packages/stack/dist/src/replicas
  return fileURLToPath(new URL('../../../../..', import.meta.url));
}
