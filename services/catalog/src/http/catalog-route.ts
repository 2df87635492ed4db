import { AppError, contextOf, denied } from '@holdfast/http-kit';
import { clientOf } from '@holdfast/identity';
import { type CatalogTarget, splitCatalogTarget } from '@holdfast/path-grammar';
import { decodeRevision } from '../history/resolve-snapshot.js';
import type { OpenCatalog } from '../registry/open-catalog.js';
import { type CatalogHandler, StalePresumption } from './catalog-request.js';
import { deleteCatalogResource, getCatalog } from './catalog-resource.js';
import { handleData } from './data.js';
import { CACHE_CONTROL } from './data-answer.js';
import { type Ground, type GroundSource, liveGround, pastGround, sameGround } from './ground.js';
import { historyResource } from './history-resources.js';
import { parseHistoryTarget } from './history-target.js';
import { handlerFor, type Methods } from './methods.js';
import { modelResource } from './model-resources.js';
import { parseModelTarget } from './model-target.js';
import type { ServiceHandler, ServiceRequest } from './service-request.js';
import { mayMeanMoved } from './while-model-moves.js';

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
  const { parts } = service;
  const target = splitCatalogTarget(raw);
  const instant = target.revision === null ? null : decodeRevision(target.revision);
  const resource = resourceOf(service, target.cid, instant, target.rest);
  if (resource.kind === 'answered') return;
  if (resource.kind === 'service') return resource.handler(service);
  await parts.catalogs.withCatalog(target.cid, async (catalog) => {
    const answer = (ground: Ground, presumed: boolean): Promise<void> =>
      answerRequest(service, { catalog, ground, presumed, target, handler: resource.handler });
    const revision = instant === null || target.revision === null ? null : { instant, text: target.revision };
    const source =
      revision === null ? liveGround(service, catalog) : pastGround(service, catalog, revision, resource.data);
    const known = resource.data ? source.latest() : null;
    if (known !== null && (await answeredBy(known, source, service, () => answer(known, true)))) return;
    // what is read of a snapshot says whether the present has moved beneath it
    for (let count = 1; resource.data && revision !== null && count < MOST_ATTEMPTS; count += 1) {
      const ground = await source.current();
      if (await answeredBy(ground, source, service, () => answer(ground, false))) return;
    }
    await answer(await source.current(), false);
  });
}

const MOST_ATTEMPTS = 5;

/**
 * Tries to answer by what was known last, which saves a round trip. A refusal counts only if that is how the catalog still is; once
 * a body was read there is no second try, and none is needed: changes look at the model again under the writer lock.
 * @returns false when the request is to be answered by what holds now
 */
async function answeredBy(
  ground: Ground,
  source: GroundSource,
  { request, response }: ServiceRequest,
  answer: () => Promise<void>,
): Promise<boolean> {
  try {
    await answer();
    return true;
  } catch (error) {
    if (error instanceof StalePresumption) return false;
    // a query that took too long would take as long again
    const refused = error instanceof AppError && error.status < 500 && error.code !== 'query_too_expensive';
    const moved = ground.moment.kind === 'past' && mayMeanMoved(error);
    if (!refused && !moved) throw error;
    if (response.headersSent || request.readableDidRead || contextOf(request).signal.aborted) throw error;
    if (sameGround(await source.current(), ground)) throw error;
    return false;
  }
}

interface Answering {
  readonly catalog: OpenCatalog;
  readonly ground: Ground;
  readonly presumed: boolean;
  readonly target: CatalogTarget;
  readonly handler: CatalogHandler;
}

/** Checks what every request below a catalog must pass, then hands it to its resource. */
async function answerRequest(
  service: ServiceRequest,
  { catalog, ground, presumed, target, handler }: Answering,
): Promise<void> {
  const { request, parts } = service;
  const { model, state, moment } = ground;
  if (target.revision === null) parts.lateWork.look(catalog, model.version);
  const client = clientOf(request);
  const changes = !['GET', 'HEAD', 'OPTIONS'].includes(request.method);
  // a look at the past leaves no trace in the present
  const welcome =
    moment.kind === 'live' ? parts.visitors.welcome(catalog.database, catalog.key, model, client) : Promise.resolve();
  if (changes) await welcome;
  const rights = parts.rightsOf(client.roles);
  if (!rights.always(model, 'enumerate'))
    throw denied(client.client === null, `The catalog ${JSON.stringify(target.cid)} is not open to you.`);
  if (changes && target.revision !== null)
    throw denied(client.client === null, 'A snapshot cannot be changed; leave out @ and what follows it.');
  if (moment.kind === 'past' && !changes) service.response.setHeader('Cache-Control', CACHE_CONTROL);
  await handler({
    request,
    response: service.response,
    catalog,
    model,
    state,
    snapshot: moment.kind === 'past' ? moment.snapshot : null,
    moment,
    presumed,
    models: parts.models,
    pasts: parts.pasts,
    lateWork: parts.lateWork,
    modelTexts: parts.modelTexts,
    client,
    rights,
    rest: target.rest,
    prefix: service.prefix,
    profile: parts.profile,
    settings: parts.settings,
    signal: contextOf(request).signal,
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
  const methods = methodsOf(service, path, word, instant);
  if (methods === null) {
    context.route = 'other';
    throw new AppError('not_found', `There is no resource ${JSON.stringify(word.slice(0, 100))} in a catalog.`);
  }
  const handler = handlerFor(methods, service.request, service.response);
  return handler === null ? { kind: 'answered' } : { kind: 'catalog', handler, data: false };
}

/** Null for no resource. Snapshots have no history of their own (spec/catalog-model.md 6). */
function methodsOf(
  service: ServiceRequest,
  path: string,
  word: string,
  instant: bigint | null,
): Methods<CatalogHandler> | null {
  if (path === '') return catalogMethods(service);
  if (word === 'history') return instant === null ? historyResource(parseHistoryTarget(path)) : null;
  return modelWords.has(word) ? modelMethods(path) : null;
}

function catalogMethods(service: ServiceRequest): Methods<CatalogHandler> {
  // DELETE is there too, but takes another way: it must work for an alias that is not bound
  return { GET: (context) => getCatalog(service, context), DELETE: async () => undefined };
}

function modelMethods(path: string): Methods<CatalogHandler> {
  return modelResource(parseModelTarget(path));
}
