import { AppError, contextOf, entityTag, sendEmpty } from '@holdfast/http-kit';
import { clientOf } from '@holdfast/identity';
import { lexSegments, parseSingleName } from '@holdfast/path-grammar';
import { type AliasEntry, changeAlias, createAlias, deleteAlias, findOwnAlias } from '../registry/aliases.js';
import { parseAliasInput, parseAliasUpdate, requireCreator } from '../registry/entry-input.js';
import { requirePersistenceRight, sendCreated, welcomeToRegistry } from './catalog-collection.js';
import { rolesDigest } from './entity-tags.js';
import type { Methods } from './methods.js';
import type { ServiceHandler, ServiceRequest } from './service-request.js';
import { readStorableJson } from './storable-json.js';
import { answeredByPreconditions, sendTagged, setTag } from './tagged-answer.js';

/** `{base}/alias` (spec/catalog-model.md 4.1). */
export const aliasCollection: Methods<ServiceHandler> = { POST: postAlias };

/** `{base}/alias/<id>`; the segment is raw. */
export function aliasResource(segment: string): Methods<ServiceHandler> {
  return {
    GET: (service) => getAlias(service, idOf(segment)),
    PUT: (service) => putAlias(service, idOf(segment)),
    DELETE: (service) => deleteAliasResource(service, idOf(segment)),
  };
}

function idOf(segment: string): string {
  const [lexed] = lexSegments(segment);
  if (lexed === undefined) throw new AppError('internal', 'A path has no segment.');
  return parseSingleName(lexed).text;
}

async function postAlias(service: ServiceRequest): Promise<void> {
  const { request, parts } = service;
  const context = clientOf(request);
  const client = requireCreator(context, parts.settings.createRoles);
  const input = parseAliasInput(await readStorableJson(request, parts.settings.maxModelBytes), client);
  await welcomeToRegistry(parts, context);
  await requirePersistenceRight(parts, context, input);
  const alias = await createAlias(parts, { ...context, client }, input);
  sendCreated(service, { word: 'alias', id: alias.id, etag: tagOf(service, alias) });
}

async function getAlias(service: ServiceRequest, id: string): Promise<void> {
  const { request, response, parts } = service;
  const alias = await parts.registry.database.withConnection(contextOf(request).signal, (connection) =>
    findOwnAlias(parts.registry, connection, id, clientOf(request)),
  );
  const tag = tagOf(service, alias);
  if (answeredByPreconditions(request, response, parts.profile, tag)) return;
  sendTagged(request, response, 200, tag, representation(alias));
}

async function putAlias(service: ServiceRequest, id: string): Promise<void> {
  const { request, response, parts } = service;
  const update = parseAliasUpdate(await readStorableJson(request, parts.settings.maxModelBytes));
  if (update.id !== undefined && update.id !== id)
    throw new AppError(
      'bad_request',
      'The id of an alias cannot be changed: the id of the body is not that of the URL.',
    );
  await welcomeToRegistry(parts, clientOf(request));
  await requirePersistenceRight(parts, clientOf(request), { isPersistent: update.isPersistent ?? null });
  const alias = await changeAlias(parts.registry, clientOf(request), id, update, (present) => check(service, present));
  sendTagged(request, response, 200, tagOf(service, alias), representation(alias));
}

/** `DELETE {base}/alias/<id>`, and `DELETE <C>` where the catalog is addressed by an alias. */
export async function deleteAliasResource(service: ServiceRequest, id: string): Promise<void> {
  const { request, response, parts } = service;
  await welcomeToRegistry(parts, clientOf(request));
  await deleteAlias(parts.registry, clientOf(request), id, (present) => check(service, present));
  setTag(response, null);
  sendEmpty(response, 204);
}

function check(service: ServiceRequest, alias: AliasEntry): void {
  answeredByPreconditions(service.request, service.response, service.parts.profile, tagOf(service, alias));
}

function tagOf(
  { request }: ServiceRequest,
  { id, owner, target }: Pick<AliasEntry, 'id' | 'owner' | 'target'>,
): string {
  return entityTag('alias', id, JSON.stringify(owner), JSON.stringify(target), rolesDigest(clientOf(request).roles));
}

function representation({ id, owner, target }: AliasEntry): object {
  return { id, owner, alias_target: target };
}
