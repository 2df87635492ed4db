import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError, parseEnvironment, processVariables } from '@holdfast/http-kit';
import { identityVariables } from '@holdfast/identity';
import { z } from 'zod';
import { type Container, podsOf, type RenderedObject } from '../../src/rendered-object.js';
import { workspace } from '../../src/workspace.js';

/** Variables of a service as its own code has them: loaded by path, because packages know no service. */
async function ownVariables(file: string, name: string): Promise<z.ZodRawShape> {
  const loaded: unknown = await import(pathToFileURL(join(workspace, 'services', file)).href);
  return z.looseObject({ [name]: z.custom<z.ZodRawShape>((value) => typeof value === 'object') }).parse(loaded)[
    name
  ] as z.ZodRawShape;
}

/** What each service reads, beside what every process does. */
export async function variablesOf(service: string): Promise<z.ZodRawShape> {
  switch (service) {
    case 'catalog':
      return ownVariables('catalog/dist/src/variables.js', 'catalogVariables');
    case 'objectstore':
      return {
        ...(await ownVariables('objectstore/dist/src/configuration.js', 'objectStoreVariables')),
        ...identityVariables,
      };
    case 'export':
      return { ...(await ownVariables('export/dist/src/settings.js', 'exportVariables')), ...identityVariables };
    default:
      throw new Error(`There is no service ${service}.`);
  }
}

/** Variables that are read by Node or by the chart itself. */
const others = /^(?:TMPDIR|NODE_EXTRA_CA_CERTS|CATALOG_SERVER_\d+_URL|EXTRA)$/;

/** Parses the environment of every container with the schema of its service. Gives a sentence for each fault. */
export async function variableFaults(objects: readonly RenderedObject[]): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const object of objects) {
    const pods = podsOf(object);
    if (pods === null) continue;
    const service = object.metadata.labels['app.kubernetes.io/name'] ?? '';
    const shape: z.ZodRawShape = { ...(await variablesOf(service)), ...processVariables };
    for (const container of [...pods.spec.initContainers, ...pods.spec.containers]) {
      const place = `${object.metadata.name}/${container.name}`;
      for (const { name } of container.env)
        if (!(name in shape) && !others.test(name)) faults.push(`${place}: nobody reads ${name}`);
      faults.push(...parseFaults(place, container, shape));
    }
  }
  return faults;
}

function parseFaults(place: string, container: Container, shape: z.ZodRawShape): readonly string[] {
  const environment = environmentOf(container);
  // a migration asks for its databases alone, and a sweep for what it removes; everything else reads all there is
  const read = !/^(?:migrate|sweep)$/.test(container.name)
    ? shape
    : Object.fromEntries(Object.entries(shape).filter(([name]) => name in environment));
  try {
    parseEnvironment(read, environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((fault) => `${place}: ${fault}`);
  }
}

/** As the kubelet puts it together; Secrets have values of the right kind. */
export function environmentOf({ env }: Container): Readonly<Record<string, string>> {
  const environment: Record<string, string> = {};
  for (const { name, value, valueFrom } of env) {
    const text = valueFrom?.secretKeyRef === undefined ? (value ?? '') : secretValue(name);
    environment[name] = text.replace(/\$\$|\$\(([A-Z0-9_]+)\)/g, (whole, other?: string) =>
      other === undefined ? '$' : (environment[other] ?? whole),
    );
  }
  return environment;
}

const key = { kty: 'OKP', crv: 'Ed25519', kid: 'k', x: 'eA' };

export function secretValue(name: string): string {
  if (name.endsWith('_URL')) return name === 'QUEUE_URL' ? 'rediss://u:p@host/1' : 'postgres://u:p%40@host/db';
  switch (name) {
    case 'SERVICE_KEY':
      return JSON.stringify({ ...key, d: 'ZA' });
    case 'SERVICE_JWKS':
      return JSON.stringify({ keys: [key] });
    case 'CREDENTIAL_KEY':
      return `k:${Buffer.alloc(32).toString('base64')}`;
    case 'DEV_TOKENS':
      return '[]';
    default:
      return 'secret';
  }
}
