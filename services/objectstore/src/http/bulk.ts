import { AppError, sendEmpty } from '@holdfast/http-kit';
import type { Connection } from '@holdfast/pg-kit';
import { authorize } from '../authorize/rights.js';
import { type BulkPosition, type BulkRequest, bulkLines, endOfBulkPage } from '../directory/bulk-listing.js';
import { findDefined } from '../directory/find-place.js';
import { listsAt } from '../directory/lists-at.js';
import { type CanonicalPath, encodeSegment, shownPath } from '../naming/canonical-path.js';
import { parseName } from '../naming/parse-target.js';
import { sendStream } from '../transfer/send-content.js';
import type { Exchange } from './exchange.js';
import { refuseRange } from './read-answer.js';

/** `;bulk/names`, `;bulk/versions`: everything beneath a namespace, a line each (spec/objectstore.md 11). */
export async function handleBulk(exchange: Exchange, path: CanonicalPath, of: 'names' | 'versions'): Promise<void> {
  const { parts, signal } = exchange;
  if (!parts.settings.bulkListings) throw new AppError('not_found', 'This service offers no bulk listings.');
  const asked = bulkParameters(exchange, of);
  await parts.database.transaction({ isolation: 'repeatable read', readOnly: true, signal }, async (connection) => {
    const place = await findDefined(connection, path);
    if (place.target.kind !== 'namespace') throw new AppError('not_found', 'An object has no bulk listings.');
    authorize('list-namespace', listsAt(place), exchange.caller);
    refuseRange(exchange);
    await send(exchange, connection, { ...asked, namespace: place.target, caller: exchange.caller });
  });
}

const MOST_LINES = 10_000;
const USUAL_LINES = 1000;

/** Parameters of the URL; those that no listing knows mean nothing. */
function bulkParameters(exchange: Exchange, of: 'names' | 'versions'): Omit<BulkRequest, 'namespace' | 'caller'> {
  const { parameters } = exchange;
  const limit = parameters.get('limit') ?? String(USUAL_LINES);
  if (!/^\d{1,5}$/.test(limit) || Number(limit) < 1 || Number(limit) > MOST_LINES)
    throw new AppError('bad_request', `limit must be a number from 1 to ${MOST_LINES}.`);
  const recursive = parameters.get('recursive') ?? 'false';
  if (recursive !== 'true' && recursive !== 'false')
    throw new AppError('bad_request', 'recursive must be true or false.');
  const kind = of === 'names' ? parameters.get('kind') : null;
  if (kind !== null && kind !== 'namespace' && kind !== 'object')
    throw new AppError('bad_request', 'kind must be namespace or object.');
  const after = parameters.get('after');
  return {
    of,
    recursive: recursive === 'true',
    kind,
    limit: Number(limit),
    computedHashes: exchange.parts.profile.exposeComputedHashes === 'everywhere',
    after: after === null ? null : parsePosition(exchange, of, after),
  };
}

function parsePosition({ prefix }: Exchange, of: 'names' | 'versions', text: string): BulkPosition {
  const comma = of === 'versions' ? text.lastIndexOf(',') : text.length;
  const path = text.slice(0, Math.max(comma, 0));
  if (comma < 0 || !path.startsWith(`${prefix}/`))
    throw new AppError(
      'bad_request',
      `after must be a path of this service${of === 'versions' ? ', a comma and a version' : ''}.`,
    );
  return { path: parseName(path.slice(prefix.length)), version: of === 'versions' ? text.slice(comma + 1) : null };
}

async function send(exchange: Exchange, connection: Connection, request: BulkRequest): Promise<void> {
  const { response, prefix, method, signal } = exchange;
  response.setHeader('Vary', 'Authorization, Cookie');
  const next = await endOfBulkPage(connection, request);
  if (next !== null) response.setHeader('Link', `<${nextPage(prefix, request, next)}>; rel="next"`);
  response.setHeader('Content-Type', 'application/x-ndjson');
  if (method === 'HEAD') return sendEmpty(response, 200);
  response.writeHead(200);
  await sendStream(bulkLines(connection, request, prefix), response, signal);
}

function nextPage(prefix: string, { namespace, of, recursive, kind, limit }: BulkRequest, next: BulkPosition): string {
  const shown = shownPath(prefix, next.path);
  const after = next.version === null ? shown : `${shown},${next.version}`;
  const parameters = [
    ...(recursive ? ['recursive=true'] : []),
    ...(kind === null ? [] : [`kind=${kind}`]),
    `limit=${limit}`,
    `after=${encodeSegment(after)}`,
  ];
  return `${shownPath(prefix, namespace.path)};bulk/${of}?${parameters.join('&')}`;
}
