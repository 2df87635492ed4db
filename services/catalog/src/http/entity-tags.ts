import { hash } from 'node:crypto';
import type { Roles } from '@holdfast/acl';
import { entityTag } from '@holdfast/http-kit';
import type { CatalogState } from '../model/catalog-state.js';
import type { OpenCatalog } from '../registry/open-catalog.js';
import type { CatalogMetadata } from './catalog-metadata.js';
import type { CatalogRequest } from './catalog-request.js';

/**
 * What a tag stands for (spec/catalog-model.md 1.6): `model`, one version for the whole model; `data`, any change, and the form of
 * the answer.
 */
export type TaggedKind = 'model' | 'data';

/**
 * Strong entity tag of a resource below `<C>`: changes with the version of what it shows, the client's roles, the alias target, and for
 * data with `Accept`.
 * @param state the state the answer shows: after a change, the new one
 */
export function catalogTag(
  target: Pick<CatalogRequest, 'request' | 'catalog' | 'client' | 'snapshot'>,
  kind: TaggedKind,
  state: CatalogState,
): string {
  const version = kind === 'model' && target.snapshot === null ? state.modelVersion : state.snapshot;
  return entityTag(
    kind,
    target.catalog.key,
    target.snapshot === null ? `live ${version}` : `at ${version}-${state.amendment ?? version}`,
    rolesDigest(target.client.roles),
    target.catalog.aliasTarget === null ? '' : `alias of ${target.catalog.aliasTarget}`,
    kind === 'data' ? (target.request.get('accept') ?? '') : '',
  );
}

/** Strong entity tag of the description of a catalog: changes with any change of the catalog, and with what the registry says of it. */
export function descriptionTag(
  target: Pick<CatalogRequest, 'client' | 'snapshot'> & { readonly catalog: Pick<OpenCatalog, 'key' | 'aliasTarget'> },
  state: Pick<CatalogState, 'snapshot' | 'amendment'>,
  metadata: CatalogMetadata,
): string {
  return entityTag(
    'catalog',
    target.catalog.key,
    `${target.snapshot === null ? 'live' : 'at'} ${state.snapshot}-${state.amendment ?? ''}`,
    rolesDigest(target.client.roles),
    target.catalog.aliasTarget ?? '',
    JSON.stringify(metadata),
  );
}

/** The same for the same set of roles; remembered, since a set of roles serves many requests. */
export function rolesDigest(roles: Roles): string {
  const known = digests.get(roles);
  if (known !== undefined) return known;
  const digest = hash('sha256', JSON.stringify([...roles].sort()), 'base64url');
  digests.set(roles, digest);
  return digest;
}

const digests = new WeakMap<Roles, string>();
