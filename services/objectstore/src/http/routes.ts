import type { Roles } from '@holdfast/acl';
import { AppError, contextOf, methodNotAllowed, sendEmpty } from '@holdfast/http-kit';
import { fromDatabase } from '@holdfast/pg-kit';
import type { Express, Request, RequestHandler, Response } from 'express';
import { parseTarget, type Target } from '../naming/parse-target.js';
import { METHODS, type Method } from '../naming/resource.js';
import { handleAcl } from './acl.js';
import { handleAclEntry } from './acl-entry.js';
import { handleAclMode } from './acl-mode.js';
import { handleBulk } from './bulk.js';
import { corsHeaders } from './cors.js';
import type { Exchange, ServiceParts } from './exchange.js';
import { handleMetadata } from './metadata.js';
import { handleMetadataField } from './metadata-field.js';
import { handleName } from './name.js';
import { rateLimiter } from './rate-limit.js';
import { handleUpload } from './upload.js';
import { handleUploadChunk } from './upload-chunk.js';
import { handleUploadJob } from './upload-job.js';
import { handleVersion } from './version.js';
import { handleVersions } from './versions.js';

/** How the service learns who sends a request; `@holdfast/identity` in production. */
export interface CallerSource {
  readonly authenticate: RequestHandler;
  readonly clientOf: (request: Request) => { readonly client: { readonly id: string } | null; readonly roles: Roles };
}

/** A request whose target was read. */
interface Recognised {
  readonly target: Target;
  readonly method: Method;
}

/**
 * Mounts the service on an app: reads the raw target and the method first, then finds out who asks, then answers
 * (spec/objectstore.md 3.1, steps 1 to 3).
 */
export function mountObjectStore(app: Express, parts: ServiceParts, callers: CallerSource): void {
  const recognised = new WeakMap<Request, Recognised>();
  const { rateLimit } = parts.settings;
  const limiter = rateLimit === null ? null : rateLimiter(rateLimit, () => performance.now());
  app.use((request, response, next) => {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    corsHeaders(request, response, parts.settings.corsOrigins);
    const found = recognise(request, response, parts);
    if (found === null) return;
    recognised.set(request, found);
    next();
  });
  app.use(callers.authenticate);
  app.use(async (request, response, next) => {
    const found = recognised.get(request);
    if (found === undefined) return next();
    const { client, roles } = callers.clientOf(request);
    // who is not known is told apart by where they are
    limiter?.pass(client === null ? `address ${request.ip}` : `client ${client.id}`);
    const { signal } = contextOf(request);
    const { prefix, parents, parameters } = found.target;
    const caller = { id: client?.id ?? null, roles };
    response.setTimeout(parts.settings.stallSeconds * 1000);
    try {
      await dispatch(
        { request, response, method: found.method, prefix, parents, parameters, caller, signal, parts },
        found.target,
      );
    } catch (error) {
      if (signal.aborted) throw new AppError('cancelled', 'The client has gone.', { cause: error });
      throw databaseFailure(error);
    }
  });
}

/** Clients cause no errors of the database here: one that is not of the moment is a defect, and says nothing of tables. */
function databaseFailure(error: unknown): unknown {
  const known = fromDatabase(error);
  if (known === error || !(known instanceof AppError) || known.status >= 500) return known;
  return new AppError('internal', 'The service failed at this request. The request id finds the reason in its log.', {
    cause: error,
  });
}

function recognise(request: Request, response: Response, parts: ServiceParts): Recognised | null {
  const target = parseTarget(request.originalUrl, {
    prefixes: parts.profile.objectStorePrefixes,
    limits: parts.settings.urlLimits,
    unescapedSubDelimiters: parts.profile.unescapedSubDelimiters,
  });
  const context = contextOf(request);
  context.route = target.resource.kind;
  context.logFields.path = target.resource.path;
  // spec/profiles.md, line 13
  context.logFields.clientContext = request.get('deriva-client-context')?.slice(0, 6500);
  const allowed = METHODS[target.resource.kind];
  if (request.method === 'OPTIONS') {
    response.setHeader('Allow', allowed.join(', '));
    sendEmpty(response, 204);
    return null;
  }
  const method = allowed.find((known) => known === request.method);
  if (method === undefined) throw methodNotAllowed(allowed);
  return { target, method };
}

/** Every form a URL can have, and the one function that answers it. */
function dispatch(exchange: Exchange, { resource }: Target): Promise<void> {
  switch (resource.kind) {
    case 'name':
      return handleName(exchange, resource.path);
    case 'version':
      return handleVersion(exchange, resource.path, resource.version);
    case 'versions':
      return handleVersions(exchange, resource.path);
    case 'bulk':
      return handleBulk(exchange, resource.path, resource.of);
    case 'metadata':
      return handleMetadata(exchange, resource.path, resource.version);
    case 'metadata-field':
      return handleMetadataField(exchange, resource.path, resource.version, resource.field);
    case 'acl':
      return handleAcl(exchange, resource);
    case 'acl-mode':
      return handleAclMode(exchange, resource, resource.mode);
    case 'acl-entry':
      return handleAclEntry(exchange, resource, resource.mode, resource.entry);
    case 'upload':
      return handleUpload(exchange, resource.path);
    case 'upload-job':
      return handleUploadJob(exchange, resource);
    case 'upload-chunk':
      return handleUploadChunk(exchange, resource, resource.number);
  }
}
