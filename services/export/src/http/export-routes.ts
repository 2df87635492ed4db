import { AppError, contextOf, methodNotAllowed } from '@holdfast/http-kit';
import type { Express, Request, Response } from 'express';
import { createExport } from './create-export.js';
import type { ApiParts } from './export-parts.js';
import { type ExportPath, parseExportPath } from './export-path.js';
import { deleteJob, listJobs, readJob } from './job-resource.js';
import { readLog, readResult } from './read-result.js';

/** Answers everything below the prefixes of the service. */
export function mountExportRoutes(app: Express, parts: ApiParts): void {
  app.use(async (request, response, next) => {
    const [path = ''] = request.originalUrl.split('?');
    const prefix = parts.profile.exportPrefixes.find((known) => path === known || path.startsWith(`${known}/`));
    if (prefix === undefined) return next();
    const target = parseExportPath(path.slice(prefix.length), parts.profile.bagSegments);
    contextOf(request).route = target.kind === 'exports' ? `exports_${target.endpoint}` : target.kind;
    await answer(parts, request, response, target, prefix);
  });
}

async function answer(
  parts: ApiParts,
  request: Request,
  response: Response,
  target: ExportPath,
  prefix: string,
): Promise<void> {
  if (target.kind === 'unknown') throw new AppError('not_found', 'There is no such export or resource.');
  const methods = METHODS[target.kind];
  if (request.method === 'OPTIONS') {
    response.setHeader('Allow', [...methods, 'OPTIONS'].join(', '));
    response.statusCode = 204;
    response.end();
    return;
  }
  if (!methods.includes(request.method)) throw methodNotAllowed([...methods, 'OPTIONS']);
  response.setHeader('Vary', 'Authorization, Cookie');
  switch (target.kind) {
    case 'exports':
      return createExport(parts, request, response, { endpoint: target.endpoint, prefix });
    case 'result':
      return readResult(parts, request, response, target);
    case 'log':
      return readLog(parts, request, response, target.id);
    case 'jobs':
      return listJobs(parts, request, response);
    case 'job':
      return request.method === 'DELETE'
        ? deleteJob(parts, request, response, target.id)
        : readJob(parts, request, response, target.id);
  }
}

const METHODS: Readonly<Record<Exclude<ExportPath['kind'], 'unknown'>, readonly string[]>> = {
  exports: ['POST'],
  result: ['GET', 'HEAD'],
  log: ['GET', 'HEAD'],
  job: ['GET', 'HEAD', 'DELETE'],
  jobs: ['GET', 'HEAD'],
};
