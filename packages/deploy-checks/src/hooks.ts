import { z } from 'zod';
import { podsOf, type RenderedObject } from './rendered-object.js';

/**
 * Hooks run before the chart's other objects are there, and stay when the release is uninstalled: a sentence for each hook whose pods need
 * what comes later, are open to everything meanwhile, or would never be taken away.
 */
export function hookFaults(objects: readonly RenderedObject[]): readonly string[] {
  const hooks = objects.filter((object) => HOOK in object.metadata.annotations);
  const later = new Set(objects.filter((object) => !hooks.includes(object)).map(nameOf));
  const policies = hooks.filter(({ kind }) => kind === 'NetworkPolicy');
  const isGuarded = objects.some(({ kind }) => kind === 'NetworkPolicy');
  return hooks.flatMap((hook) => {
    const place = `${hook.kind} ${hook.metadata.name}`;
    const left = hook.metadata.annotations['helm.sh/hook-delete-policy']?.includes('hook-succeeded') !== true;
    const pods = podsOf(hook);
    const needed = pods === null ? [] : neededBy(pods.spec).filter((name) => later.has(name));
    const own = pods?.metadata.labels ?? {};
    const covered =
      pods === null ||
      !isGuarded ||
      policies.some((policy) => selects(policy, own) && weightOf(policy) < weightOf(hook));
    return [
      ...(left ? [`${place}: is a hook that stays after its release`] : []),
      ...needed.map((name) => `${place}: runs before there is ${name}`),
      ...(covered ? [] : [`${place}: runs before a NetworkPolicy of its own is there`]),
    ];
  });
}

const HOOK = 'helm.sh/hook';
const nameOf = ({ kind, metadata }: RenderedObject): string => `${kind} ${metadata.name}`;
const weightOf = ({ metadata }: RenderedObject): number => Number(metadata.annotations['helm.sh/hook-weight'] ?? 0);

const policySpec = z.looseObject({ podSelector: z.looseObject({ matchLabels: z.record(z.string(), z.string()) }) });

function selects(policy: RenderedObject, labels: Readonly<Record<string, string>>): boolean {
  const { matchLabels } = policySpec.parse(policy.spec).podSelector;
  return Object.entries(matchLabels).every(([name, value]) => labels[name] === value);
}

const references = z.looseObject({
  serviceAccountName: z.string().optional(),
  volumes: z
    .array(
      z.looseObject({
        secret: z.looseObject({ secretName: z.string() }).optional(),
        configMap: z.looseObject({ name: z.string() }).optional(),
        persistentVolumeClaim: z.looseObject({ claimName: z.string() }).optional(),
      }),
    )
    .default([]),
  containers: z.array(
    z.looseObject({
      env: z
        .array(
          z.looseObject({
            valueFrom: z
              .looseObject({
                secretKeyRef: z.looseObject({ name: z.string() }).optional(),
                configMapKeyRef: z.looseObject({ name: z.string() }).optional(),
              })
              .optional(),
          }),
        )
        .default([]),
    }),
  ),
});

/** Objects that a pod cannot start without, as "<kind> <name>". */
function neededBy(spec: unknown): readonly string[] {
  const { serviceAccountName, volumes, containers } = references.parse(spec);
  const sources = containers.flatMap(({ env }) => env.map(({ valueFrom }) => valueFrom));
  const found: readonly (readonly [string, string | undefined])[] = [
    ['ServiceAccount', serviceAccountName],
    ...volumes.flatMap(({ secret, configMap, persistentVolumeClaim }): [string, string | undefined][] => [
      ['Secret', secret?.secretName],
      ['ConfigMap', configMap?.name],
      ['PersistentVolumeClaim', persistentVolumeClaim?.claimName],
    ]),
    ...sources.flatMap((source): [string, string | undefined][] => [
      ['Secret', source?.secretKeyRef?.name],
      ['ConfigMap', source?.configMapKeyRef?.name],
    ]),
  ];
  return [...new Set(found.flatMap(([kind, name]) => (name === undefined ? [] : [`${kind} ${name}`])))];
}
