import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testCache } from '@holdfast/testkit';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { runProgram } from './programs.js';

/** Releases of Kubernetes that the charts are checked against: the oldest that is maintained, and the newest two. */
export const kubernetesVersions = ['1.34.4', '1.35.4', '1.36.3'] as const;

/** Where the definitions of other kinds are, each a Go module and a directory in it. */
const customResources = [
  {
    module: 'github.com/prometheus-operator/prometheus-operator',
    version: 'v0.85.0',
    directory: 'example/prometheus-operator-crd',
  },
  { module: 'sigs.k8s.io/gateway-api', version: 'v1.4.1', directory: 'config/crd/standard' },
] as const;

/** Changes when the form of the files changes. */
const FORM = '1';

/** Schemas of one release for kubeconform, or why there are none. */
export type SchemaDirectory =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'none'; readonly reason: string };

/** Directory of the schemas of a release, `{kind}-{group}-{version}.json`, made once out of its OpenAPI document. */
export function prepareKubernetesSchemas(version: string): Promise<SchemaDirectory> {
  return prepared(`kubernetes-${version}-${FORM}`, async (directory) => {
    await withModule('k8s.io/kubernetes', `v${version}`, async (sources) => {
      const text = await readFile(join(sources, 'api/openapi-spec/swagger.json'), 'utf8');
      await writeBuiltInKinds(directory, openApi.parse(JSON.parse(text)));
    });
  });
}

/** Directory of the schemas of the kinds that are no part of Kubernetes itself. */
export function prepareCustomSchemas(): Promise<SchemaDirectory> {
  const name = customResources.map(({ version }) => version).join('-');
  return prepared(`custom-${name}-${FORM}`, async (directory) => {
    for (const { module, version, directory: inside } of customResources)
      await withModule(module, version, (sources) => writeCustomKinds(directory, join(sources, inside)));
  });
}

async function prepared(name: string, fill: (directory: string) => Promise<void>): Promise<SchemaDirectory> {
  const path = testCache('schemas', name);
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (isThere) return { kind: 'directory', path };
  await mkdir(testCache('schemas'), { recursive: true });
  const making = await mkdtemp(`${path}-`);
  try {
    await fill(making);
    await rename(making, path);
    return { kind: 'directory', path };
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    return { kind: 'none', reason: `${name}: ${error instanceof Error ? error.message : String(error)}` };
  }
}

const download = z.object({ Dir: z.string() });

/** Fetches a module into a directory of its own and deletes it afterwards: only some files of it are wanted. */
async function withModule(module: string, version: string, work: (sources: string) => Promise<void>): Promise<void> {
  await mkdir(testCache('schemas'), { recursive: true });
  const modules = await mkdtemp(testCache('schemas', 'module-'));
  try {
    const fetched = await runProgram('go', ['mod', 'download', '-json', `${module}@${version}`], {
      environment: { GOMODCACHE: modules, GOFLAGS: '-modcacherw' },
    });
    if (fetched.status !== 0)
      throw new Error(`"go mod download ${module}@${version}" failed: ${fetched.stdout}${fetched.stderr}`);
    await work(download.parse(JSON.parse(fetched.stdout)).Dir);
  } finally {
    await rm(modules, { recursive: true, force: true });
  }
}

const openApi = z.object({ definitions: z.record(z.string(), z.record(z.string(), z.unknown())) });
const kinds = z.array(z.object({ group: z.string(), version: z.string(), kind: z.string() }));

/** One file for each kind, which refers to the one with all definitions. */
async function writeBuiltInKinds(directory: string, { definitions }: z.output<typeof openApi>): Promise<void> {
  const strict = Object.fromEntries(Object.entries(definitions).map(([name, schema]) => [name, strictly(schema)]));
  // numbers or texts, as Kubernetes' own description has them
  strict['io.k8s.apimachinery.pkg.util.intstr.IntOrString'] = { type: ['string', 'integer'] };
  strict['io.k8s.apimachinery.pkg.api.resource.Quantity'] = { type: ['string', 'number'] };
  await writeFile(join(directory, 'definitions.json'), JSON.stringify({ definitions: strict }));
  for (const [name, schema] of Object.entries(definitions)) {
    for (const { group, version, kind } of kinds.parse(schema['x-kubernetes-group-version-kind'] ?? [])) {
      const own = {
        $ref: `definitions.json#/definitions/${name}`,
      };
      const file = [kind.toLowerCase(), ...(group === '' ? [] : [group.split('.')[0] ?? '']), version].join('-');
      await writeFile(join(directory, `${file}.json`), JSON.stringify(own));
    }
  }
}

async function writeCustomKinds(directory: string, sources: string): Promise<void> {
  for (const file of await readdir(sources)) {
    if (!file.endsWith('.yaml')) continue;
    for (const document of parseAllDocuments(await readFile(join(sources, file), 'utf8'))) {
      const found = customResource.safeParse(document.toJSON());
      if (!found.success) continue;
      const { group, names, versions } = found.data.spec;
      for (const { name, schema } of versions) {
        const own = strictly(schema.openAPIV3Schema);
        await writeFile(
          join(directory, `${[names.kind.toLowerCase(), group.split('.')[0], name].join('-')}.json`),
          JSON.stringify({ ...own, properties: { ...asObject(own.properties), metadata: { type: 'object' } } }),
        );
      }
    }
  }
}

const customResource = z.object({
  kind: z.literal('CustomResourceDefinition'),
  spec: z.object({
    group: z.string(),
    names: z.object({ kind: z.string() }),
    versions: z.array(
      z.object({ name: z.string(), schema: z.object({ openAPIV3Schema: z.record(z.string(), z.unknown()) }) }),
    ),
  }),
});

/** Refuses fields that the schema does not name, at every depth; references lead into the same file. */
function strictly(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const strict = Object.fromEntries(Object.entries(schema).map(([word, value]) => [word, strictValue(word, value)]));
  const isClosed =
    'properties' in schema &&
    !('additionalProperties' in schema) &&
    schema['x-kubernetes-preserve-unknown-fields'] !== true;
  const either = schema['x-kubernetes-int-or-string'] === true ? { type: ['string', 'integer'] } : {};
  return { ...strict, ...(isClosed ? { additionalProperties: false } : {}), ...either };
}

function strictValue(word: string, value: unknown): unknown {
  switch (word) {
    case 'properties':
      return Object.fromEntries(
        Object.entries(asObject(value)).map(([name, schema]) => [name, strictly(asObject(schema))]),
      );
    case 'items':
    case 'additionalProperties':
      return typeof value === 'object' && value !== null ? strictly(asObject(value)) : value;
    case 'format':
      // Kubernetes' own formats mean nothing to a validator
      return value === 'int-or-string' ? undefined : value;
    default:
      return value;
  }
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
