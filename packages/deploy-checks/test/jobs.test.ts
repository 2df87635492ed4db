import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen } from '@holdfast/http-kit';
import { createTestDatabase, type TestDatabase, testPostgresUrl } from '@holdfast/testkit';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ProgramResult, runProgram } from '../src/programs.js';
import { type Container, parseRendered, podsOf, type RenderedObject } from '../src/rendered-object.js';
import { workspace } from '../src/workspace.js';
import { chartLimit, describeCharts } from './support/describe-charts.js';

/** What a Job or CronJob says is run as it stands there: the program, its arguments, its variables; with databases of the tests. */
describeCharts('the Jobs of the charts', ({ render }) => {
  let directory = '';
  let objects: readonly RenderedObject[] = [];
  const databases = new Map<string, TestDatabase>();
  // an object store that has nothing
  const empty = createServer((_request, response) => response.writeHead(404).end());
  let emptyUrl = '';
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'holdfast-jobs-'));
    const hook = ['catalog', 'objectstore', 'export'].map((service) => `${service}.migrations.mode="hook"`);
    const set = [
      'global.identityDatabase.existingSecret="pg-identity"',
      'catalog.truncateHistory.enabled=true',
      ...hook,
      'catalog.sweepers.mode="cronJob"',
      'objectstore.sweepers.mode="cronJob"',
      'export.sweepers.mode="cronJob"',
    ];
    objects = parseRendered(await render('holdfast/deriva', set));
    for (const name of ['catalog', 'objectstore', 'export', 'identity'])
      databases.set(name, await createTestDatabase(`jobs_${name}`));
    emptyUrl = `http://127.0.0.1:${await listen(empty, 0, '127.0.0.1')}`;
  }, chartLimit);
  afterAll(async () => {
    empty.closeAllConnections();
    await new Promise((resolve) => empty.close(resolve));
    for (const database of databases.values()) await database.drop();
    await rm(directory, { recursive: true, force: true });
  }, chartLimit);

  const run = (name: string): Promise<ProgramResult> => {
    const object = objects.find(({ kind, metadata }) => /^(?:Cron)?Job$/.test(kind) && metadata.name === `hf-${name}`);
    const [container] = (object === undefined ? null : podsOf(object))?.spec.containers ?? [];
    if (object === undefined || container === undefined) throw new Error(`There is no Job ${name}.`);
    const service = object.metadata.labels['app.kubernetes.io/name'] ?? '';
    return runProgram(process.execPath, container.args, {
      cwd: join(workspace, 'services', service),
      environment: environmentOf(container, service),
    });
  };
  const environmentOf = (container: Container, service: string): NodeJS.ProcessEnv => {
    const environment: NodeJS.ProcessEnv = { NODE_OPTIONS: '' };
    for (const { name, value } of container.env)
      environment[name] = (value ?? secretOf(name, service))
        .replace(/\$\((\w+)\)/g, (_, other) => environment[other] ?? '')
        .replaceAll('http://hf-objectstore:8080', emptyUrl);
    return { ...environment, TMPDIR: directory, ...('STORAGE_ROOT' in environment ? { STORAGE_ROOT: directory } : {}) };
  };
  const secretOf = (name: string, service: string): string => {
    if (name.startsWith('CATALOG_SERVER_')) return testPostgresUrl();
    if (name === 'SERVICE_KEY')
      return JSON.stringify({ ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), kid: 'k' });
    return databases.get(name === 'IDENTITY_DATABASE_URL' ? 'identity' : service)?.url ?? '';
  };

  it.each(['catalog', 'objectstore', 'export'])(
    'bring the databases of %s to the newest schema',
    async (service) => {
      expect(await run(`${service}-migrate`)).toMatchObject({ status: 0, stderr: '' });
    },
    chartLimit,
  );

  it.each([
    ['catalog-truncate-history', 'sums'],
    ['objectstore-verify', 'counts'],
    ['catalog-sweep', 'swept'],
    ['objectstore-sweep', 'swept'],
    ['export-sweep', 'swept'],
  ])(
    'do what %s is for, by what the schedule tells it',
    async (name, kind) => {
      const { status, stdout, stderr } = await run(name);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ kind });
    },
    chartLimit,
  );
});
