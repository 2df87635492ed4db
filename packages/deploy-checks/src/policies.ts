import { z } from 'zod';
import { type Container, type PodTemplate, podsOf, type RenderedObject } from './rendered-object.js';

/**
 * What every rendered object must keep to, whatever the values are.
 * @param secrets Secrets that are there besides the rendered ones, and their keys
 * @returns a sentence for each fault
 */
export function policyFaults(
  objects: readonly RenderedObject[],
  secrets: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  const known = new Map(Object.entries(secrets));
  for (const { kind, metadata, data = {}, stringData = {} } of objects)
    if (kind === 'Secret') known.set(metadata.name, [...Object.keys(data), ...Object.keys(stringData)]);
  return [
    ...objects.flatMap((object) => {
      const pods = podsOf(object);
      const place = `${object.kind} ${object.metadata.name}`;
      return pods === null ? [] : podFaults(place, object, pods, objects, known);
    }),
    ...objects.flatMap(openSecretFaults),
    ...twiceNamed(objects),
  ];
}

function podFaults(
  place: string,
  object: RenderedObject,
  pods: PodTemplate,
  objects: readonly RenderedObject[],
  secrets: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const { spec } = pods;
  const faults: string[] = [];
  const claim = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(`${place}: ${fault}`);
  };
  claim(spec.automountServiceAccountToken === false, 'mounts a service account token');
  claim(spec.securityContext.runAsNonRoot === true, 'may run as root');
  claim(isRuntimeDefault(spec.securityContext), 'has no seccomp profile');
  claim(coveredBothWays(pods.metadata.labels, objects), 'no NetworkPolicy covers both directions of its pods');
  for (const volume of spec.volumes) claim(!('hostPath' in volume), `mounts a path of the node (${volume.name})`);
  if (object.kind === 'Deployment') {
    claim((spec.terminationGracePeriodSeconds ?? 0) > drainSeconds(spec.containers), 'is killed while it drains');
    claim(hasBudget(pods.metadata.labels, objects), 'has no PodDisruptionBudget');
    claim((spec.topologySpreadConstraints ?? []).length > 0, 'does not spread its pods');
  }
  for (const container of [...spec.initContainers, ...spec.containers]) {
    faults.push(...containerFaults(`${place}, container ${container.name}`, container, secrets));
    const isLasting = object.kind === 'Deployment' && spec.containers.includes(container);
    for (const probe of isLasting ? (['livenessProbe', 'readinessProbe', 'startupProbe'] as const) : [])
      claim(container[probe] !== undefined, `container ${container.name} has no ${probe}`);
  }
  return faults;
}

function containerFaults(
  place: string,
  container: Container,
  secrets: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const { securityContext: context, resources, env } = container;
  const faults: string[] = [];
  const claim = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(`${place}: ${fault}`);
  };
  for (const kind of ['requests', 'limits'])
    for (const resource of ['cpu', 'memory', 'ephemeral-storage'])
      claim(resources[kind]?.[resource] !== undefined, `has no ${kind} of ${resource}`);
  claim(context.allowPrivilegeEscalation === false, 'may gain privileges');
  claim(context.readOnlyRootFilesystem === true, 'may write to its root file system');
  claim(context.runAsNonRoot === true, 'may run as root');
  claim(isRuntimeDefault(context), 'has no seccomp profile');
  claim(JSON.stringify(context.capabilities) === '{"drop":["ALL"]}', 'keeps capabilities');
  claim(/(?::(?!latest$)[^/:]+|@sha256:[0-9a-f]+)$/.test(container.image), 'has an image without a version');
  for (const { name, value, valueFrom } of env) {
    const reference = valueFrom?.secretKeyRef;
    if (reference !== undefined)
      claim(
        secrets.get(reference.name)?.includes(reference.key) === true,
        `${name} refers to key ${reference.key} of Secret ${reference.name}, which nobody makes`,
      );
    if (value !== undefined) claim(!looksSecret(value), `${name} has a secret in clear`);
  }
  const names = env.map(({ name }) => name);
  claim(
    new Set(names).size === names.length,
    `sets a variable twice: ${names.filter((name, at) => names.indexOf(name) !== at)}`,
  );
  for (const argument of container.args) claim(!looksSecret(argument), 'has a secret among its arguments');
  return faults;
}

const looksSecret = (text: string): boolean =>
  /:\/\/[^/@$\s]*:[^/@$\s]*@/.test(text) || /"d"\s*:|BEGIN [A-Z ]*PRIVATE KEY/.test(text);

function isRuntimeDefault(context: Readonly<Record<string, unknown>>): boolean {
  return JSON.stringify(context.seccompProfile) === '{"type":"RuntimeDefault"}';
}

/** Of what the process itself says it needs. */
function drainSeconds(containers: readonly Container[]): number {
  const milliseconds = containers.flatMap(({ env }) =>
    env.filter(({ name }) => name === 'STOP_PAUSE_MS' || name === 'STOP_DRAIN_MS').map(({ value }) => Number(value)),
  );
  return milliseconds.reduce((sum, one) => sum + one, 0) / 1000;
}

const selector = z.looseObject({ matchLabels: z.record(z.string(), z.string()).default({}) });
const policySpec = z.looseObject({ podSelector: selector, policyTypes: z.array(z.string()) });
const budgetSpec = z.looseObject({ selector });

function selects({ matchLabels }: z.output<typeof selector>, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(matchLabels).every(([name, value]) => labels[name] === value);
}

function coveredBothWays(labels: Readonly<Record<string, string>>, objects: readonly RenderedObject[]): boolean {
  const types = objects
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map(({ spec }) => policySpec.parse(spec))
    .filter(({ podSelector }) => selects(podSelector, labels))
    .flatMap(({ policyTypes }) => policyTypes);
  return types.includes('Ingress') && types.includes('Egress');
}

function hasBudget(labels: Readonly<Record<string, string>>, objects: readonly RenderedObject[]): boolean {
  return objects.some(
    ({ kind, spec }) => kind === 'PodDisruptionBudget' && selects(budgetSpec.parse(spec).selector, labels),
  );
}

/** No password in a ConfigMap. */
function openSecretFaults({ kind, metadata, data = {} }: RenderedObject): readonly string[] {
  if (kind !== 'ConfigMap') return [];
  return Object.entries(data)
    .filter(([, text]) => looksSecret(text))
    .map(([key]) => `ConfigMap ${metadata.name}: ${key} has a secret in clear`);
}

function twiceNamed(objects: readonly RenderedObject[]): readonly string[] {
  const names = objects.map(({ apiVersion, kind, metadata }) => `${apiVersion} ${kind} ${metadata.name}`);
  return names.filter((name, at) => names.indexOf(name) !== at).map((name) => `${name} is there twice`);
}
