import { AppError, evaluatePreconditions, sendBody, sendEmpty, type WireProfile } from '@holdfast/http-kit';
import type { Request, Response } from 'express';
import { stringifyExact } from '../model/exact-numbers.js';

/** Headers that decide what a client sees. */
const VARY = 'Authorization, Cookie';

/**
 * Compares the preconditions of a request with the present state, before anything else is looked at (spec/catalog-model.md 1.6).
 * @returns true when the answer was sent: 304
 * @throws {AppError} `precondition_failed`
 */
export function answeredByPreconditions(
  request: Request,
  response: Response,
  profile: WireProfile,
  etag: string | null,
  vary = VARY,
): boolean {
  const outcome = evaluatePreconditions({
    method: request.method,
    ifMatch: request.get('if-match'),
    ifNoneMatch: request.get('if-none-match'),
    etag,
  });
  if (outcome === 'proceed') return false;
  const reading = request.method === 'GET' || request.method === 'HEAD';
  const unchanged =
    outcome === 'not_modified' || (outcome === 'if_match_failed' && reading && profile.failedIfMatchOnRead === 304);
  if (!unchanged)
    throw new AppError('precondition_failed', 'The resource is in another state than the request was made for.', {
      headers: { Vary: vary, ...(etag === null ? {} : { ETag: etag }) },
    });
  setTag(response, etag, vary);
  sendEmpty(response, 304);
  return true;
}

/** Headers of every successful answer about models, catalogs and aliases. */
export function setTag(response: Response, etag: string | null, vary = VARY): void {
  if (etag !== null) response.setHeader('ETag', etag);
  response.setHeader('Vary', vary);
}

/** A document with its entity tag. */
export function sendTagged(
  request: Request,
  response: Response,
  status: number,
  etag: string | null,
  document: unknown,
): void {
  setTag(response, etag);
  sendBody(request, response, status, 'application/json', `${stringifyExact(document)}\n`);
}
