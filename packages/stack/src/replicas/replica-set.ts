import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { FrontDoor } from '../front-door/front-door.js';
import {
  catalogEnvironment,
  exportEnvironment,
  objectStoreEnvironment,
  type ServiceEnvironment,
  type ServiceName,
  type StackFacts,
  serviceNames,
  serviceOptions,
  servicePrograms,
} from '../services.js';
import { type ChildService, startChildService } from '../supervisor/child-service.js';
import { openLogFile } from '../supervisor/log-file.js';

/** Time between the front door's forgetting and SIGTERM: requests on their way arrive meanwhile. */
const forgetMs = 300;
const stopMs = 30_000;

/** The processes of all services, which the front door is kept informed of. */
export type Replicas = {
  /** The processes of the services that should be running. */
  processes(): readonly { readonly name: ServiceName; readonly pid: number }[];
  /** Messages of processes that ended although nobody wanted it. */
  crashes(): readonly string[];
  /**
   * Replaces every process of a service as a rolling update does: a new one is started, the front door forgets an old one, which is then
   * told to stop.
   */
  roll(name: ServiceName): Promise<void>;
  /** Starts so many more. */
  start(name: ServiceName, count: number): Promise<void>;
  stop(): Promise<void>;
};

export type ReplicaOptions = {
  /** Variables for single services, over those of the stack. */
  readonly environment?: Partial<Readonly<Record<ServiceName, ServiceEnvironment>>>;
  /** Directories with the service's production tree, made by docker/production-tree.mjs, in place of the workspace. */
  readonly trees?: Partial<Readonly<Record<'catalog' | 'objectstore' | 'export', string>>>;
};

/** None run at first. */
export function openReplicas(facts: StackFacts, options: ReplicaOptions, door: FrontDoor): Replicas {
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

function programOf(name: ServiceName, trees: ReplicaOptions['trees']) {
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
