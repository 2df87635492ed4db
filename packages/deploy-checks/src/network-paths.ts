import { z } from 'zod';
import { type Container, podsOf, type RenderedObject } from './rendered-object.js';

/** A connection that NetworkPolicies allow. */
export interface NetworkPath {
  /** Pods of the release as `<chart>/<component>`; others as the peer stands in the policy, or `anywhere`. */
  readonly from: string;
  readonly to: string;
  readonly port: number;
}

/** What the policies of rendered charts let their pods call, and by whom they let them be called. */
export interface NetworkPaths {
  readonly egress: readonly NetworkPath[];
  readonly ingress: readonly NetworkPath[];
}

/** Reads the NetworkPolicies. Those of one component are added up, as a cluster does. */
export function networkPaths(objects: readonly RenderedObject[]): NetworkPaths {
  const policies = objects
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map(({ spec }) => policySpec.parse(spec))
    .map(({ podSelector, egress, ingress }) => ({ own: componentOf(podSelector.matchLabels), egress, ingress }));
  return {
    egress: policies.flatMap(({ own, egress }) =>
      egress.flatMap(({ to, ports }) => eachOf(to, ports).map(([peer, port]) => ({ from: own, to: peer, port }))),
    ),
    ingress: policies.flatMap(({ own, ingress }) =>
      ingress.flatMap(({ from, ports }) => eachOf(from, ports).map(([peer, port]) => ({ from: peer, to: own, port }))),
    ),
  };
}

/**
 * Connections that are let out but not in, and places that containers are told to call but may not. Gives a sentence for each; pods that
 * are not rendered (another release's) do not count.
 */
export function networkFaults(objects: readonly RenderedObject[]): readonly string[] {
  const { egress, ingress } = networkPaths(objects);
  if (egress.length === 0) return [];
  const pods = new Set(objects.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => ownComponent(spec)));
  const isAmong = (path: NetworkPath, paths: readonly NetworkPath[]): boolean =>
    paths.some(({ from, to, port }) => from === path.from && to === path.to && port === path.port);
  const inside = ({ from, to }: NetworkPath): boolean => pods.has(from) && pods.has(to);
  return [
    ...egress
      .filter((path) => inside(path) && !isAmong(path, ingress))
      .map((path) => `${shown(path)} is not let in by ${path.to}`),
    ...objects.flatMap((object) => closedPlaces(object, objects, egress)),
  ];
}

const isComponent = /^[\w-]+\/[\w-]+$/;
const shown = ({ from, to, port }: NetworkPath): string => `${from} -> ${to}:${port}`;

/** Variables whose values are called, by the process that reads them. */
const calledBy: Readonly<Record<string, RegExp>> = {
  S3_ENDPOINT: /^(?:api|verify|sweep)$/,
  CATALOGS: /^(?:api|worker)$/,
  OBJECT_STORES: /^(?:api|worker|sweep)$/,
  QUEUE_SENTINELS: /^(?:api|worker)$/,
  REVOCATION_URL: /^api$/,
  OIDC: /^api$/,
};

function closedPlaces(
  object: RenderedObject,
  objects: readonly RenderedObject[],
  egress: readonly NetworkPath[],
): readonly string[] {
  const template = podsOf(object);
  if (template === null) return [];
  const own = componentOf(template.metadata.labels);
  const open = egress.filter(({ from }) => from === own);
  return template.spec.containers
    .flatMap(placesOf)
    .filter(({ host, port }) => {
      const behind = componentBehind(host, objects);
      return !open.some(
        (path) => path.port === port && (behind === null ? !isComponent.test(path.to) : path.to === behind),
      );
    })
    .map(
      ({ variable, host, port }) => `${own} is told by ${variable} to call ${host}:${port}, which its policy closes`,
    );
}

interface Place {
  readonly variable: string;
  readonly host: string;
  readonly port: number;
}

function placesOf({ name: container, env }: Container): readonly Place[] {
  return env.flatMap(({ name, value = '' }) => {
    if (calledBy[name]?.test(container) !== true) return [];
    const found = value
      .replace(/"publicHost":"[^"]*"/g, '')
      .matchAll(/(?:(https?):\/\/)?([A-Za-z0-9.-]+):(\d+)|(https?):\/\/([A-Za-z0-9.-]+)/g);
    return [...found].map(([, , host, port, scheme, plainHost]) => ({
      variable: name,
      host: host ?? plainHost ?? '',
      port: port === undefined ? (scheme === 'https' ? 443 : 80) : Number(port),
    }));
  });
}

/** The pods behind a Service that is rendered, too. */
function componentBehind(host: string, objects: readonly RenderedObject[]): string | null {
  const service = objects.find(({ kind, metadata }) => kind === 'Service' && metadata.name === host);
  return service === undefined ? null : componentOf(serviceSpec.parse(service.spec).selector);
}

function eachOf(peers: readonly unknown[], ports: readonly { readonly port: number }[]): readonly [string, number][] {
  const names = peers.length === 0 ? ['anywhere'] : peers.map(peerName);
  return names.flatMap((name) => ports.map(({ port }): [string, number] => [name, port]));
}

function peerName(peer: unknown): string {
  const pods = releasePods.safeParse(peer);
  return pods.success ? componentOf(pods.data.podSelector.matchLabels) : JSON.stringify(peer);
}

const labels = z.record(z.string(), z.string());
const releasePods = z.strictObject({
  podSelector: z.object({ matchLabels: z.looseObject({ 'app.kubernetes.io/component': z.string() }).and(labels) }),
});
const rulePorts = z.array(z.looseObject({ protocol: z.string(), port: z.number() })).min(1);
const policySpec = z.looseObject({
  podSelector: z.looseObject({ matchLabels: labels }),
  egress: z.array(z.strictObject({ to: z.array(z.unknown()).default([]), ports: rulePorts })).default([]),
  ingress: z.array(z.strictObject({ from: z.array(z.unknown()).min(1), ports: rulePorts })).default([]),
});
const serviceSpec = z.looseObject({ selector: labels });

function ownComponent(spec: unknown): string {
  return componentOf(policySpec.parse(spec).podSelector.matchLabels);
}

function componentOf(found: Readonly<Record<string, string>>): string {
  return `${found['app.kubernetes.io/name']}/${found['app.kubernetes.io/component']}`;
}
