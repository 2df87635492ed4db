import { createHash } from 'node:crypto';
import type { Roles } from '@holdfast/acl';
import { entityTag } from '@holdfast/http-kit';
import type { CatalogState } from '../model/catalog-state.js';
import type { CatalogRequest } from './catalog-request.js';

/**
 * What a tag stands for (spec/catalog-model.md 1.6): `model`, one version for the whole model; `catalog`, the description; `data`,
 * any change, and the form of the answer.
 */
export type TaggedKind = 'model' | 'catalog' | 'data';

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
    `${target.snapshot === null ? 'live' : 'at'} ${version}-${state.amendment ?? ''}`,
    rolesDigest(target.client.roles),
    target.catalog.aliasTarget === null ? '' : `alias of ${target.catalog.aliasTarget}`,
    kind === 'data' ? (target.request.get('accept') ?? '') : '',
  );
}

/** The same for the same set of roles. */
export function rolesDigest(roles: Roles): string {
  return createHash('sha256')
    .update(JSON.stringify([...roles].sort()))
    .digest('base64url');
}
