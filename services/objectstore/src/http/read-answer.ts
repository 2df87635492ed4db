import { AppError, evaluatePreconditions, sendEmpty } from '@holdfast/http-kit';
import type { Exchange } from './exchange.js';

/** How an answer varies: by who asks, and by what they accept where there is a choice (spec/objectstore.md 3.5). */
export type Negotiated = 'negotiated' | 'fixed';

/**
 * Puts the headers every answer to GET and HEAD has and answers the request if the client's copy will do.
 * @param etag quoted tag of the representation
 * @returns true when 304 was sent
 * @throws {AppError} `precondition_failed`
 */
export function answeredByPreconditions(exchange: Exchange, etag: string, negotiated: Negotiated): boolean {
  const { request, response, method, parts } = exchange;
  const vary = negotiated === 'negotiated' ? 'Accept, Authorization, Cookie' : 'Authorization, Cookie';
  response.setHeader('Vary', vary);
  response.setHeader('ETag', etag);
  const outcome = evaluatePreconditions({
    method,
    ifMatch: request.get('if-match'),
    ifNoneMatch: request.get('if-none-match'),
    etag,
  });
  if (outcome === 'proceed') return false;
  // the reference answers a failing If-Match with 304 too: its clients are made for that
  if (outcome === 'not_modified' || parts.profile.failedIfMatchOnRead === 304) {
    sendEmpty(response, 304);
    return true;
  }
  throw new AppError('precondition_failed', `If-Match does not hold: the present tag is ${etag}.`, {
    headers: { ETag: etag, Vary: vary },
  });
}

/**
 * Only content has ranges (spec/objectstore.md 6.4).
 * @throws {AppError} `range_not_supported`
 */
export function refuseRange({ request, method }: Exchange): void {
  if (method === 'GET' && request.get('range') !== undefined)
    throw new AppError('range_not_supported', 'Only the content of objects can be read in ranges.');
}
