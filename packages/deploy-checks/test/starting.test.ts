import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Container, parseRendered, podsOf } from '../src/rendered-object.js';
import { workspace } from '../src/workspace.js';
import { chartLimit, describeCharts } from './support/describe-charts.js';
import { environmentOf } from './support/service-variables.js';

/**
 * The first process of a container hears no signal that it has not asked for. Each program of the charts is started over a database that
 * takes connections and says nothing, so that it never gets any further, and must end by itself when it is told to.
 */
describeCharts('programs that are told to stop before they have started', ({ render }) => {
  let directory = '';
  const containers = new Map<string, { readonly container: Container; readonly service: string }>();
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'holdfast-starting-'));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const objects = parseRendered(await render('holdfast/deriva', ['catalog.truncateHistory.enabled=true']));
    for (const object of objects) {
      const { initContainers = [], containers: main = [] } = podsOf(object)?.spec ?? {};
      const service = object.metadata.labels['app.kubernetes.io/name'] ?? '';
      for (const container of [...initContainers, ...main])
        containers.set(`${service}/${container.name}`, { container, service });
    }
  }, chartLimit);
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    silent.close();
    await rm(directory, { recursive: true, force: true });
  });

  const environment = (container: Container): NodeJS.ProcessEnv => {
    const { port } = silent.address() as AddressInfo;
    const given = Object.entries(environmentOf(container)).map(([name, value]): [string, string] => [
      name,
      value.replaceAll('postgres://u:p%40@host/db', `postgres://u:p@127.0.0.1:${port}/db`),
    ]);
    return { ...Object.fromEntries(given), TMPDIR: directory, STORAGE_ROOT: directory };
  };

  const programs = [
    'catalog/api',
    'catalog/migrate',
    'catalog/sweep',
    'catalog/truncate-history',
    'objectstore/api',
    'objectstore/migrate',
    'objectstore/sweep',
    'objectstore/verify',
    'export/api',
    'export/worker',
    'export/migrate',
    'export/sweep',
  ];

  it('are all there are', () => {
    expect([...containers.keys()].sort()).toEqual([...programs].sort());
  });

  it.each(programs.flatMap((name) => [[name, 'SIGTERM', 143] as const, [name, 'SIGINT', 130] as const]))(
    'end by themselves: %s, %s',
    async (name, signal, status) => {
      const { container, service } = containers.get(name) ?? { container: undefined, service: '' };
      if (container === undefined) throw new Error(`There is no ${name}.`);
      const asked = once(silent, 'connection');
      const child = spawn(process.execPath, container.args, {
        cwd: join(workspace, 'services', service),
        env: environment(container),
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
      const ended = once(child, 'close');
      await Promise.race([asked, ended.then(() => Promise.reject(new Error(`It ended by itself: ${output}`)))]);
      child.kill(signal);
      // a death by the signal, or a database that is waited for in vain, would show in the status
      expect(await ended).toEqual([status, null]);
      expect(output).toMatch(new RegExp(`told to (?:end|stop).*|"reason":"${signal}".*told to stop before`));
      expect(output).toContain(signal);
    },
    chartLimit,
  );
});
