import { containerRights, rightsEvaluator } from '@holdfast/acl';
import { AppError, contextOf, denied, sendEmpty } from '@holdfast/http-kit';
import { clientOf } from '@holdfast/identity';
import { encodeId } from '../model/id-codec.js';
import { deleteCatalog } from '../registry/delete-catalog.js';
import { findEntry, type RegistryEntry } from '../registry/registry-entry.js';
import { deleteAliasResource } from './alias-resources.js';
import { welcomeToRegistry } from './catalog-collection.js';
import { metadataOf, readMetadata } from './catalog-metadata.js';
import type { CatalogRequest } from './catalog-request.js';
import { descriptionTag } from './entity-tags.js';
import { features } from './features.js';
import type { ServiceRequest } from './service-request.js';
import { answeredByPreconditions, sendTagged, setTag } from './tagged-answer.js';

/** `GET <C>`: the description of a catalog (spec/catalog-model.md 3.3). */
export async function getCatalog({ parts }: ServiceRequest, context: CatalogRequest): Promise<void> {
  const { request, response, catalog, model, rights, state, snapshot } = context;
  const { registry } = parts;
  const metadata = await registry.database.withConnection(context.signal, (connection) =>
    readMetadata(registry, connection, catalog),
  );
  const tag = descriptionTag(context, state, metadata);
  if (answeredByPreconditions(request, response, context.profile, tag)) return;
  const document = {
    id: catalog.id,
    ...(catalog.aliasTarget === null ? {} : { alias_target: catalog.aliasTarget }),
    snaptime: encodeId(state.snapshot),
    rights: containerRights(rights, model, { snapshot: snapshot !== null }),
    ...(rights.always(model, 'owner') ? { acls: model.acls } : {}),
    annotations: model.annotations,
    features,
    ...metadata,
  };
  sendTagged(request, response, 200, tag, document);
}

/** `DELETE <C>`: deletes the catalog, or the alias by which it is addressed (3.4). */
export async function deleteCatalogResource(
  service: ServiceRequest,
  cid: string,
  instant: bigint | null,
): Promise<void> {
  const { request, parts } = service;
  const client = clientOf(request);
  const entry = await parts.registry.database.withConnection(contextOf(request).signal, (connection) =>
    findEntry(parts.registry, connection, cid),
  );
  if (entry === null || entry.kind === 'deleted')
    throw new AppError('not_found', `There is no catalog ${JSON.stringify(cid)}.`);
  if (instant !== null) throw denied(client.client === null, 'A snapshot cannot be deleted.');
  if (entry.kind === 'alias') return deleteAliasResource(service, cid);
  if (entry.storage.kind === 'registry') throw denied(client.client === null, 'The registry cannot be deleted.');
  await deleteStorage(service, entry);
}

async function deleteStorage(
  { request, response, parts }: ServiceRequest,
  entry: RegistryEntry & { readonly kind: 'catalog' },
): Promise<void> {
  const client = clientOf(request);
  const clientId = await parts.catalogs.withCatalog(entry.id, async (catalog) => {
    const { model, state } = await parts.models.current(catalog.database, catalog.key);
    if (!rightsEvaluator(client.roles).always(model, 'owner') || client.client === null)
      throw denied(client.client === null, 'Deleting a catalog is for its owners.');
    const tag = descriptionTag({ catalog, client, snapshot: null }, state, metadataOf(entry, null));
    answeredByPreconditions(request, response, parts.profile, tag);
    return client.client.id;
  });
  await welcomeToRegistry(parts, client);
  await deleteCatalog(parts, clientId, entry);
  setTag(response, null);
  sendEmpty(response, 204);
}
