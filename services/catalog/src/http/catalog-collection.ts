import { rightsEvaluator } from '@holdfast/acl';
import { denied, negotiate, sendBody, sendJson } from '@holdfast/http-kit';
import { type ClientContext, clientOf } from '@holdfast/identity';
import { createCatalog } from '../registry/create-catalog.js';
import { type CatalogInput, parseCatalogInput, requireCreator } from '../registry/entry-input.js';
import { preferencesKey } from '../schema-change/index-plan.js';
import { metadataOf } from './catalog-metadata.js';
import { descriptionTag } from './entity-tags.js';
import type { Methods } from './methods.js';
import type { ServiceParts } from './service-parts.js';
import type { ServiceHandler, ServiceRequest } from './service-request.js';
import { readStorableJson } from './storable-json.js';
import { setTag } from './tagged-answer.js';

/** `{base}/catalog`. */
export const catalogCollection: Methods<ServiceHandler> = { POST: postCatalog };

async function postCatalog({ request, response, parts, prefix }: ServiceRequest): Promise<void> {
  const context = clientOf(request);
  const client = requireCreator(context, parts.settings.createRoles);
  // whatever the declared type: existing clients send an empty form (spec/profiles.md, line 4)
  const input = parseCatalogInput(await readStorableJson(request, parts.settings.maxModelBytes), client);
  await welcomeToRegistry(parts, context);
  await requirePersistenceRight(parts, context, input);
  const [registrant = 'example.org'] = parts.settings.registrants;
  const preferences = { [preferencesKey(registrant)]: { btree: true, trgm: true, gin_array: true } };
  const { id, key, snapshot } = await createCatalog(parts, { ...context, client }, input, preferences);
  const catalog = { key, aliasTarget: null };
  const metadata = metadataOf({ ...input, isPersistent: input.isPersistent ?? true }, null);
  const etag = descriptionTag({ catalog, client: context, snapshot: null }, { snapshot, amendment: null }, metadata);
  sendCreated({ request, response, parts, prefix }, { word: 'catalog', id, etag });
}

/** What was created. */
interface Created {
  readonly word: 'catalog' | 'alias';
  readonly id: string;
  /** Tag of the resource, as a GET of it would give. */
  readonly etag: string;
}

/** The answer to the creation of a catalog or alias. */
export function sendCreated({ request, response, prefix }: ServiceRequest, { word, id, etag }: Created): void {
  setTag(response, etag, 'Authorization, Cookie, Accept');
  response.setHeader('Location', `${prefix}/${word}/${id}`);
  const type = negotiate(request.get('accept'), ['application/json', 'text/plain']);
  if (type === 'text/plain') sendBody(request, response, 201, 'text/plain', id);
  else sendJson(request, response, 201, { id });
}

/** Rows of the registry refer to the row of the client that made them. */
export async function welcomeToRegistry(parts: ServiceParts, client: ClientContext): Promise<void> {
  const { database } = parts.registry;
  const { model } = await parts.models.current(database, 'registry');
  await parts.visitors.welcome(database, 'registry', model, client);
}

/** Saying how long a catalog lives is a matter of the rights on that column of the registry (spec/catalog-model.md 3.2, 5.3). */
export async function requirePersistenceRight(
  parts: ServiceParts,
  client: ClientContext,
  input: Pick<CatalogInput, 'isPersistent'>,
): Promise<void> {
  if (input.isPersistent === null || parts.settings.ownersSetPersistence) return;
  const { model } = await parts.models.current(parts.registry.database, 'registry');
  for (const schema of model.schemas.values()) {
    for (const table of schema.tables.values()) {
      const column = table.builtin === 'registry' ? table.columnsByName.get('is_persistent') : undefined;
      if (column !== undefined && rightsEvaluator(client.roles).always(column, 'update')) return;
    }
  }
  throw denied(client.client === null, 'is_persistent is for the operator to set; leave it out.');
}
