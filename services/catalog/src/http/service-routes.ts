import { AppError, contextOf, sendJson } from '@holdfast/http-kit';
import { clientOf } from '@holdfast/identity';
import { sql } from '@holdfast/pg-kit';
import type { Express } from 'express';
import { aliasCollection, aliasResource } from './alias-resources.js';
import { catalogCollection } from './catalog-collection.js';
import { routeCatalogRequest } from './catalog-route.js';
import { features } from './features.js';
import { handlerFor, type Methods } from './methods.js';
import type { ServiceParts } from './service-parts.js';
import type { ServiceHandler, ServiceRequest } from './service-request.js';
import { syntaxErrors } from './syntax-errors.js';

/** Adds the routes of the service under each of its prefixes. They read the raw target: an escaped slash is data. */
export function addServiceRoutes(app: Express, parts: ServiceParts): void {
  app.use(async (request, response, next) => {
    const prefix = parts.profile.catalogPrefixes.find((candidate) => isBelow(request.originalUrl, candidate));
    if (prefix === undefined) return next();
    const { logFields } = contextOf(request);
    logFields.client = clientOf(request).client?.id ?? null;
    // clients of the deriva family tell there what the request is for (spec/profiles.md, line 13)
    logFields.clientContext = request.get('deriva-client-context')?.slice(0, 6500);
    await syntaxErrors(() => route({ request, response, parts, prefix }));
  });
}

function isBelow(target: string, prefix: string): boolean {
  return target.startsWith(prefix) && /^(\/|\?|$)/.test(target.slice(prefix.length));
}

/** The resources beside those of a catalog. */
async function route(service: ServiceRequest): Promise<void> {
  const { request, response, prefix } = service;
  const rest = request.originalUrl.slice(prefix.length).replace(/^\//, '');
  const [path = ''] = rest.split('?');
  const [word = '', ...others] = path.split('/');
  contextOf(request).route = word === '' ? 'advertisement' : word;
  if (word === 'catalog' && others.length > 0 && others[0] !== '')
    return routeCatalogRequest(service, rest.slice('catalog/'.length));
  const methods = resourceOf(word, others);
  if (methods === null) throw new AppError('not_found', `There is nothing at ${JSON.stringify(path.slice(0, 200))}.`);
  const handler = handlerFor(methods, request, response);
  if (handler !== null) await handler(service);
}

function resourceOf(word: string, others: readonly string[]): Methods<ServiceHandler> | null {
  const [name = '', slash] = others;
  const isCollection = others.length === 0 || (others.length === 1 && name === '');
  if (word === '' && isCollection) return { GET: advertise };
  if (word === 'catalog' && isCollection) return catalogCollection;
  if (word === 'alias' && isCollection) return aliasCollection;
  if (word === 'alias' && (others.length === 1 || (others.length === 2 && slash === ''))) return aliasResource(name);
  return null;
}

/** The service advertisement, which is the health check too (spec/catalog-model.md 2). */
async function advertise({ request, response, parts }: ServiceRequest): Promise<void> {
  await parts.registry.database.withConnection(contextOf(request).signal, (connection) =>
    connection.query(sql`select 1`),
  );
  sendJson(request, response, 200, { version: parts.version, features });
}
