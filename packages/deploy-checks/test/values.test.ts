import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processVariables } from '@holdfast/http-kit';
import { identityVariables } from '@holdfast/identity';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { generatedFiles } from '../src/generated-files.js';
import { definitions } from '../src/value-shapes.js';
import { readValues, type Value } from '../src/values-tree.js';
import { chartNames, serviceCharts, workspace } from '../src/workspace.js';
import { variablesOf } from './support/service-variables.js';

const text = (chart: string): string => readFileSync(join(workspace, 'charts', chart, 'values.yaml'), 'utf8');
const globalBlock = (chart: string): string =>
  /^# What all services share\.\nglobal:\n(?:(?: .*)?\n)+/m.exec(text(chart))?.[0] ?? '';

const childrenOf = (values: readonly Value[], name: string): readonly Value[] =>
  values.find((value) => value.name === name)?.children ?? [];

/** Variables that follow from other values, and from which. */
const wired: Readonly<Record<string, readonly string[]>> = {
  catalog: ['REGISTRY_DATABASE_URL', 'CATALOG_SERVERS', 'SWEEPERS'],
  objectstore: [
    'DATABASE_URL',
    'ROOT_ACLS',
    'STORAGE_ROOT',
    'S3_ACCESS_KEY_ID',
    'S3_SECRET_ACCESS_KEY',
    'S3_SESSION_TOKEN',
    'S3_CA_FILE',
    'SWEEPERS',
  ],
  export: [
    'DATABASE_URL',
    'QUEUE_URL',
    'QUEUE_SENTINEL_PASSWORD',
    'QUEUE_CA_FILE',
    'CREDENTIAL_KEY',
    'SERVICE_KEY',
    'SWEEPERS',
  ],
};

const wiredEverywhere = [
  'HOST',
  'PORT',
  'ADMIN_HOST',
  'ADMIN_PORT',
  'PUBLIC_URL',
  'NODE_ENV',
  'STOP_PAUSE_MS',
  'STOP_DRAIN_MS',
  'AUTH_MODE',
  'DEV_TOKENS',
  'ALLOW_DEV_TOKENS_IN_PRODUCTION',
  'SERVICE_JWKS',
  'IDENTITY_DATABASE_URL',
];

describe('the values of the charts', () => {
  it.each([...serviceCharts, 'holdfast'])('of %s have a comment each', (chart) => {
    const silent: string[] = [];
    const walk = (values: readonly Value[], path: readonly string[]): void => {
      for (const { name, description, children } of values) {
        if (description === '' && children.length === 0) silent.push([...path, name].join('.'));
        walk(children, [...path, name]);
      }
    };
    walk(readValues(text(chart)), []);
    expect(
      silent.filter(
        (name) =>
          !/^rootAcls\.|\.(?:requests|limits|ports|to)$|dashboardLabels|networkPolicy\.(clients|monitoring|dns)/.test(
            name,
          ),
      ),
    ).toEqual([]);
  });

  it('that all services share are the same in all charts', () => {
    for (const chart of serviceCharts) expect(globalBlock(chart)).toBe(globalBlock('holdfast'));
    expect(globalBlock('holdfast')).toContain('serviceMonitor:');
  });

  it('of all processes and of identity can all be set', () => {
    const { global } = parse(text('holdfast'));
    expect([...Object.keys(global.config), ...wiredEverywhere].sort()).toEqual(
      [...Object.keys(processVariables), ...Object.keys(identityVariables)].sort(),
    );
  });

  // a new variable belongs into charts/<chart>/values.yaml, with a comment; then pnpm charts:generate
  it.each(serviceCharts)('of %s are the variables of the service, neither more nor fewer', async (chart) => {
    const own = Object.keys(await variablesOf(chart)).filter((name) => !(name in identityVariables));
    const { config } = parse(text(chart));
    // one that may differ from service to service
    expect([...Object.keys(config), ...(wired[chart] ?? [])].sort()).toEqual([...own, 'REVOCATION_URL'].sort());
  });

  it.each(serviceCharts)('of %s tell the defaults that the service has', async (chart) => {
    const shape: z.ZodRawShape = { ...identityVariables, ...processVariables, ...(await variablesOf(chart)) };
    const all = readValues(text(chart));
    const variables = [...childrenOf(all, 'config'), ...childrenOf(childrenOf(all, 'global'), 'config')];
    const told = variables.flatMap(({ name, description }) => {
      const [, said] = / Default: ([^\s,]+?)\.?$/.exec(description) ?? [];
      const read = z.safeParse(shape[name] ?? z.never(), undefined);
      // lists, objects and words such as "none" are told in other ways
      const isPlain = read.success && ['number', 'boolean', 'string'].includes(typeof read.data);
      return said === undefined || !isPlain ? [] : [{ name, said, has: String(read.data) }];
    });
    expect(told.length).toBeGreaterThan(5);
    for (const { name, said, has } of told) expect({ name, default: said }).toEqual({ name, default: has });
  });

  it('of issuers are what identity reads, neither more nor fewer', () => {
    const all = { issuer: 'https://a', audiences: ['b'], jwksUri: 'https://c', requiredScope: 'd' };
    const [read = {}] = identityVariables.OIDC.parse(JSON.stringify([all]));
    expect(Object.keys(definitions.issuer?.properties ?? {}).sort()).toEqual(Object.keys(read).sort());
  });

  it('are those of the schemas and tables (pnpm charts:generate)', async () => {
    for (const { path, content } of await generatedFiles())
      expect({ path, content: await readFile(join(workspace, path), 'utf8') }).toEqual({ path, content });
  });

  it('belong to charts of one version, that of the workspace: a chart installs the images of its own', () => {
    const { version } = JSON.parse(readFileSync(join(workspace, 'package.json'), 'utf8'));
    for (const chart of chartNames) {
      const { dependencies = [], ...own } = parse(readFileSync(join(workspace, 'charts', chart, 'Chart.yaml'), 'utf8'));
      expect(own).toMatchObject(chart === 'common' ? { version } : { version, appVersion: version });
      for (const dependency of dependencies) expect(dependency).toMatchObject({ version });
    }
  });

  it('have alerts that the page on operations explains, each of them', () => {
    const page = readFileSync(join(workspace, 'docs/operations.md'), 'utf8');
    const alerts = readFileSync(join(workspace, 'charts/holdfast/files/alerts.yaml'), 'utf8');
    const named = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    const explained = [...page.matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
    expect(explained).toEqual(named);
  });

  it('follow the prefixes of the wire profiles', async () => {
    const { wireProfile } = await import('@holdfast/http-kit');
    const names = readFileSync(join(workspace, 'charts/common/templates/_names.tpl'), 'utf8');
    for (const name of ['standard', 'deriva'] as const) {
      const profile = wireProfile(name);
      const list = (prefixes: readonly string[]): string => `(list ${prefixes.map((one) => `"${one}"`).join(' ')})`;
      expect(names).toContain(
        `"${name}" (dict "catalog" ${list(profile.catalogPrefixes)} "objectstore" ${list(profile.objectStorePrefixes)} ` +
          `"export" ${list(profile.exportPrefixes)} "authn" ${list(profile.authnPrefixes)})`,
      );
    }
  });
});
