import { rightsEvaluator } from '@holdfast/acl';
import { AppError, contextOf, denied } from '@holdfast/http-kit';
import { clientOf } from '@holdfast/identity';
import { splitCatalogTarget } from '@holdfast/path-grammar';
import { decodeRevision, stateAt } from '../history/resolve-snapshot.js';
import type { CurrentModel } from '../model/model-cache.js';
import type { OpenCatalog } from '../registry/open-catalog.js';
import type { CatalogHandler } from './catalog-request.js';
import { deleteCatalogResource, getCatalog } from './catalog-resource.js';
import { handleData } from './data.js';
import { handlerFor, type Methods } from './methods.js';
import { modelResource } from './model-resources.js';
import { parseModelTarget } from './model-target.js';
import type { ServiceHandler, ServiceRequest } from './service-request.js';

/** What a request will be once its catalog is known, and whether a revision before all history is "not found" for it. */
type Resource =
  | { readonly kind: 'service'; readonly handler: ServiceHandler }
  | { readonly kind: 'catalog'; readonly handler: CatalogHandler; readonly data: boolean }
  | { readonly kind: 'answered' };

/**
 * The common way of everything below `<C>`, in the order of spec/catalog-model.md 1.3: route and syntax, catalog, snapshot, the right
 * to see the catalog, no changes at a snapshot.
 * @param raw the target behind `/catalog/`
 */
export async function routeCatalogRequest(service: ServiceRequest, raw: string): Promise<void> {
  const { request, parts } = service;
  const target = splitCatalogTarget(raw);
  const instant = target.revision === null ? null : decodeRevision(target.revision);
  const resource = resourceOf(service, target.cid, instant, target.rest);
  if (resource.kind === 'answered') return;
  if (resource.kind === 'service') return resource.handler(service);
  await parts.catalogs.withCatalog(target.cid, async (catalog) => {
    const { model, state } =
      instant === null || target.revision === null
        ? await parts.models.current(catalog.database, catalog.key, { signal: contextOf(request).signal })
        : await modelAt(service, catalog, { instant, revision: target.revision, data: resource.data });
    const client = clientOf(request);
    const changes = !['GET', 'HEAD', 'OPTIONS'].includes(request.method);
    const welcome = parts.visitors.welcome(catalog.database, catalog.key, model, client);
    if (changes) await welcome;
    const rights = rightsEvaluator(client.roles);
    if (!rights.always(model, 'enumerate'))
      throw denied(client.client === null, `The catalog ${JSON.stringify(target.cid)} is not open to you.`);
    if (changes && instant !== null)
      throw denied(client.client === null, 'A snapshot cannot be changed; leave out @ and what follows it.');
    await resource.handler({
      request,
      response: service.response,
      catalog,
      model,
      state,
      snapshot: instant === null ? null : state.snapshot,
      models: parts.models,
      modelTexts: parts.modelTexts,
      client,
      rights,
      rest: target.rest,
      prefix: service.prefix,
      profile: parts.profile,
      settings: parts.settings,
      signal: contextOf(request).signal,
      log: contextOf(request).log,
    });
  });
}

const dataWords: ReadonlySet<string> = new Set(['entity', 'attribute', 'attributegroup', 'aggregate', 'entity_rid']);
const modelWords: ReadonlySet<string> = new Set(['schema', 'acl', 'annotation']);

function resourceOf(service: ServiceRequest, cid: string, instant: bigint | null, rest: string): Resource {
  const [path = ''] = rest.split('?');
  const [word = ''] = path.split('/');
  const context = contextOf(service.request);
  context.route = word === '' ? 'catalog' : word;
  if (dataWords.has(word)) return { kind: 'catalog', handler: handleData, data: true };
  if (path === '' && service.request.method === 'DELETE')
    return { kind: 'service', handler: (request) => deleteCatalogResource(request, cid, instant) };
  const methods = path === '' ? catalogMethods(service) : modelWords.has(word) ? modelMethods(path) : null;
  if (methods === null) {
    context.route = 'other';
    throw new AppError('not_found', `There is no resource ${JSON.stringify(word.slice(0, 100))} in a catalog.`);
  }
  const handler = handlerFor(methods, service.request, service.response);
  return handler === null ? { kind: 'answered' } : { kind: 'catalog', handler, data: false };
}

function catalogMethods(service: ServiceRequest): Methods<CatalogHandler> {
  // DELETE is there too, but takes another way: it must work for an alias that is not bound
  return { GET: (context) => getCatalog(service, context), DELETE: async () => undefined };
}

function modelMethods(path: string): Methods<CatalogHandler> {
  return modelResource(parseModelTarget(path));
}

/** State and model at a snapshot. */
async function modelAt(
  { request, parts }: ServiceRequest,
  catalog: OpenCatalog,
  wanted: { readonly instant: bigint; readonly revision: string; readonly data: boolean },
): Promise<CurrentModel> {
  const state = await catalog.database.withConnection(contextOf(request).signal, (connection) =>
    stateAt(connection, wanted.instant),
  );
  if (state === null)
    throw new AppError(
      wanted.data ? 'prior_revision' : 'not_found',
      `Requested catalog revision "${wanted.revision}" is prior to any known revision.`,
    );
  return { state, model: await parts.models.at(catalog.database, catalog.key, state) };
}
