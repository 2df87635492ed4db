import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

const variable = z.looseObject({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z
    .looseObject({ secretKeyRef: z.looseObject({ name: z.string(), key: z.string() }).optional() })
    .optional(),
});

const container = z.looseObject({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()).default([]),
  env: z.array(variable).default([]),
  resources: z.record(z.string(), z.record(z.string(), z.union([z.string(), z.number()]))).default({}),
  securityContext: z.record(z.string(), z.unknown()).default({}),
  livenessProbe: z.unknown().optional(),
  readinessProbe: z.unknown().optional(),
  startupProbe: z.unknown().optional(),
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })).default([]),
});

const podSpec = z.looseObject({
  automountServiceAccountToken: z.boolean().optional(),
  serviceAccountName: z.string().optional(),
  terminationGracePeriodSeconds: z.number().optional(),
  topologySpreadConstraints: z.array(z.unknown()).optional(),
  securityContext: z.record(z.string(), z.unknown()).default({}),
  initContainers: z.array(container).default([]),
  containers: z.array(container),
  volumes: z.array(z.record(z.string(), z.unknown())).default([]),
});

const podTemplate = z.looseObject({
  metadata: z.looseObject({ labels: z.record(z.string(), z.string()).default({}) }),
  spec: podSpec,
});

const metadata = z.looseObject({
  name: z.string(),
  labels: z.record(z.string(), z.string()).default({}),
  annotations: z.record(z.string(), z.string()).default({}),
});

const anything = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata,
  spec: z.record(z.string(), z.unknown()).optional(),
  data: z.record(z.string(), z.string()).optional(),
  stringData: z.record(z.string(), z.string()).optional(),
});

export type Container = z.output<typeof container>;
export type PodTemplate = z.output<typeof podTemplate>;

/** An object of a rendered chart. */
export type RenderedObject = z.output<typeof anything>;

/** Parses the output of `helm template`; empty documents are left out. */
export function parseRendered(text: string): readonly RenderedObject[] {
  return parseAllDocuments(text, { merge: false })
    .map((document) => {
      if (document.errors.length > 0) throw document.errors[0];
      return document.toJSON() as unknown;
    })
    .filter((object) => object !== null)
    .map((object) => anything.parse(object));
}

const workload = z.looseObject({ template: podTemplate });
const cronJob = z.looseObject({ jobTemplate: z.looseObject({ spec: workload }) });

/** The pods that an object makes, or null. */
export function podsOf(object: RenderedObject): PodTemplate | null {
  switch (object.kind) {
    case 'Deployment':
    case 'StatefulSet':
    case 'DaemonSet':
    case 'Job':
      return workload.parse(object.spec).template;
    case 'CronJob':
      return cronJob.parse(object.spec).jobTemplate.spec.template;
    default:
      return null;
  }
}
