import { AppError, methodNotAllowed } from '@holdfast/http-kit';
import { type DataResource, type EntityResource, parseResource, resourceWord } from '@holdfast/path-grammar';
import type { CatalogRequest } from './catalog-request.js';
import { deleteAttributes, deleteEntities } from './data-delete.js';
import { readData } from './data-read.js';
import { cutStalled } from './data-stall.js';
import type { DataTarget } from './data-target.js';
import { createEntities, putAttributeGroup, putEntities } from './data-write.js';
import { resolveEntityRid } from './entity-rid.js';

/** Methods of each data resource (spec/catalog-data.md 1.5). */
const methods: Readonly<Record<DataResource['kind'], readonly string[]>> = {
  entity: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'],
  attribute: ['GET', 'HEAD', 'DELETE', 'OPTIONS'],
  attributegroup: ['GET', 'HEAD', 'PUT', 'OPTIONS'],
  aggregate: ['GET', 'HEAD', 'OPTIONS'],
  entity_rid: ['GET', 'HEAD', 'OPTIONS'],
};

/** Answers the data resources: `entity`, `attribute`, `attributegroup`, `aggregate`, `entity_rid`. */
export async function handleData(context: CatalogRequest): Promise<void> {
  const allowed = methodsOf(resourceWord(context.rest));
  const { method } = context.request;
  if (!allowed.includes(method)) throw methodNotAllowed(allowed);
  if (method === 'OPTIONS') {
    context.response.setHeader('Allow', allowed.join(', '));
    context.response.status(200).end();
    return;
  }
  cutStalled(context);
  const { resource, query } = parseResource(context.rest);
  if (resource.kind === 'entity_rid') return resolveEntityRid(context, resource.rid.text);
  if (method === 'GET' || method === 'HEAD') return readData(context, { resource, query });
  if (resource.kind === 'entity') return writeEntities(context, method, { resource, query });
  if (resource.kind === 'attribute') return deleteAttributes(context, { resource, query });
  if (resource.kind === 'attributegroup') return putAttributeGroup(context, { resource, query });
  throw methodNotAllowed(allowed);
}

function writeEntities(context: CatalogRequest, method: string, target: DataTarget<EntityResource>): Promise<void> {
  if (method === 'POST') return createEntities(context, target);
  return method === 'PUT' ? putEntities(context, target) : deleteEntities(context, target);
}

function methodsOf(word: string): readonly string[] {
  const known = Object.entries(methods).find(([kind]) => kind === word);
  if (known === undefined)
    throw new AppError('not_found', `There is no resource ${JSON.stringify(word.slice(0, 100))} in a catalog.`);
  return known[1];
}
