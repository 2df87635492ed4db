import { HttpError } from '@holdfast/clients';
import { AppError, contextOf, sendEmpty, sendJson } from '@holdfast/http-kit';
import { clientOf } from '@holdfast/identity';
import type { Request, Response } from 'express';
import { isFinal } from '../job/export-state.js';
import { statusDocument } from '../job/status-document.js';
import { ownExport, readableExport } from './export-access.js';
import type { ApiParts } from './export-parts.js';

/** GET, HEAD of a job: how far it is. */
export async function readJob(parts: ApiParts, request: Request, response: Response, id: string): Promise<void> {
  const record = await readableExport(parts.store, id, clientOf(request));
  response.setHeader('X-Export-Id', id);
  response.setHeader('Cache-Control', 'no-store');
  if (!isFinal(record.state)) response.setHeader('Retry-After', '2');
  sendJson(request, response, 200, statusDocument(record, await parts.store.outputs(id)));
}

/** DELETE of a job: cancels it, or discards what it made (spec/export.md 13.5). */
export async function deleteJob(parts: ApiParts, request: Request, response: Response, id: string): Promise<void> {
  await ownExport(parts.store, id, clientOf(request), parts.config.ADMIN_READERS);
  response.setHeader('X-Export-Id', id);
  const wasRunning = await parts.store.cancel(id, parts.config.RETENTION_HOURS * 3_600);
  if (!wasRunning) await discard(parts, id, contextOf(request).signal);
  sendEmpty(response, 204);
}

async function discard(parts: ApiParts, id: string, signal: AbortSignal): Promise<void> {
  for (const { versionPath } of await parts.store.outputs(id)) {
    try {
      // the name, with whatever versions earlier runs left
      await parts.results.remove(versionPath.replace(/:[^:/]*$/, ''), { signal });
    } catch (error) {
      if (error instanceof HttpError && (error.status === 404 || error.status === 409)) continue;
      throw new AppError('storage_unavailable', 'The object store could not discard the results; try again.', {
        cause: error,
      });
    }
  }
  await parts.store.remove(id);
}
